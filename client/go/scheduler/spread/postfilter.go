package spread

import (
	"context"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// retryMessage follows the reasons why no node takes the pod.
const retryMessage = "Evenkeel's state is newer than the scheduler's snapshot; retrying with PodTopologySpread"

// PostFilter runs before preemption for a pod that no node takes. Evenkeel may have received an event before the
// scheduler. Its verdicts then belong to a later state than those of the other plugins. Together they may reject a
// pod that has a node in either state, and let preemption evict others for it. They may also leave this plugin out of
// those that reject the pod, so that no queueing hint retries it when the scheduler receives the event. If the
// original's verdict on a node is different, the pod is therefore retried, and the original alone evaluates it.
func (p *Plugin) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	s, status := readState(state)
	if status != nil || s.verdicts == nil {
		// An earlier plugin has ended the cycle, or all verdicts are the original's.
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	defer s.startTimer()()
	if !p.isAhead(ctx, s.cycle, statuses) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	p.scheduler.aheadPods.add(pod.UID)
	p.handle.Activate(klog.FromContext(ctx), map[string]*v1.Pod{klog.KObj(pod).String(): pod})
	// Keeps later plugins, such as preemption, from running.
	return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, retryMessage)
}

// explicitStatuses are those that filters and extenders have given to nodes.
type explicitStatuses interface {
	ForEachExplicitNode(do func(name string, status *fwk.Status))
}

var _ explicitStatuses = &framework.NodeToStatus{}

// isAhead returns true if Evenkeel and the original differ on a node that neither an earlier plugin nor a PreFilter
// has rejected. Evenkeel's verdicts on other nodes do not matter.
func (p *Plugin) isAhead(ctx context.Context, c *cycle, statuses fwk.NodeToStatusReader) bool {
	explicit, ok := statuses.(explicitStatuses)
	if !ok {
		return false
	}
	earlier := p.earlierFilters()
	var reached []string
	explicit.ForEachExplicitNode(func(name string, status *fwk.Status) {
		if !earlier.Has(status.Plugin()) {
			reached = append(reached, name)
		}
	})
	if len(reached) == 0 {
		return false
	}
	base, status := c.original(ctx, refusalChecked)
	if base == nil && !status.IsSkip() {
		return false
	}
	noneInForce := c.verdicts.HardCount() == 0
	var differs atomic.Bool
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.handle.Parallelizer().Until(ctx, len(reached), func(i int) {
		node, err := p.handle.SnapshotSharedLister().NodeInfos().Get(reached[i])
		if err != nil {
			return
		}
		code, known := c.verdicts.For(node.Node())
		if !known {
			return
		}
		var evenkeel, original *fwk.Status
		if !noneInForce {
			evenkeel = statusOf(code)
		}
		if base != nil {
			original = p.original.Filter(ctx, base, c.pod, node)
		}
		if evenkeel.Code() != original.Code() {
			differs.Store(true)
			cancel()
		}
	}, Name)
	return differs.Load()
}

// earlierFilters are the plugins that filter a node before this one.
func (p *Plugin) earlierFilters() sets.Set[string] {
	before := sets.New[string]()
	if profile, ok := p.handle.(framework.Framework); ok {
		filters := profile.ListPlugins().Filter.Enabled
		for _, plugin := range filters[:max(0, indexOf(filters, Name))] {
			before.Insert(plugin.Name)
		}
	}
	return before
}

// maxAheadPods exceeds the number of pods that a scheduler tries before it retries the first of them, except in huge
// backlogs.
const maxAheadPods = 10_000

// aheadPods are pods that were rejected while Evenkeel was ahead. The original evaluates each of them once. If there
// are too many, some are dropped. Safe for concurrent use.
type aheadPods struct {
	mutex sync.Mutex
	uids  sets.Set[types.UID]
}

func (o *aheadPods) add(uid types.UID) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(o.uids) >= maxAheadPods {
		o.uids.PopAny()
	}
	o.uids.Insert(uid)
}

// take removes a pod, and returns true if it was there.
func (o *aheadPods) take(uid types.UID) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	there := o.uids.Has(uid)
	o.uids.Delete(uid)
	return there
}
