package spread

import (
	"context"
	"sync"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/query"
	"evenkeel.io/client/go/scheduler/resourceversion"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// scheduler is shared by the plugins of its profiles. All profiles are created before the first pod is scheduled.
type scheduler struct {
	factory          informers.SharedInformerFactory
	resourceVersions *resourceversion.Tracker
	profiles         map[string]bool
	links            map[linkKey]*query.Link
	clients          map[clientKey]*query.Client
	firstCycle       sync.Once
	aheadPods        aheadPods
}

// linkKey identifies an Evenkeel.
type linkKey struct {
	server    string
	tls       config.TLS
	tokenFile string
}

// clientKey identifies an Evenkeel and how it is queried.
type clientKey struct {
	link     linkKey
	deadline string
	mode     config.Mode
}

func newScheduler(factory informers.SharedInformerFactory) *scheduler {
	return &scheduler{
		factory: factory, resourceVersions: &resourceversion.Tracker{}, profiles: map[string]bool{},
		links: map[linkKey]*query.Link{}, clients: map[clientKey]*query.Client{},
		aheadPods: aheadPods{uids: sets.Set[types.UID]{}},
	}
}

// client returns the client for the arguments. The first profile with these arguments creates it.
func (s *scheduler) client(ctx context.Context, args *config.EvenkeelTopologySpreadArgs, handle fwk.Handle, owners bool) (*query.Client, error) {
	s.profiles[handle.ProfileName()] = true
	if err := s.resourceVersions.Watch(s.factory, owners); err != nil {
		return nil, err
	}
	key := clientKey{
		link:     linkKey{server: args.Server, tokenFile: args.TokenFile},
		deadline: args.Deadline.Duration.String(),
		mode:     args.Mode,
	}
	if args.TLS != nil {
		key.link.tls = *args.TLS
	}
	if known := s.clients[key]; known != nil {
		return known, nil
	}
	link, err := s.link(ctx, key.link, args)
	if err != nil {
		return nil, err
	}
	created := query.NewClient(args, link, s.resourceVersions, breakerChanged(klog.FromContext(ctx), handle.EventRecorder(), args.Server))
	go created.Run(ctx)
	s.clients[key] = created
	return created, nil
}

func (s *scheduler) link(ctx context.Context, key linkKey, args *config.EvenkeelTopologySpreadArgs) (*query.Link, error) {
	if known := s.links[key]; known != nil {
		return known, nil
	}
	if len(s.links) == 0 {
		if err := s.watchPods(); err != nil {
			return nil, err
		}
	}
	created, err := query.NewLink(args)
	if err != nil {
		return nil, err
	}
	go created.Run(ctx)
	go created.Watch(ctx, connectionChanged(args.Server))
	s.links[key] = created
	return created, nil
}

// watchPods ends the assumption of pods that the scheduler's watch shows bound or deleted.
func (s *scheduler) watchPods() error {
	bound := func(object any) {
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" {
			for _, link := range s.links {
				link.Assumptions.Bound(string(pod.UID))
			}
		}
	}
	_, err := s.factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    bound,
		UpdateFunc: func(_, object any) { bound(object) },
		DeleteFunc: func(object any) {
			if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = tombstone.Obj
			}
			if pod, ok := object.(*v1.Pod); ok {
				for _, link := range s.links {
					link.Assumptions.Gone(string(pod.UID))
				}
			}
		},
	})
	return err
}

// forgetOrphansOnce is called in each cycle. In the first one it forgets what an earlier scheduler has assumed and
// not bound, because this one does not count it. A standby scheduler must not do so.
func (s *scheduler) forgetOrphansOnce() {
	s.firstCycle.Do(func() {
		var pending []string
		for _, object := range s.factory.Core().V1().Pods().Informer().GetIndexer().List() {
			if pod := object.(*v1.Pod); pod.Spec.NodeName == "" && s.profiles[pod.Spec.SchedulerName] {
				pending = append(pending, string(pod.UID))
			}
		}
		for _, link := range s.links {
			link.Assumptions.ForgetOrphans(pending)
		}
	})
}

// assume makes every Evenkeel count a pod, whichever profile has placed it.
func (s *scheduler) assume(pod *evenkeelv1.Pod, node string) {
	for _, link := range s.links {
		link.Assumptions.Assume(pod, node)
	}
}

func (s *scheduler) forget(uid string) {
	for _, link := range s.links {
		link.Assumptions.Forget(uid)
	}
}
