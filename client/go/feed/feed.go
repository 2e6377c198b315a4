// Package feed feeds an Evenkeel server from the client-go informers of a program.
//
//	factory := informers.NewSharedInformerFactory(clientset, 0)
//	clusterFeed, err := feed.New(evenkeelv1.NewClusterStateClient(connection), feed.Of(factory), feed.Options{Feeder: "my-scheduler"})
//	if err != nil { … }
//	factory.Start(ctx.Done())
//	err = clusterFeed.Run(ctx) // until the context ends
//
// The feed sends a snapshot of each kind from the informer's store, and then the events of its watch in order. The
// server therefore always knows the resource versions of its state, and queries can demand them. When an informer
// relists, it reports the differences in no order: the feed detects this and sends a new snapshot of that kind. It
// does the same if a slow server leaves more than Options.MaxWaiting events waiting. The memory of a feed is bounded
// by that option and by the number of objects, not by the speed of the server.
//
// When a stream ends, the feed opens another one with new snapshots, because a restarted server has lost everything.
// Objects that the server already has change nothing there.
//
// A feed serves one server. To feed several replicas, run a feed with a separate connection for each. They can share
// the informers. Only one program may feed a server at a time: run the feed in the program that is the leader.
//
// The server uses few fields of an object. A transform of the informers that drops unused fields, such as managed
// fields, saves memory and traffic. It must keep names, UIDs and resource versions.
package feed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"k8s.io/client-go/features"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

const maxFeederLength = 253

// Options of a feed. Only Feeder is required.
type Options struct {
	// Feeder identifies this program to the server. A program keeps its name when it restarts; programs that run at
	// the same time need different names. At most 253 characters.
	Feeder string

	// Takeover takes over from another feeder instead of waiting until it ends. An operator should decide this: it
	// applies until the feed has started, and never to later streams.
	Takeover bool

	// MaxWaiting is how many events of a kind may wait for the server. Further events are dropped, and a snapshot of
	// the kind is sent once the server catches up. 0 means 10,000.
	MaxWaiting int

	// AcknowledgeTimeout is how long a server may acknowledge nothing before the feed opens a new stream. 0 means one
	// minute.
	AcknowledgeTimeout time.Duration

	Hooks Hooks
}

// Hooks report what a feed does, for metrics. Each may be nil. The feed's goroutines call them, so they must not
// block.
type Hooks struct {
	// Began is called when a server has accepted this feeder. The instance changes when the server restarts.
	Began func(instance string)

	// Snapshot is called when the server has acknowledged a snapshot of a kind.
	Snapshot func(kind evenkeelv1.ObjectKind, cause Cause, objects int)

	// Acknowledged is called for each message that the server has acknowledged. The kind is unspecified if a message
	// concerns several.
	Acknowledged func(kind evenkeelv1.ObjectKind, response *evenkeelv1.SyncResponse, took time.Duration)

	// Refused is called for each object that the server has refused. The server keeps all others.
	Refused func(kind evenkeelv1.ObjectKind, refusal *evenkeelv1.Refusal)

	// Ended is called when a stream has ended. The next stream starts after the given time.
	Ended func(err error, next time.Duration)
}

// Cause says why a snapshot of a kind was sent.
type Cause string

const (
	// CauseStream means that a stream starts.
	CauseStream Cause = "stream"
	// CauseRelist means that the informer has relisted, or may have.
	CauseRelist Cause = "relist"
	// CauseSlow means that too many events were waiting for the server.
	CauseSlow Cause = "slow"
)

// Feed feeds one server. Create it with New.
type Feed struct {
	state   evenkeelv1.ClusterStateClient
	kinds   []*kind
	options Options
	timing  timing
	running atomic.Bool
}

// timing has the intervals of a feed.
type timing struct {
	// minBackoff and maxBackoff bound the time between two streams.
	minBackoff, maxBackoff time.Duration
	// pollInterval is how often stores are checked for bookmarks, and unacknowledged messages for their age.
	pollInterval time.Duration
}

