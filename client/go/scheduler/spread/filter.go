package spread

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/ask"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

// PreFilter asks for the verdicts on all nodes, where the pod may have hard constraints.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.ended()
	p.scheduler.begin()
	c := &cycle{plugin: p, pod: pod, nodes: nodes, needs: p.of(pod), timed: state.ShouldRecordPluginMetrics()}
	p.last = c
	defer c.timing()()
	state.Write(cycleKey, &cycleState{cycle: c})
	if c.needs.hard || c.needs.soft {
		c.asked = true
		p.ask(ctx, c, state)
	}
	if !c.needs.hard {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if c.question != nil {
		verdicts, reason := c.question.Filter(ctx)
		if reason == "" {
			p.countEvenkeel()
			c.verdicts = verdicts
			if verdicts.Hard() == 0 {
				return nil, fwk.NewStatus(fwk.Skip)
			}
			return nil, nil
		}
		c.fallBack(reason)
	}
	if !c.isCompared() {
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
func (p *Plugin) ask(ctx context.Context, c *cycle, state fwk.CycleState) {
	switch {
	case state.IsPodGroupSchedulingCycle():
		// The snapshot holds the pods of the group that were placed before, and may hold a part of the nodes only.
		c.fallBack(podGroup)
	case !isJudgedAlike(p.features, c.needs, c.pod):
		c.fallBack(featureGate)
	case p.shadow != nil:
		c.fallBack(shadowMode)
	case p.scheduler.outpaced.take(c.pod.UID):
		c.fallBack(wasAhead)
	default:
		question, err := p.asking.About(ctx, c.pod)
		if err != nil {
			c.fallBack(ask.PodRefused)
			return
		}
		c.question = question
	}
}

// Filter looks the node's verdict up.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s, status := read(state)
	if status != nil {
		return status
	}
	defer s.timing()()
	if s.changed != nil {
		return p.original.Filter(ctx, s.changed, pod, node)
	}
	reason := s.reason
	if s.verdicts != nil {
		code, known := s.verdicts.Of(node.Node())
		if known {
			return statusOf(code)
		}
		reason = ask.NodeUnknown
	}
	base, status := s.original(ctx, reason)
	if base == nil {
		return skipped(status)
	}
	return p.original.Filter(ctx, base, pod, node)
}

// skipped is the verdict where the original has no state: it takes every node where it knows of no hard constraint.
func skipped(status *fwk.Status) *fwk.Status {
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
	s, status := p.change(ctx, state)
	if s == nil {
		return status
	}
	defer s.timing()()
	return p.original.AddPod(ctx, s.changed, pod, added, node)
}

// RemovePod judges as if a pod were not there: by the original, from here on, in this clone of the state.
func (p *Plugin) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.change(ctx, state)
	if s == nil {
		return status
	}
	defer s.timing()()
	return p.original.RemovePod(ctx, s.changed, pod, removed, node)
}

// change gives this clone of the state one of the original's. There is none where the original has nothing to judge.
func (p *Plugin) change(ctx context.Context, state fwk.CycleState) (*cycleState, *fwk.Status) {
	s, status := read(state)
	if status != nil || s.changed != nil {
		return s, status
	}
	defer s.timing()()
	reason := s.reason
	if s.verdicts != nil {
		reason = changedState
	}
	base, status := s.original(ctx, reason)
	if base == nil {
		return nil, skipped(status)
	}
	s.changed = base.Clone()
	return s, nil
}
