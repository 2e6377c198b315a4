// Package feed tells an Evenkeel server of a cluster, from the client-go informers that a program has already.
//
//	factory := informers.NewSharedInformerFactory(clientset, 0)
//	clusterFeed, err := feed.New(evenkeelv1.NewClusterStateClient(connection), feed.Of(factory), feed.Options{Feeder: "my-scheduler"})
//	if err != nil { … }
//	factory.Start(ctx.Done())
//	err = clusterFeed.Run(ctx) // until the context ends
//
// The feed sends a snapshot of each kind, as the informer's store holds it, then the events of its watch in their order.
// So the server knows at any time which resource versions its state is of, and answers can demand them. An informer that
// lists anew gives differences in no order: the feed notices it, and sends a snapshot of that kind. It does the same
// where a slow server has left more events waiting than Options.MostWaiting. The memory that a feed takes is bounded by
// that and by the number of objects, not by the speed of the server.
//
// A stream that ends is begun anew after a while, with snapshots: a server that was started again has lost everything.
// Objects that the server knows already change nothing there.
//
// A feed serves one server. To feed several replicas, run a feed for each, with a connection of its own: they can share
// the informers. Of several programs that could feed the same server, one does: run the feed where the program leads.
//
// The server needs little of an object. A transform of the informers that drops what the program does not need, such as
// managed fields, saves memory and traffic; it must leave names, UIDs and resource versions alone.
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

// Options of a feed. Only Feeder must be set.
type Options struct {
	// Feeder names this program to the server. One that begins anew keeps its name; two that run at the same time need
	// different names. At most 253 characters.
	Feeder string

	// Takeover takes the cluster over from another feeder, instead of waiting until that one has ended. It is for a
	// person's decision: it holds until the feed has begun, and never for the streams after that.
	Takeover bool

	// MostWaiting is how many events of a kind may wait for the server. Beyond that they are dropped, and the kind is
	// sent as a whole once the server takes more. 0: 10,000.
	MaxWaiting int

	// AcknowledgedWithin is how long a server may leave everything unacknowledged before the feed begins anew. 0: one
	// minute.
	AcknowledgeTimeout time.Duration

	Hooks Hooks
}

// Hooks tell what a feed does, for metrics. Each may be nil. They are called in the feed's goroutines, so they must not
// block.
type Hooks struct {
	// Began is called when a server has accepted this feeder. The instance is another one where the server was started
	// again.
	Began func(instance string)

	// Snapshot is called when the server has taken a snapshot of a kind.
	Snapshot func(kind evenkeelv1.ObjectKind, cause Cause, objects int)

	// Acknowledged is called for each message that the server has taken. The kind is unspecified for a message that is
	// about several.
	Acknowledged func(kind evenkeelv1.ObjectKind, response *evenkeelv1.SyncResponse, took time.Duration)

	// Refused is called for each object that the server has refused. It holds all others.
	Refused func(kind evenkeelv1.ObjectKind, refusal *evenkeelv1.Refusal)

	// Ended is called when a stream has ended, and says after what time the next one begins.
	Ended func(err error, next time.Duration)
}

// Cause says why a snapshot of a kind was sent.
type Cause string

const (
	// CauseStream is that a stream begins.
	CauseStream Cause = "stream"
	// CauseRelist is that the informer has listed anew, or may have.
	CauseRelist Cause = "relist"
	// CauseSlow is that too many events waited for the server.
	CauseSlow Cause = "slow"
)

// Feed feeds one server. Make it by New.
type Feed struct {
	state   evenkeelv1.ClusterStateClient
	kinds   []*kind
	options Options
	timing  timing
	running atomic.Bool
}

// pace has the times of a feed.
type timing struct {
	// shortest and longest bound the time between two streams.
	minBackoff, maxBackoff time.Duration
	// look is how often stores are looked at for bookmarks, and unread acknowledgements for their age.
	pollInterval time.Duration
}