// New creates a feed from these informers to the server. It fails if the options are invalid, if there is no
// informer, or if client-go's feature gate AtomicFIFO is off, because a store then does not report its version.
func New(state evenkeelv1.ClusterStateClient, informers Informers, options Options) (*Feed, error) {
	if options.Feeder == "" || len([]rune(options.Feeder)) > maxFeederLength {
		return nil, fmt.Errorf("Options.Feeder must have 1 to %d characters, was %q", maxFeederLength, options.Feeder)
	}
	if options.MaxWaiting < 0 || options.AcknowledgeTimeout < 0 {
		return nil, errors.New("Options.MaxWaiting and Options.AcknowledgeTimeout must not be negative")
	}
	if !features.FeatureGates().Enabled(features.AtomicFIFO) {
		return nil, errors.New("client-go's feature gate AtomicFIFO must be enabled: it is unless KUBE_FEATURE_AtomicFIFO disables it")
	}
	if options.MaxWaiting == 0 {
		options.MaxWaiting = 10_000
	}
	if options.AcknowledgeTimeout == 0 {
		options.AcknowledgeTimeout = time.Minute
	}
	kinds := informers.kinds()
	if len(kinds) == 0 {
		return nil, errors.New("Informers must name at least one informer, as feed.Of does")
	}
	return &Feed{
		state:   state,
		kinds:   kinds,
		options: options,
		timing:  timing{minBackoff: time.Second, maxBackoff: 30 * time.Second, pollInterval: 5 * time.Second},
	}, nil
}

// Run feeds until the context ends, and then returns nil. It waits for the informers to sync. It returns an error
// only if an informer has stopped or holds objects of the wrong type. It retries all errors of the server. It logs to
// the logger of the context.
func (f *Feed) Run(ctx context.Context) error {
	if !f.running.CompareAndSwap(false, true) {
		return errors.New("the feed is already running")
	}
	defer f.running.Store(false)
	for _, kind := range f.kinds {
		err := awaitDone(ctx, kind.informer.HasSyncedChecker(), kind.checkRunning)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
	log := klog.FromContext(ctx).WithName("evenkeel-feed")
	takeover := f.options.Takeover
	for backoff := f.timing.minBackoff; ; backoff = min(2*backoff, f.timing.maxBackoff) {
		stream := newStream(f, log)
		err := stream.run(ctx, takeover)
		if ctx.Err() != nil {
			return nil
		}
		if unfit := (*informerError)(nil); errors.As(err, &unfit) {
			return err
		}
		if stream.isAccepted() || reason(err) == evenkeelv1.ErrorReason_ERROR_REASON_FEED_TAKEN_OVER {
			// Two feeders that keep taking over from each other would never end.
			takeover = false
		}
		if stream.isComplete() {
			backoff = f.timing.minBackoff
		}
		next := backoff/2 + rand.N(backoff/2)
		log.Info("Stream to the server ended; retrying", "reason", reason(err), "err", err, "next", next)
		if f.options.Hooks.Ended != nil {
			f.options.Hooks.Ended(err, next)
		}
		select {
		case <-time.After(next):
		case <-ctx.Done():
			return nil
		}
	}
}

// reason returns why a call failed, or unspecified if the server did not say.
func reason(err error) evenkeelv1.ErrorReason {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.Domain == "evenkeel.io" {
			return evenkeelv1.ErrorReason(evenkeelv1.ErrorReason_value[info.Reason])
		}
	}
	return evenkeelv1.ErrorReason_ERROR_REASON_UNSPECIFIED
}

// informerError is an error that the feed cannot recover from.
type informerError struct {
	kind *kind
	what string
}

func (e *informerError) Error() string { return "the informer of " + e.kind.name() + " " + e.what }

// Waiting is how many events of each kind wait for the server.
func (f *Feed) Waiting() map[evenkeelv1.ObjectKind]int {
	waiting := make(map[evenkeelv1.ObjectKind]int, len(f.kinds))
	for _, kind := range f.kinds {
		waiting[kind.number] = 0
		if subscription := kind.subscription.Load(); subscription != nil {
			waiting[kind.number] = subscription.waiting()
		}
	}
	return waiting
}

// Informers of the kinds that the server uses. A server answers once each kind but PodDisruptionBudgets, which only
// removals, preemption and rebalancing need, has been fed. Omit the kinds that another feeder feeds, and PodDisruptionBudgets if the program
// may not watch them.
type Informers struct {
	Nodes                  cache.SharedInformer
	Pods                   cache.SharedInformer
	Services               cache.SharedInformer
	ReplicationControllers cache.SharedInformer
	ReplicaSets            cache.SharedInformer
	StatefulSets           cache.SharedInformer
	PodDisruptionBudgets   cache.SharedInformer
}

func (i Informers) kinds() []*kind {
	kinds := []*kind{
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_NODE, informer: i.Nodes, cast: asNode},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_SERVICE, informer: i.Services, cast: asService},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_REPLICATION_CONTROLLER, informer: i.ReplicationControllers, cast: asReplicationController},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_REPLICA_SET, informer: i.ReplicaSets, cast: asReplicaSet},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET, informer: i.StatefulSets, cast: asStatefulSet},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_POD_DISRUPTION_BUDGET, informer: i.PodDisruptionBudgets, cast: asPodDisruptionBudget},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_POD, informer: i.Pods, cast: asPod},
	}
	return slices.DeleteFunc(kinds, func(kind *kind) bool { return kind.informer == nil })
}
