package spread

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/scheduler/query"
	"evenkeel.io/client/go/scheduler/shadow"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const cycleKey fwk.StateKey = Name

// Reasons of this plugin why the original answers, beside those of package ask.
const (
	changedState query.Reason = "changed_state"
	podGroup     query.Reason = "pod_group"
	featureGate  query.Reason = "feature_gate"
	shadowMode   query.Reason = "shadow"
	// The pod was refused, and the verdicts are compared with the original's.
	refusalChecked query.Reason = "refusal_checked"
	// Evenkeel was ahead of the scheduler when the pod was refused the last time.
	wasAhead query.Reason = "was_ahead"
)

// cycle is what the plugin knows of one scheduling cycle of a pod. All clones of the cycle's state share it.
type cycle struct {
	plugin      *Plugin
	pod         *v1.Pod
	nodes       []fwk.NodeInfo
	constraints constraints
	// nil where the original answers, for the reason below.
	query  *query.Query
	reason query.Reason

	// One of the two: Evenkeel's verdicts, or the original's state, which is worked out when it is first needed.
	verdicts       *query.Verdicts
	originalOnce   sync.Once
	originalState  fwk.CycleState
	originalStatus *fwk.Status

	// One of the two, from PreScore on.
	scores     *query.Scores
	scoreState fwk.CycleState
	// What Evenkeel is asked alongside, in shadow mode.
	shadowScores shadow.Scores

	// Whether the time that the plugin takes is taken down, in nanoseconds.
	timed    bool
	spent    atomic.Int64
	observed bool
}

// cycleState is a cycle within one clone of the framework's state.
type cycleState struct {
	*cycle
	// The original's state of this clone, once pods were added to it or removed from it.
	modified fwk.CycleState
}

// Clone makes a state in which pods can be added and removed without changing this one.
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

// fallBack lets the original answer for the rest of the cycle.
func (c *cycle) fallBack(reason query.Reason) {
	c.query, c.reason = nil, reason
	c.plugin.countOriginal(reason)
}

// original gives the original's state, and its status where it has none. It is worked out once, from the scheduler's own
// snapshot, which stays as it is during a cycle. Filters run side by side, and may be cancelled: this one may not.
func (c *cycle) original(ctx context.Context, reason query.Reason) (fwk.CycleState, *fwk.Status) {
	c.originalOnce.Do(func() {
		if reason != c.reason {
			c.plugin.countOriginal(reason)
		}
		state := framework.NewCycleState()
		_, status := c.plugin.original.PreFilter(context.WithoutCancel(ctx), state, c.pod, c.nodes)
		if !status.IsSuccess() {
			c.originalStatus = status
			return
		}
		c.originalState = state
	})
	return c.originalState, c.originalStatus
}

// isCompared says whether Evenkeel is asked alongside.
func (c *cycle) isShadow() bool { return c.reason == shadowMode }

// timing takes down the time until the function that it gives is called.
func (c *cycle) startTimer() func() {
	if !c.timed {
		return func() {}
	}
	start := time.Now()
	return func() { c.spent.Add(int64(time.Since(start))) }
}

// ended tells how long the last cycle took. A scheduler does not say when a cycle has ended: the next one begins.
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
		// No node was left to be scored, and nothing else was asked.
		return
	}
	cycleDuration.WithLabelValues(p.profile, source).Observe(time.Duration(last.spent.Load()).Seconds())
}
