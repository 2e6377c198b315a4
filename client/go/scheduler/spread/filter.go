package spread

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

// PreFilter asks for the verdicts on all nodes, where the pod may have hard constraints.
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

// ask makes the cycle's question, unless the original must answer.
func (p *Plugin) prepareQuery(ctx context.Context, c *cycle, state fwk.CycleState) {
	switch {
	case state.IsPodGroupSchedulingCycle():
		// The snapshot holds the pods of the group that were placed before, and may hold a part of the nodes only.
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

// Filter looks the node's verdict up.
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

// skipped is the verdict where the original has no state: it takes every node where it knows of no hard constraint.
func statusWithoutState(status *fwk.Status) *fwk.Status {
	if status.IsSkip() {
		return nil
	}
	return status
}

// What the original says of nodes that do not pass. Thousands of them may fail in a cycle, so they share the reasons. These
// have no room, so whoever appends another one gets a slice of their own.
var (
	unresolvable  = *fwk.NewStatus(fwk.UnschedulableAndUnresolvable, podtopologyspread.ErrReasonNodeLabelNotMatch)
	unschedulable = *fwk.NewStatus(fwk.Unschedulable, podtopologyspread.ErrReasonConstraintsNotMatch)
)

// statusOf says a verdict in the original's words. Each node has a status of its own, which the framework changes.
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

// PreFilterExtensions are this plugin.
func (p *Plugin) PreFilterExtensions() fwk.PreFilterExtensions { return p }

// AddPod judges as if a pod were there: by the original, from here on, in this clone of the state.
func (p *Plugin) AddPod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, added fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.modifiedState(ctx, state)
	if s == nil {
		return status
	}
	defer s.startTimer()()
	return p.original.AddPod(ctx, s.modified, pod, added, node)
}

// RemovePod judges as if a pod were not there: by the original, from here on, in this clone of the state.
func (p *Plugin) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.modifiedState(ctx, state)
	if s == nil {
		return status
	}
	defer s.startTimer()()
	return p.original.RemovePod(ctx, s.modified, pod, removed, node)
}

// change gives this clone of the state one of the original's. There is none where the original has nothing to judge.
func (p *Plugin) modifiedState(ctx context.Context, state fwk.CycleState) (*cycleState, *fwk.Status) {
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
