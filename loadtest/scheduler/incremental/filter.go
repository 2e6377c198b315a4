package incremental

import (
	"context"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

const (
	filterKey fwk.StateKey = "PreFilter" + Name
	// absent is the count of a domain without nodes that count.
	absent = math.MinInt32
)

// filterState is the pods of each domain that the hard constraints of a pod count.
type filterState struct {
	*demand
	counts []domainCounts
}

// domainCounts are the matching pods by the id of the domain. A domain may have less than none, because terminating
// pods are not counted but can be removed.
type domainCounts struct {
	pods    []int32
	domains int32
	minimum int32
}

// Clone returns a state in which pods can be added and removed without changing this one.
func (s *filterState) Clone() fwk.StateData {
	clone := &filterState{demand: s.demand, counts: slices.Clone(s.counts)}
	for i := range clone.counts {
		clone.counts[i].pods = slices.Clone(clone.counts[i].pods)
	}
	return clone
}

// PreFilter sums up the pods of each domain.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	if p.isForStock(state, pod) {
		return p.Plugin.PreFilter(ctx, state, pod, nodes)
	}
	demand, err := p.demandOf(pod, v1.DoNotSchedule)
	if err != nil {
		// The stock plugin reports the same error.
		return p.Plugin.PreFilter(ctx, state, pod, nodes)
	}
	if demand == nil {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	p.index.update(nodes)
	demand.evaluate(p.index)
	s := &filterState{demand: demand, counts: make([]domainCounts, len(demand.constraints))}
	for i := range s.counts {
		s.counts[i].pods = newCounts(len(demand.constraints[i].domains.ids))
	}
	demand.forEach(p.index, true, func(position, constraint int) {
		c, counts := &demand.constraints[constraint], &s.counts[constraint]
		id := c.domains.values[position]
		if counts.pods[id] == absent {
			counts.pods[id] = 0
			counts.domains++
		}
		counts.pods[id] += c.pods.values[position]
	})
	for i := range s.counts {
		s.counts[i].findMinimum()
	}
	state.Write(filterKey, s)
	return nil, nil
}

// newCounts are those of domains that are absent.
func newCounts(size int) []int32 {
	counts := make([]int32, size)
	for i := range counts {
		counts[i] = absent
	}
	return counts
}

func (d *domainCounts) findMinimum() {
	d.minimum = math.MaxInt32
	for _, count := range d.pods {
		if count != absent {
			d.minimum = min(d.minimum, count)
		}
	}
}

// globalMinimum is 0 if there are too few domains.
func (d *domainCounts) globalMinimum(minDomains int32) int {
	if d.domains < minDomains {
		return 0
	}
	return int(d.minimum)
}

// Filter compares the node's domains with the global minimum.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s := read[*filterState](state, filterKey)
	if s == nil {
		return p.Plugin.Filter(ctx, state, pod, node)
	}
	for i := range s.constraints {
		c, counts := &s.constraints[i], &s.counts[i]
		value, found := node.Node().Labels[c.key]
		if !found {
			return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, podtopologyspread.ErrReasonNodeLabelNotMatch)
		}
		skew := -counts.globalMinimum(c.minDomains)
		if id, known := c.domains.ids[value]; known && counts.pods[id] != absent {
			skew += int(counts.pods[id])
		}
		if c.selector.Matches(labels.Set(pod.Labels)) {
			skew++
		}
		if skew > int(c.maxSkew) {
			return fwk.NewStatus(fwk.Unschedulable, podtopologyspread.ErrReasonConstraintsNotMatch)
		}
	}
	return nil
}

// PreFilterExtensions returns the plugin itself.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return p }

// AddPod adds a hypothetical pod.
func (p *Plugin) AddPod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s := read[*filterState](state, filterKey)
	if s == nil {
		return p.Plugin.AddPod(ctx, state, pod, added, node)
	}
	s.change(added.GetPod(), node.Node(), 1)
	return nil
}

// RemovePod hypothetically removes a pod.
func (p *Plugin) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s := read[*filterState](state, filterKey)
	if s == nil {
		return p.Plugin.RemovePod(ctx, state, pod, removed, node)
	}
	s.change(removed.GetPod(), node.Node(), -1)
	return nil
}

func (s *filterState) change(other *v1.Pod, node *v1.Node, by int32) {
	if other.Namespace != s.pod.Namespace {
		return
	}
	for i := range s.constraints {
		if _, found := node.Labels[s.constraints[i].key]; !found {
			return
		}
	}
	affinity, taints := s.accepts(node)
	for i := range s.constraints {
		c := &s.constraints[i]
		if c.counts(affinity, taints) && c.selector.Matches(labels.Set(other.Labels)) {
			s.counts[i].add(c.domains.ids[node.Labels[c.key]], by)
		}
	}
}

func (d *domainCounts) add(id, by int32) {
	old := d.pods[id]
	d.pods[id] += by
	if d.pods[id] < d.minimum {
		d.minimum = d.pods[id]
	} else if old == d.minimum {
		d.findMinimum()
	}
}

// read returns nil if the state is not there, because the stock plugin answers.
func read[S fwk.StateData](state fwk.CycleState, key fwk.StateKey) S {
	data, _ := state.Read(key)
	own, _ := data.(S)
	return own
}