// New makes a feed from these informers to the server. It fails where the options are wrong, where there is no informer,
// and where client-go's feature gate AtomicFIFO is off: without it a store does not tell which version it holds.
func New(state evenkeelv1.ClusterStateClient, informers Informers, options Options) (*Feed, error) {
	if options.Feeder == "" || len([]rune(options.Feeder)) > maxFeederLength {
		return nil, fmt.Errorf("Options.Feeder must have 1 to %d characters, was %q", maxFeederLength, options.Feeder)
	}
	if options.MaxWaiting < 0 || options.AcknowledgeTimeout < 0 {
		return nil, errors.New("Options.MostWaiting and Options.AcknowledgedWithin must not be negative")
	}
	if !features.FeatureGates().Enabled(features.AtomicFIFO) {
		return nil, errors.New("client-go's feature gate AtomicFIFO must be on, as it is unless KUBE_FEATURE_AtomicFIFO says otherwise")
	}
	if options.MaxWaiting == 0 {
		options.MaxWaiting = 10_000
	}
	if options.AcknowledgeTimeout == 0 {
		options.AcknowledgeTimeout = time.Minute
	}
	kinds := informers.kinds()
	if len(kinds) == 0 {
		return nil, errors.New("Informers must have one at least")
	}
	return &Feed{
		state:   state,
		kinds:   kinds,
		options: options,
		timing:  timing{minBackoff: time.Second, maxBackoff: 30 * time.Second, pollInterval: 5 * time.Second},
	}, nil
}

// Run feeds until the context ends, and then returns nil. It waits for informers that have not synced. It returns an
// error only where an informer has stopped, or holds objects of another type than its kind's: whatever a server answers,
// it tries again. What it does is logged to the logger of the context.
func (f *Feed) Run(ctx context.Context) error {
	if !f.running.CompareAndSwap(false, true) {
		return errors.New("the feed runs already")
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
			// Two that took over from each other would never end.
			takeover = false
		}
		if stream.isComplete() {
			backoff = f.timing.minBackoff
		}
		next := backoff/2 + rand.N(backoff/2)
		log.Info("The stream to the server has ended", "reason", reason(err), "err", err, "next", next)
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

// reason says why a call failed; unspecified where the server did not say.
func reason(err error) evenkeelv1.ErrorReason {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.Domain == "evenkeel.io" {
			return evenkeelv1.ErrorReason(evenkeelv1.ErrorReason_value[info.Reason])
		}
	}
	return evenkeelv1.ErrorReason_ERROR_REASON_UNSPECIFIED
}

// unfitError is what a feed cannot mend.
type informerError struct {
	kind *kind
	what string
}

func (e *informerError) Error() string { return "the informer of " + e.kind.name() + " " + e.what }

// Waiting is how many events of each kind wait for the server to take them.
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

// Informers of the kinds that the server judges by. A server answers once each kind was fed by someone: leave out only
// what another feeder feeds.
type Informers struct {
	Nodes                  cache.SharedInformer
	Pods                   cache.SharedInformer
	Services               cache.SharedInformer
	ReplicationControllers cache.SharedInformer
	ReplicaSets            cache.SharedInformer
	StatefulSets           cache.SharedInformer
}

func (i Informers) kinds() []*kind {
	kinds := []*kind{
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_NODE, informer: i.Nodes, cast: asNode},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_SERVICE, informer: i.Services, cast: asService},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_REPLICATION_CONTROLLER, informer: i.ReplicationControllers, cast: asReplicationController},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_REPLICA_SET, informer: i.ReplicaSets, cast: asReplicaSet},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET, informer: i.StatefulSets, cast: asStatefulSet},
		{number: evenkeelv1.ObjectKind_OBJECT_KIND_POD, informer: i.Pods, cast: asPod},
	}
	return slices.DeleteFunc(kinds, func(kind *kind) bool { return kind.informer == nil })
}
