package spread

import (
	"context"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/audit"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

// PreFilter asks for the verdicts on all nodes if the pod may have hard constraints. If it has only soft ones, it
// sends what has changed, so that Evenkeel applies that while the scheduler filters.
func (p *Plugin) PreFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.scheduler.finishLastCycle(ctx)
	found, owners := p.constraintsFor(pod)
	c := &cycle{plugin: p, pod: pod, nodes: nodes, constraints: found, owners: owners}
	p.scheduler.last = c
	defer c.measure(time.Now())
	state.Write(cycleKey, &cycleState{cycle: c})
	if found.hard+found.soft > 0 {
		p.prepareQuestion(ctx, c, state)
	}
	if found.hard == 0 {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	if c.question != nil {
		var err error
		await := p.server.AskVerdicts(c.question)
		if p.shadow {
			c.awaitVerdicts = await
		} else if c.verdicts, err = await(ctx, p.timeout(&p.scheduler.preFilterTime)); err == nil {
			return nil, nil
		} else {
			c.failed(ctx, err)
		}
	}
	_, status := c.original(ctx, "")
	return nil, status
}

// prepareQuestion sends what has changed and creates the question of the cycle, unless the original must answer.
func (p *Plugin) prepareQuestion(ctx context.Context, c *cycle, state fwk.CycleState) {
	switch {
	case state.IsPodGroupSchedulingCycle() || c.pod.Spec.SchedulingGroup != nil:
		// The snapshot may contain pods of the group that were placed before, without a change of generations.
		c.fallBack(podGroup)
		return
	case !p.shadow && len(c.nodes) < p.minNodes:
		c.fallBack(fewNodes)
		return
	case !sameFeatures(p.features, c.constraints, c.pod):
		c.fallBack(featureGate)
		return
	}
	question, err := query.NewQuestion(c.pod, p.defaults, c.owners, c.constraints.hard, c.constraints.soft)
	if err == nil {
		err = p.server.Update(c.nodes)
	}
	switch {
	case err != nil:
		c.failed(ctx, err)
		return
	case p.shadow:
		c.fallBack(shadowMode)
		c.comparison = &audit.Comparison{}
	case p.scheduler.isAudited(p.auditEvery):
		c.comparison = &audit.Comparison{}
	}
	c.question = question
}

// Filter looks up the verdict on the node.
func (p *Plugin) Filter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	s, status := readState(state)
	if status != nil {
		return status
	}
	if s.modified != nil {
		return p.original.Filter(ctx, s.modified, pod, node)
	}
	if s.verdicts == nil {
		return s.originalVerdict(ctx, node)
	}
	if s.comparison != nil {
		s.originalVerdict(ctx, node)
	}
	return statusOf(s.verdicts.For(node.Node().Name))
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
	return p.original.AddPod(ctx, s.modified, pod, added, node)
}

// RemovePod hypothetically removes a pod. From here on the original answers in this clone of the state.
func (p *Plugin) RemovePod(ctx context.Context, state fwk.CycleState, pod *v1.Pod, removed fwk.PodInfo, node fwk.NodeInfo) *fwk.Status {
	s, status := p.modifiedState(ctx, state, pod, removed)
	if s == nil {
		return status
	}
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
	var reason query.Reason
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
