package spread

import (
	"context"
	"reflect"
	"sync"

	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/query"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// scheduler is shared by the plugins of its profiles, because they share its snapshot and its scheduling goroutine.
type scheduler struct {
	mutex sync.Mutex
	// By address.
	servers map[string]sharedServer
	// How long the original takes for PreFilter and for PreScore, which both count pods.
	preFilterTime, preScoreTime typicalTime

	// The following are used only by the scheduling goroutine.
	// The cycle that is not finished yet.
	last *cycle
	// How many cycles there were since one was audited.
	sinceAudit int
}

// sharedServer is an Evenkeel, with the arguments of the first profile that uses it.
type sharedServer struct {
	*query.Server
	args *config.EvenkeelTopologySpreadArgs
}

// server returns the server of these arguments. The first profile with its address creates it.
func (s *scheduler) server(ctx context.Context, args *config.EvenkeelTopologySpreadArgs, handle fwk.Handle) (*query.Server, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if known, is := s.servers[args.Server]; is {
		if !reflect.DeepEqual(known.args.TLS, args.TLS) || known.args.TokenFile != args.TokenFile {
			return nil, field.Invalid(field.NewPath("server"), args.Server, "all profiles with this server must have the same tls and tokenFile")
		}
		return known.Server, nil
	}
	created, err := query.NewServer(ctx, args, failureChanged(klog.FromContext(ctx), handle.EventRecorder(), args.Server))
	if err != nil {
		return nil, err
	}
	go created.Run(func(open bool) {
		connected.WithLabelValues(args.Server).Set(map[bool]float64{true: 1}[open])
	})
	s.servers[args.Server] = sharedServer{Server: created, args: args}
	return created, nil
}

// finishLastCycle is called when the next cycle begins, because the framework does not report the end of a cycle.
// What Evenkeel was last sent is still that cycle's snapshot.
func (s *scheduler) finishLastCycle(ctx context.Context) {
	if last := s.last; last != nil {
		s.last = nil
		last.observe()
		if last.comparison != nil {
			last.compare(ctx)
		}
	}
}

// isAudited returns true once in that many cycles.
func (s *scheduler) isAudited(every int) bool {
	s.sinceAudit++
	audited := every != 0 && s.sinceAudit >= every
	if audited {
		s.sinceAudit = 0
	}
	return audited
}
