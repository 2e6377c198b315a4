package spread

import (
	"context"
	"fmt"
	"sync"
	"time"

	"evenkeel.io/client/go/scheduler/audit"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
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
	fewNodes     query.Reason = "few_nodes"
	shadowMode   query.Reason = "shadow"
)

// cycle is the plugin's state of one scheduling cycle of a pod. All clones of the cycle state share it.
type cycle struct {
	plugin      *Plugin
	pod         *v1.Pod
	nodes       []fwk.NodeInfo
	constraints constraints
	// The selector of default constraints.
	owners labels.Selector
	// nil if the original answers.
	question *query.Question
	// Why the original answered, at least in part; empty if it did not.
	reason query.Reason

	// One of the two: Evenkeel's verdicts, or the original's state, which is computed when it is first needed.
	verdicts       *query.Verdicts
	originalOnce   sync.Once
	originalState  fwk.CycleState
	originalStatus *fwk.Status

	// One of the two, from PreScore on.
	scores     *query.Scores
	scoreState fwk.CycleState

	// The original's answers, if Evenkeel's are compared with them, and the remaining nodes; nil otherwise.
	comparison *audit.Comparison
	remaining  []fwk.NodeInfo
	// Evenkeel's answers in shadow mode, which come while the original answers; nil if it was not asked.
	awaitVerdicts query.Await[*query.Verdicts]
	awaitScores   query.Await[*query.Scores]

	// How long PreFilter and PreScore have taken.
	spent time.Duration
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
// snapshot, which does not change during a cycle. Filters run concurrently and may be cancelled; this must not be. The
// reason is empty if one is recorded, or if the state is only compared.
func (c *cycle) original(ctx context.Context, reason query.Reason) (fwk.CycleState, *fwk.Status) {
	c.originalOnce.Do(func() {
		if reason != "" {
			c.reason = reason
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

// originalVerdict lets the original judge a node, and keeps the verdict if it is compared.
func (c *cycle) originalVerdict(ctx context.Context, node fwk.NodeInfo) *fwk.Status {
	base, status := c.original(ctx, "")
	if base == nil {
		status = statusWithoutState(status)
	} else {
		status = c.plugin.original.Filter(ctx, base, c.pod, node)
	}
	if c.comparison != nil {
		c.comparison.Verdict(node.Node(), status)
	}
	return status
}

// measure is deferred by PreFilter and PreScore. The other calls only look something up.
func (c *cycle) measure(began time.Time) { c.spent += time.Since(began) }

// observe counts the cycle, and records its duration.
func (c *cycle) observe() {
	source := sourceEvenkeel
	switch {
	case c.reason != "":
		source = sourceOriginal
	case c.verdicts == nil && c.scores == nil:
		// The pod has no constraints, or no node was left to be scored.
		return
	}
	cycles.WithLabelValues(c.plugin.profile, source, string(c.reason)).Inc()
	// An audited cycle takes longer than others.
	if c.comparison == nil || c.plugin.shadow {
		cycleDuration.WithLabelValues(c.plugin.profile, source).Observe(c.spent.Seconds())
	}
}

// compare reports whether Evenkeel's answers are equal to the original's. In shadow mode, it first waits for
// Evenkeel's.
func (c *cycle) compare(ctx context.Context) {
	wait := c.plugin.minWait
	if c.awaitVerdicts != nil {
		c.verdicts, _ = c.awaitVerdicts(ctx, wait)
	}
	if c.awaitScores != nil {
		c.scores, _ = c.awaitScores(ctx, wait)
	}
	c.plugin.auditor.Compare(ctx, audit.Answers{Pod: c.pod, Owners: c.owners, Verdicts: c.verdicts, Scores: c.scores}, c.comparison)
}
