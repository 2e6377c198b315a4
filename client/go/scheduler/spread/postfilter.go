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

// triedAgain is said after the reasons why no node takes the pod.
const retryMessage = "Evenkeel has heard of changes before the scheduler: the pod is tried again"

// PostFilter looks at a pod that no node takes, before preemption does. Evenkeel may have heard of an event before the
// scheduler. Then its verdicts are of one moment, and those of the other plugins of an earlier one. Together they may
// refuse a pod that has a node at each of the two moments, and let preemption evict others for it. They may also leave
// out this plugin among those that refuse the pod, so that no hint tries it again when the scheduler hears of the event.
// So where the original says otherwise of a node, such a pod is tried again, and the original judges it then.
func (p *Plugin) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, statuses fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	s, status := readState(state)
	if status != nil || s.verdicts == nil {
		// Another plugin has ended the cycle before this one, or all verdicts are the original's.
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	defer s.startTimer()()
	if !p.isAhead(ctx, s.cycle, statuses) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	p.scheduler.aheadPods.add(pod.UID)
	p.handle.Activate(klog.FromContext(ctx), map[string]*v1.Pod{klog.KObj(pod).String(): pod})
	// No other plugin is to look at the pod.
	return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, retryMessage)
}

// statuses are those that filters, and extenders, have given to nodes.
type explicitStatuses interface {
	ForEachExplicitNode(do func(name string, status *fwk.Status))
}

var _ explicitStatuses = &framework.NodeToStatus{}

// isAhead says whether Evenkeel and the original differ on a node that neither a plugin before this one has refused, nor a
// PreFilter. On other nodes Evenkeel's verdict counts for nothing.
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

// filtersBefore are the plugins that judge a node before this one does.
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

// mostOutpaced is more than the pods that a scheduler tries before it tries the first of them again, in all but the largest
// backlogs.
const maxAheadPods = 10_000

// outpaced are pods of which Evenkeel was ahead when they were refused. The original judges each of them once. Where there
// are too many, it does not judge some. Safe for use by several goroutines.
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

// take says whether the pod was there. It is not any more.
func (o *aheadPods) take(uid types.UID) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	there := o.uids.Has(uid)
	o.uids.Delete(uid)
	return there
}
