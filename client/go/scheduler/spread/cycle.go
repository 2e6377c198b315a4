package spread

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const cycleKey fwk.StateKey = Name

// Reasons why the original answers, in addition to those of package query.
const (
	changedState query.Reason = "changed_state"
	podGroup     query.Reason = "pod_group"
	featureGate  query.Reason = "feature_gate"
	// The scheduler has a node that Evenkeel does not have.
	nodeUnknown query.Reason = "node_unknown"
)

// cycle is the plugin's state of one scheduling cycle of a pod. All clones of the cycle state share it.
type cycle struct {
	plugin      *Plugin
	pod         *v1.Pod
	nodes       []fwk.NodeInfo
	constraints constraints
	// nil if the original answers, for the reason below.
	question *query.Question
	reason   query.Reason

	// One of the two: Evenkeel's verdicts, or the original's state, which is computed when it is first needed.
	verdicts       *query.Verdicts
	originalOnce   sync.Once
	originalState  fwk.CycleState
	originalStatus *fwk.Status

	// One of the two, from PreScore on.
	scores     *query.Scores
	scoreState fwk.CycleState

	// Whether the plugin's own time is measured, in nanoseconds.
	timed    bool
	spent    atomic.Int64
	observed bool
}

// cycleState is a cycle within one clone of the framework's state.
type cycleState struct {
	*cycle
	// The original's state of this clone, once pods were added or removed.
	modified fwk.CycleState
}

// Clone returns a state in which pods can be added and removed without changing this one.
func (s *cycleState) Clone() fwk.StateData {
	clone := &cycleState{cycle: s.cycle}
	if s.modified != nil {
		clone.modified = s.modified.Clone()
	}
	return clone
}

func readState(state fwk.CycleState) (*cycleState, *fwk.Status) {
	data, err := state.Read(cycleKey)
	if err != nil {
		return nil, fwk.AsStatus(fmt.Errorf("reading %q from cycleState: %w", cycleKey, err))
	}
	own, ok := data.(*cycleState)
	if !ok {
		return nil, fwk.AsStatus(fmt.Errorf("%T is not the state of %s", data, Name))
	}
	return own, nil
}

// fallBack makes the original answer for the rest of the cycle.
func (c *cycle) fallBack(reason query.Reason) {
	c.question, c.reason = nil, reason
	c.plugin.countOriginal(reason)
}

// failed makes the original answer because Evenkeel does not.
func (c *cycle) failed(ctx context.Context, err error) {
	reason := query.ReasonOf(err)
	if reason == query.PodRefused {
		klog.FromContext(ctx).V(2).Info("Evenkeel refused the pod; PodTopologySpread answers instead", "pod", klog.KObj(c.pod), "reason", err.Error())
	}
	c.fallBack(reason)
}

// original returns the original's state, and its status if it has none. It is computed once, from the scheduler's own
// snapshot, which does not change during a cycle. Filters run concurrently and may be cancelled; this must not be.
func (c *cycle) original(ctx context.Context, reason query.Reason) (fwk.CycleState, *fwk.Status) {
	c.originalOnce.Do(func() {
		if reason != c.reason {
			c.plugin.countOriginal(reason)
		}
		state := framework.NewCycleState()
		began := time.Now()
		_, status := c.plugin.original.PreFilter(context.WithoutCancel(ctx), state, c.pod, c.nodes)
		if !status.IsSuccess() {
			c.originalStatus = status
			return
		}
		c.plugin.scheduler.preFilterTime.record(time.Since(began))
		c.originalState = state
	})
	return c.originalState, c.originalStatus
}

// startTimer measures the time until the returned function is called.
func (c *cycle) startTimer() func() {
	if !c.timed {
		return func() {}
	}
	start := time.Now()
	return func() { c.spent.Add(int64(time.Since(start))) }
}

// observeLastCycle records the duration of the last cycle. The framework does not report the end of a cycle, so this
// is called when the next one begins.
func (p *Plugin) observeLastCycle() {
	last := p.last
	p.last = nil
	if last == nil || !last.timed || !last.observed {
		return
	}
	source := sourceEvenkeel
	switch {
	case last.originalState != nil || last.originalStatus != nil || last.scoreState != nil:
		source = sourceOriginal
	case last.verdicts == nil && last.scores == nil:
		// No node was left to be scored, and there was no other query.
		return
	}
	cycleDuration.WithLabelValues(p.profile, source).Observe(time.Duration(last.spent.Load()).Seconds())
}
