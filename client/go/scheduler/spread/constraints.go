package spread

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
)

// constraints are how many constraints there are, and whether they use fields that a feature gate can disable.
type constraints struct {
	hard, soft          int32
	policies, labelKeys bool
}

func constraintsOf(list []v1.TopologySpreadConstraint) constraints {
	var found constraints
	for i := range list {
		switch list[i].WhenUnsatisfiable {
		case v1.DoNotSchedule:
			found.hard++
		case v1.ScheduleAnyway:
			found.soft++
		}
		found.policies = found.policies || list[i].NodeAffinityPolicy != nil || list[i].NodeTaintsPolicy != nil
		found.labelKeys = found.labelKeys || len(list[i].MatchLabelKeys) > 0
	}
	return found
}

// defaultConstraints returns the default constraints that a profile has. Those of kube-scheduler itself are two soft
// ones.
func defaultConstraints(args *config.PodTopologySpreadArgs) constraints {
	if args.DefaultingType == config.SystemDefaulting {
		return constraints{soft: 2}
	}
	return constraintsOf(args.DefaultConstraints)
}

// constraintsFor returns the constraints that are in force for a pod, and the selector of its default constraints.
// These apply only if the pod has a service or a controller with a selector.
func (p *Plugin) constraintsFor(pod *v1.Pod) (constraints, labels.Selector) {
	if len(pod.Spec.TopologySpreadConstraints) > 0 {
		return constraintsOf(pod.Spec.TopologySpreadConstraints), labels.Everything()
	}
	if p.owners == nil {
		return constraints{}, labels.Everything()
	}
	selector := p.owners.selectorOf(pod)
	if selector.Empty() {
		return constraints{}, selector
	}
	return p.defaultConstraints, selector
}

// owners list what the selector of default constraints is made of.
type owners struct {
	services               corelisters.ServiceLister
	replicationControllers corelisters.ReplicationControllerLister
	replicaSets            appslisters.ReplicaSetLister
	statefulSets           appslisters.StatefulSetLister
}

func newOwners(factory informers.SharedInformerFactory) *owners {
	return &owners{
		services:               factory.Core().V1().Services().Lister(),
		replicationControllers: factory.Core().V1().ReplicationControllers().Lister(),
		replicaSets:            factory.Apps().V1().ReplicaSets().Lister(),
		statefulSets:           factory.Apps().V1().StatefulSets().Lister(),
	}
}

func (o *owners) selectorOf(pod *v1.Pod) labels.Selector {
	return helper.DefaultSelector(pod, o.services, o.replicationControllers, o.replicaSets, o.statefulSets)
}

// sameFeatures returns true if Evenkeel and the original use the same features for a pod. Evenkeel has all of them
// enabled.
func sameFeatures(features feature.Features, found constraints, pod *v1.Pod) bool {
	if found.policies && !features.EnableNodeInclusionPolicyInPodTopologySpread ||
		found.labelKeys && !features.EnableMatchLabelKeysInPodTopologySpread {
		return false
	}
	if features.EnableTaintTolerationComparisonOperators {
		return true
	}
	for i := range pod.Spec.Tolerations {
		if operator := pod.Spec.Tolerations[i].Operator; operator == v1.TolerationOpLt || operator == v1.TolerationOpGt {
			return false
		}
	}
	return true
}
