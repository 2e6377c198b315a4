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
const triedAgain = "Evenkeel has heard of changes before the scheduler: the pod is tried again"

// PostFilter looks at a pod that no node takes, before preemption does. Evenkeel may have heard of an event before the
// scheduler. Then its verdicts are of one moment, and those of the other plugins of an earlier one. Together they may
// refuse a pod that has a node at each of the two moments, and let preemption evict others for it. They may also leave
// out this plugin among those that refuse the pod, so that no hint tries it again when the scheduler hears of the event.
// So where the original says otherwise of a node, such a pod is tried again, and the original judges it then.
func (p *Plugin) PostFilter(ctx context.Context, state fwk.CycleState, pod *v1.Pod, refused fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	s, status := read(state)
	if status != nil || s.verdicts == nil {
		// Another plugin has ended the cycle before this one, or all verdicts are the original's.
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	defer s.timing()()
	if !p.isAhead(ctx, s.cycle, refused) {
		return nil, fwk.NewStatus(fwk.Unschedulable)
	}
	p.scheduler.outpaced.add(pod.UID)
	p.handle.Activate(klog.FromContext(ctx), map[string]*v1.Pod{klog.KObj(pod).String(): pod})
	// No other plugin is to look at the pod.
	return nil, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, triedAgain)
}

// statuses are those that filters, and extenders, have given to nodes.
type statuses interface {
	ForEachExplicitNode(do func(name string, status *fwk.Status))
}

var _ statuses = &framework.NodeToStatus{}

// isAhead says whether Evenkeel and the original differ on a node that neither a plugin before this one has refused, nor a
// PreFilter. On other nodes Evenkeel's verdict counts for nothing.
func (p *Plugin) isAhead(ctx context.Context, c *cycle, refused fwk.NodeToStatusReader) bool {
	explicit, ok := refused.(statuses)
	if !ok {
		return false
	}
	before := p.filtersBefore()
	var reached []string
	explicit.ForEachExplicitNode(func(name string, status *fwk.Status) {
		if !before.Has(status.Plugin()) {
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
	noneInForce := c.verdicts.Hard() == 0
	var differs atomic.Bool
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.handle.Parallelizer().Until(ctx, len(reached), func(i int) {
		node, err := p.handle.SnapshotSharedLister().NodeInfos().Get(reached[i])
		if err != nil {
			return
		}
		code, known := c.verdicts.Of(node.Node())
		if !known {
			return
		}
		var evenkeels, originals *fwk.Status
		if !noneInForce {
			evenkeels = statusOf(code)
		}
		if base != nil {
			originals = p.original.Filter(ctx, base, c.pod, node)
		}
		if evenkeels.Code() != originals.Code() {
			differs.Store(true)
			cancel()
		}
	}, Name)
	return differs.Load()
}

// filtersBefore are the plugins that judge a node before this one does.
func (p *Plugin) filtersBefore() sets.Set[string] {
	before := sets.New[string]()
	if profile, ok := p.handle.(framework.Framework); ok {
		filters := profile.ListPlugins().Filter.Enabled
		for _, plugin := range filters[:max(0, at(filters, Name))] {
			before.Insert(plugin.Name)
		}
	}
	return before
}

// mostOutpaced is more than the pods that a scheduler tries before it tries the first of them again, in all but the largest
// backlogs.
const mostOutpaced = 10_000

// outpaced are pods of which Evenkeel was ahead when they were refused. The original judges each of them once. Where there
// are too many, it does not judge some. Safe for use by several goroutines.
type outpaced struct {
	mutex sync.Mutex
	uids  sets.Set[types.UID]
}

func (o *outpaced) add(uid types.UID) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if len(o.uids) >= mostOutpaced {
		o.uids.PopAny()
	}
	o.uids.Insert(uid)
}

// take says whether the pod was there. It is not any more.
func (o *outpaced) take(uid types.UID) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	there := o.uids.Has(uid)
	o.uids.Delete(uid)
	return there
}
