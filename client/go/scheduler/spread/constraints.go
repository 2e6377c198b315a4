package spread

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// constraints are the kinds of constraints that exist, and whether they use fields that a feature gate can disable.
type constraints struct {
	hard, soft          bool
	policies, labelKeys bool
}

func constraintsOf(list []v1.TopologySpreadConstraint) constraints {
	var found constraints
	for i := range list {
		found.hard = found.hard || list[i].WhenUnsatisfiable == v1.DoNotSchedule
		found.soft = found.soft || list[i].WhenUnsatisfiable == v1.ScheduleAnyway
		found.policies = found.policies || list[i].NodeAffinityPolicy != nil || list[i].NodeTaintsPolicy != nil
		found.labelKeys = found.labelKeys || len(list[i].MatchLabelKeys) > 0
	}
	return found
}

// defaultConstraints returns the kinds of default constraints that a profile has.
func defaultConstraints(args *config.PodTopologySpreadArgs) constraints {
	if args.DefaultingType == config.SystemDefaulting {
		return constraints{soft: true}
	}
	return constraintsOf(args.DefaultConstraints)
}

// constraintsFor returns the kinds of constraints that a pod may have. Default constraints apply only if the pod has
// an owner, which Evenkeel finds out.
func (p *Plugin) constraintsFor(pod *v1.Pod) constraints {
	if len(pod.Spec.TopologySpreadConstraints) > 0 {
		return constraintsOf(pod.Spec.TopologySpreadConstraints)
	}
	return p.defaults
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
