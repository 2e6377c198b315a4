package incremental

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	v1helper "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/utils/ptr"
)

// systemConstraints are the default constraints of kube-scheduler itself.
var systemConstraints = []v1.TopologySpreadConstraint{
	{TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway, MaxSkew: 3},
	{TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, MaxSkew: 5},
}

// constraint is a constraint of a pod with what the index has for it.
type constraint struct {
	key                 string
	maxSkew, minDomains int32
	selector            labels.Selector
	// Whether nodes count only if they match the pod's node affinity, or if the pod tolerates their taints.
	affinity, taints bool

	domains *domains
	pods    *column
}

// demand is the constraints of a pod with one action.
type demand struct {
	pod                 *v1.Pod
	constraints         []constraint
	required            nodeaffinity.RequiredNodeAffinity
	affinity, taints    bool
	comparisonOperators bool
}

// demandOf returns nil if the pod has no constraints with the action. Those that it has are looked up in the index
// later, by evaluate.
func (p *Plugin) demandOf(pod *v1.Pod, action v1.UnsatisfiableConstraintAction) (*demand, error) {
	own := len(pod.Spec.TopologySpreadConstraints) > 0
	from := p.defaults
	if own {
		from = pod.Spec.TopologySpreadConstraints
	}
	d := &demand{pod: pod, comparisonOperators: p.features.EnableTaintTolerationComparisonOperators}
	for i := range from {
		if from[i].WhenUnsatisfiable != action {
			continue
		}
		selector, err := p.selectorOf(&from[i], pod)
		if err != nil {
			return nil, err
		}
		d.constraints = append(d.constraints, constraint{
			key:        from[i].TopologyKey,
			maxSkew:    from[i].MaxSkew,
			minDomains: ptr.Deref(from[i].MinDomains, 1),
			selector:   selector,
			affinity:   ptr.Deref(from[i].NodeAffinityPolicy, v1.NodeInclusionPolicyHonor) == v1.NodeInclusionPolicyHonor,
			taints:     ptr.Deref(from[i].NodeTaintsPolicy, v1.NodeInclusionPolicyIgnore) == v1.NodeInclusionPolicyHonor,
		})
	}
	if len(d.constraints) == 0 {
		return nil, nil
	}
	if own {
		return d, nil
	}
	selector := helper.DefaultSelector(pod, p.services, p.replicationControllers, p.replicaSets, p.statefulSets)
	if selector.Empty() {
		return nil, nil
	}
	for i := range d.constraints {
		d.constraints[i].selector = selector
	}
	return d, nil
}

// selectorOf adds the pod's values of matchLabelKeys to a constraint's selector.
func (p *Plugin) selectorOf(c *v1.TopologySpreadConstraint, pod *v1.Pod) (labels.Selector, error) {
	selector, err := metav1.LabelSelectorAsSelector(c.LabelSelector)
	if err != nil || !p.features.EnableMatchLabelKeysInPodTopologySpread {
		return selector, err
	}
	values := labels.Set{}
	for _, key := range c.MatchLabelKeys {
		if value, found := pod.Labels[key]; found {
			values[key] = value
		}
	}
	requirements, selectable := selector.Requirements()
	if len(values) == 0 || !selectable {
		return selector, nil
	}
	return labels.SelectorFromSet(values).Add(requirements...), nil
}

// evaluate brings up to date what the index has for the constraints.
func (d *demand) evaluate(x *index) {
	d.required = nodeaffinity.GetRequiredNodeAffinity(d.pod)
	restricted := len(d.pod.Spec.NodeSelector) > 0 || d.pod.Spec.Affinity != nil && d.pod.Spec.Affinity.NodeAffinity != nil
	for i := range d.constraints {
		c := &d.constraints[i]
		c.domains = x.domainsOf(c.key)
		c.pods = x.podsOf(d.pod.Namespace, c.selector)
		d.affinity = d.affinity || c.affinity && restricted
		d.taints = d.taints || c.taints
	}
}

// hasDomains returns whether a node has all topology keys.
func (d *demand) hasDomains(position int) bool {
	for i := range d.constraints {
		if d.constraints[i].domains.values[position] == noDomain {
			return false
		}
	}
	return true
}

// forEach calls count with the position of each node and each constraint for which the node counts.
func (d *demand) forEach(x *index, allKeys bool, count func(position, constraint int)) {
	for position, info := range x.nodes {
		if allKeys && !d.hasDomains(position) {
			continue
		}
		if !d.affinity && !d.taints {
			for i := range d.constraints {
				count(position, i)
			}
			continue
		}
		affinity, taints := d.accepts(info.Node())
		for i := range d.constraints {
			if d.constraints[i].counts(affinity, taints) {
				count(position, i)
			}
		}
	}
}

// accepts returns whether a node matches the pod's affinity and whether the pod tolerates its taints, if any constraint
// depends on that.
func (d *demand) accepts(node *v1.Node) (affinity, taints bool) {
	affinity, taints = true, true
	if d.affinity {
		// Like the stock plugin, this takes an invalid affinity for one that does not match.
		affinity, _ = d.required.Match(node)
	}
	if d.taints {
		_, untolerated := v1helper.FindMatchingUntoleratedTaint(klog.Background(), node.Spec.Taints, d.pod.Spec.Tolerations,
			helper.DoNotScheduleTaintsFilterFunc(), d.comparisonOperators)
		taints = !untolerated
	}
	return affinity, taints
}

// counts returns whether a node counts that accepts has judged.
func (c *constraint) counts(affinity, taints bool) bool {
	return (affinity || !c.affinity) && (taints || !c.taints)
}
