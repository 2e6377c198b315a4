// Package resourceversion tracks the resource versions of the scheduler's informers, so that a query
// can demand a state that is at least as new.
package resourceversion

import (
	"fmt"
	"strconv"
	"sync/atomic"

	"evenkeel.io/client/go/evenkeelv1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Tracker holds, for each kind, the version of the informer's store after its last change. The store announces each
// change to an indexer while it holds its lock, and sets its version before it releases the lock. So a query that is
// caused by a change, for example a deletion, demands a version that includes it. Lists change the version like events.
// Bookmarks do so without a change of the store, and are not demanded, because nothing acts on them.
type Tracker struct {
	kinds [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]kindTracker
}

// kindTracker tracks the version of one kind.
type kindTracker struct {
	// nil if the kind is not watched.
	store cache.Indexer
	// How many changes the store has announced, and how many of these the version includes.
	changes, included atomic.Int64
	// 0 if there was no change.
	version atomic.Int64
	// Whether a goroutine is about to read the version.
	reading atomic.Bool
}

// Record records the version of an object. Objects without a version, as fake clients create them, are ignored.
func (t *Tracker) Record(kind evenkeelv1.ObjectKind, object any) {
	t.kinds[kind].raiseTo(object)
}

func (k *kindTracker) raiseTo(object any) {
	if accessor, err := meta.Accessor(object); err == nil {
		k.raise(accessor.GetResourceVersion())
	}
}

func (k *kindTracker) raise(to string) {
	version, err := strconv.ParseInt(to, 10, 64)
	if err != nil {
		return
	}
	for known := k.version.Load(); version > known; known = k.version.Load() {
		if k.version.CompareAndSwap(known, version) {
			return
		}
	}
}

// Latest is the version of a kind after its last change, or 0 if there was none.
func (t *Tracker) Latest(kind evenkeelv1.ObjectKind) int64 { return t.kinds[kind].latest() }

func (k *kindTracker) latest() int64 {
	if changes := k.changes.Load(); changes != k.included.Load() {
		// Waits until the store releases its lock.
		k.raise(k.store.LastStoreSyncResourceVersion())
		k.included.Store(changes)
	}
	return k.version.Load()
}

// Demand is what a query must demand to be answered from a state that is at least as new as the scheduler's. Pod
// owners matter only to default constraints.
func (t *Tracker) Demand(owners bool) []*evenkeelv1.KindVersion {
	var demand []*evenkeelv1.KindVersion
	for i := range t.kinds {
		kind := evenkeelv1.ObjectKind(i)
		if kind > evenkeelv1.ObjectKind_OBJECT_KIND_POD && !owners {
			break
		}
		if version := t.Latest(kind); version > 0 {
			demand = append(demand, &evenkeelv1.KindVersion{Kind: kind, ResourceVersion: strconv.FormatInt(version, 10)})
		}
	}
	return demand
}

// Watch tracks the informers of a scheduler's factory. It must be called before the factory starts, once or more.
// Informers of pod owners are created only if owners is set, because a scheduler without default constraints has
// none.
func (t *Tracker) Watch(factory informers.SharedInformerFactory, owners bool) error {
	if !features.FeatureGates().Enabled(features.AtomicFIFO) {
		return fmt.Errorf("client-go's feature gate %s must be enabled: informers have no versions without it", features.AtomicFIFO)
	}
	informers := map[evenkeelv1.ObjectKind]cache.SharedIndexInformer{
		evenkeelv1.ObjectKind_OBJECT_KIND_NODE: factory.Core().V1().Nodes().Informer(),
		evenkeelv1.ObjectKind_OBJECT_KIND_POD:  factory.Core().V1().Pods().Informer(),
	}
	if owners {
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_SERVICE] = factory.Core().V1().Services().Informer()
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_REPLICATION_CONTROLLER] = factory.Core().V1().ReplicationControllers().Informer()
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_REPLICA_SET] = factory.Apps().V1().ReplicaSets().Informer()
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET] = factory.Apps().V1().StatefulSets().Informer()
	}
	for kind, informer := range informers {
		if err := t.kinds[kind].watch(informer); err != nil {
			return err
		}
	}
	return nil
}

func (k *kindTracker) watch(informer cache.SharedIndexInformer) error {
	if k.store != nil {
		return nil
	}
	k.store = informer.GetIndexer()
	if err := informer.AddIndexers(cache.Indexers{"evenkeel.io/versions": k.onChange}); err != nil {
		return err
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.onDelete})
	return err
}

// onChange is called for each object that enters or leaves the store, and returns no index values. The store holds
// its lock meanwhile, so the version must be read later.
func (k *kindTracker) onChange(object any) ([]string, error) {
	k.raiseTo(object)
	k.changes.Add(1)
	if k.reading.CompareAndSwap(false, true) {
		go k.readSoon()
	}
	return nil, nil
}

// readSoon does not wait for a query, because the version of a bookmark replaces that of the change.
func (k *kindTracker) readSoon() {
	for k.changes.Load() != k.included.Load() {
		k.latest()
	}
	k.reading.Store(false)
}

// onDelete handles an object that was missing from a list, which may be empty and announce no change.
func (k *kindTracker) onDelete(object any) {
	if _, listed := object.(cache.DeletedFinalStateUnknown); listed {
		k.raise(k.store.LastStoreSyncResourceVersion())
	}
}
