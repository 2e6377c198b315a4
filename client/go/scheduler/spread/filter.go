package spread

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

// PreFilter queries the verdicts on all nodes if the pod may have hard constraints.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.observeLastCycle()
	p.scheduler.forgetOrphansOnce()
	c := &cycle{plugin: p, pod: pod, nodes: nodes, constraints: p.constraintsFor(pod), timed: state.ShouldRecordPluginMetrics()}
	p.last = c
	defer c.startTimer()()
	state.Write(cycleKey, &cycleState{cycle: c})
	if c.constraints.hard || c.constraints.soft {
		c.observed = true
		p.prepareQuery(ctx, c, state)
	}
	if !c.constraints.hard {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if c.query != nil {
		verdicts, reason := c.query.Filter(ctx)
		if reason == "" {
			p.countEvenkeel()
			c.verdicts = verdicts
			if verdicts.HardCount() == 0 {
				return nil, fwk.NewStatus(fwk.Skip)
			}
			return nil, nil
		}
		c.fallBack(reason)
	}
	if !c.isShadow() {
		_, status := c.original(ctx, c.reason)
		return nil, status
	}
	alongside := p.shadow.AskVerdicts(pod)
	original, status := c.original(ctx, c.reason)
	if original != nil || status.IsSkip() {
		alongside.Compare(original, nodes)
	}
	return nil, status
}

// prepareQuery creates the query of the cycle, unless the original must answer.
func (p *Plugin) prepareQuery(ctx context.Context, c *cycle, state fwk.CycleState) {
	switch {
	case state.IsPodGroupSchedulingCycle() || c.pod.Spec.SchedulingGroup != nil:
		// The snapshot may contain pods of the group that were placed before, and only some of the nodes.
		c.fallBack(podGroup)
	case !sameFeatures(p.features, c.constraints, c.pod):
		c.fallBack(featureGate)
	case p.shadow != nil:
		c.fallBack(shadowMode)
	case p.scheduler.aheadPods.take(c.pod.UID):
		c.fallBack(wasAhead)
	default:
		question, err := p.profileQueries.NewQuery(ctx, c.pod)
		if err != nil {
			c.fallBack(query.PodRefused)
			return
		}
		c.query = question
	}
}

// Filter looks up the verdict on the node.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s, status := readState(state)
	if status != nil {
		return status
	}
	defer s.startTimer()()
	if s.modified != nil {
		return p.original.Filter(ctx, s.modified, pod, node)
	}
	reason := s.reason
	if s.verdicts != nil {
		code, known := s.verdicts.For(node.Node())
		if known {
			return statusOf(code)
		}
		reason = query.NodeUnknown
	}
	base, status := s.original(ctx, reason)
	if base == nil {
		return statusWithoutState(status)
	}
	return p.original.Filter(ctx, base, pod, node)
}

// statusWithoutState is the verdict if the original has no state: it accepts every node if there is no hard
// constraint.
func statusWithoutState(status *fwk.Status) *fwk.Status {
	if status.IsSkip() {
		return nil
	}
	return status
}

// The original's statuses of nodes that do not pass. Thousands of nodes may fail in a cycle, so they share the slices
// of reasons, which have no spare capacity: append copies them.
var (
	unresolvable  = *fwk.NewStatus(fwk.UnschedulableAndUnresolvable, podtopologyspread.ErrReasonNodeLabelNotMatch)
	unschedulable = *fwk.NewStatus(fwk.Unschedulable, podtopologyspread.ErrReasonConstraintsNotMatch)
)

// statusOf converts a verdict to the original's status. Each node needs a separate status because the framework
// modifies it.
func statusOf(code evenkeelv1.NodeCode) *fwk.Status {
	switch code {
	case evenkeelv1.NodeCode_NODE_CODE_SUCCESS:
		return nil
	case evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE:
		status := unresolvable
		return &status
	default:
		status := unschedulable
		return &status
	}
}

// PreFilterExtensions returns the plugin itself.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return p }

// AddPod adds a hypothetical pod. From here on the original answers in this clone of the state.
func (p *Plugin) AddPod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.modifiedState(ctx, state, pod, added)
	if s == nil {
		return status
	}
	defer s.startTimer()()
	return p.original.AddPod(ctx, s.modified, pod, added, node)
}

// RemovePod hypothetically removes a pod. From here on the original answers in this clone of the state.
func (p *Plugin) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.modifiedState(ctx, state, pod, removed)
	if s == nil {
		return status
	}
	defer s.startTimer()()
	return p.original.RemovePod(ctx, s.modified, pod, removed, node)
}

// modifiedState gives this clone a copy of the original's state. It returns nil if the original has nothing to
// evaluate: it ignores pods of other namespaces, so its state is not computed for them.
func (p *Plugin) modifiedState(ctx context.Context, state fwk.CycleState, pod *v1.Pod, other fwk.PodInfo) (*cycleState, *fwk.Status) {
	if other.GetPod().Namespace != pod.Namespace {
		return nil, nil
	}
	s, status := readState(state)
	if status != nil || s.modified != nil {
		return s, status
	}
	defer s.startTimer()()
	reason := s.reason
	if s.verdicts != nil {
		reason = changedState
	}
	base, status := s.original(ctx, reason)
	if base == nil {
		return nil, statusWithoutState(status)
	}
	s.modified = base.Clone()
	return s, nil
}
