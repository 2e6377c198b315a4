package spread

import (
	"context"
	"sync"
	"time"

	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/query"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// scheduler is shared by the plugins of its profiles, because they share its snapshot and its scheduling goroutine.
type scheduler struct {
	mutex   sync.Mutex
	servers map[serverKey]*query.Server
	// How long the original takes for PreFilter and for PreScore, which both count pods.
	preFilterTime, preScoreTime typicalTime
	// How long an answer is awaited at least.
	minTimeout time.Duration
}

// serverKey identifies an Evenkeel.
type serverKey struct {
	server    string
	tls       config.TLS
	tokenFile string
}

// server returns the server of these arguments. The first profile with them creates it.
func (s *scheduler) server(ctx context.Context, args *config.EvenkeelTopologySpreadArgs, handle fwk.Handle) (*query.Server, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	key := serverKey{server: args.Server, tokenFile: args.TokenFile}
	if args.TLS != nil {
		key.tls = *args.TLS
	}
	if known := s.servers[key]; known != nil {
		return known, nil
	}
	created, err := query.NewServer(args, failureChanged(klog.FromContext(ctx), handle.EventRecorder(), args.Server))
	if err != nil {
		return nil, err
	}
	go created.Run(ctx, connectionChanged(args.Server))
	s.servers[key] = created
	return created, nil
}
