// Package resourceversion tracks the resource versions that the scheduler's informers have received, so that a query
// can demand a state that is at least as new.
package resourceversion

import (
	"strconv"
	"sync"
	"sync/atomic"

	"evenkeel.io/client/go/evenkeelv1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// Tracker holds, for each kind, the greatest resource version of an object that an informer has received. It is
// recorded before the object is in the informer's store and before any handler is called, so the scheduler never
// knows anything newer. Versions of bookmarks are not recorded, because no object of that version was seen.
//
// Deletions before the first list leave no object behind, and deletions that a broken watch has missed have no known
// version. The tracker therefore records the version of each list of pods and of nodes, and that of a list that shows
// that an owner was deleted. It does not demand other lists of owners: there may be no event about these for a long
// time, and no pod is retried because of them.
type Tracker struct {
	kinds [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]kindTracker
}

// kindTracker tracks the versions of one kind.
type kindTracker struct {
	// The greatest version of an object; 0 if none was seen.
	latest atomic.Int64
	// How many objects arrived out of the order of their versions.
	outOfOrder atomic.Int64
	// The version of the last list that is demanded; 0 if there is none.
	latestList atomic.Int64
	// nil if the kind is not watched.
	store cache.Indexer

	// An object of a list that is about to enter the store; nil if there is none.
	incoming atomic.Pointer[any]
	// How many lists have entered the store, and for how many of these the version is recorded.
	storedLists, recordedLists atomic.Int64
	recordMutex                sync.Mutex
}

// Record records the version of an object. Objects without a version, as fake clients create them, are ignored.
func (t *Tracker) Record(kind evenkeelv1.ObjectKind, object any) { t.kinds[kind].record(object) }

// record returns true if the version is greater than all before.
func (k *kindTracker) record(object any) bool {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return true
	}
	if raise(&k.latest, accessor.GetResourceVersion()) {
		return true
	}
	k.outOfOrder.Add(1)
	return false
}

// raise returns true if the version is greater than all before.
func raise(greatest *atomic.Int64, to string) bool {
	version, err := strconv.ParseInt(to, 10, 64)
	if err != nil {
		return false
	}
	for known := greatest.Load(); version > known; known = greatest.Load() {
		if greatest.CompareAndSwap(known, version) {
			return true
		}
	}
	return false
}

// RelistSigns counts objects that arrived out of the order of their versions. Watches deliver objects in that order;
// lists contain objects that have not changed.
func (t *Tracker) RelistSigns(kind evenkeelv1.ObjectKind) int64 {
	return t.kinds[kind].outOfOrder.Load()
}

// Latest is the greatest version of a kind, or 0 if no object was seen.
func (t *Tracker) Latest(kind evenkeelv1.ObjectKind) int64 { return t.kinds[kind].latest.Load() }

// Demand is what a query must demand to be answered from a state that is at least as new as the scheduler's.
func (t *Tracker) Demand() []*evenkeelv1.KindVersion {
	var demand []*evenkeelv1.KindVersion
	for i := range t.kinds {
		k := &t.kinds[i]
		k.recordList()
		if version := max(k.latest.Load(), k.latestList.Load()); version > 0 {
			demand = append(demand, &evenkeelv1.KindVersion{
				Kind: evenkeelv1.ObjectKind(i), ResourceVersion: strconv.FormatInt(version, 10)})
		}
	}
	return demand
}

// Watch tracks the informers of a scheduler's factory. It must be called before the factory starts, once or more.
// Informers of pod owners are created only if owners is set, because a scheduler without default constraints has
// none.
func (t *Tracker) Watch(factory informers.SharedInformerFactory, owners bool) error {
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
		next := identity
		if kind == evenkeelv1.ObjectKind_OBJECT_KIND_POD {
			next = withoutManagedFields
		}
		if err := t.kinds[kind].watch(informer, next, kind <= evenkeelv1.ObjectKind_OBJECT_KIND_POD); err != nil {
			return err
		}
	}
	return nil
}

// watch tracks an informer. If allLists is set, the version of each list is demanded.
func (k *kindTracker) watch(informer cache.SharedIndexInformer, next cache.TransformFunc, allLists bool) error {
	if k.store != nil {
		return nil
	}
	k.store = informer.GetIndexer()
	if err := informer.SetTransform(k.transform(informer, next, allLists)); err != nil {
		return err
	}
	if allLists {
		// The store calls its indexers for each object that it takes in.
		if err := informer.AddIndexers(cache.Indexers{"evenkeel.io/lists": k.onStored}); err != nil {
			return err
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.onDelete})
	return err
}

// transform records an object on its way to the store. An object that is not newer than another comes from a list,
// and so does the first one unless the first list was empty.
func (k *kindTracker) transform(informer cache.SharedIndexInformer, next cache.TransformFunc, allLists bool) cache.TransformFunc {
	return func(object any) (any, error) {
		first := k.latest.Load() == 0 && !informer.HasSynced()
		newer := k.record(object)
		kept, err := next(object)
		if allLists && (first || !newer) {
			coming := kept // Allocates for lists only.
			k.incoming.Store(&coming)
		}
		return kept, err
	}
}

// onStored is called for each object that enters or leaves the store, and returns no index values. The store takes in
// a list as a whole and holds its lock meanwhile, so the version of the list is there afterwards.
func (k *kindTracker) onStored(object any) ([]string, error) {
	if coming := k.incoming.Load(); coming != nil && *coming == object && k.incoming.CompareAndSwap(coming, nil) {
		k.storedLists.Add(1)
		// At once, because an API server sends a bookmark within a minute, whose version then replaces that of the
		// list.
		go k.recordList()
	}
	return nil, nil
}

// recordList records the version of a list that has entered the store. Handlers are called later, so any query that
// they cause demands the version. It is cheap if there was no list.
func (k *kindTracker) recordList() {
	if k.storedLists.Load() == k.recordedLists.Load() {
		return
	}
	k.recordMutex.Lock()
	defer k.recordMutex.Unlock()
	if stored := k.storedLists.Load(); stored != k.recordedLists.Load() {
		raise(&k.latestList, k.store.LastStoreSyncResourceVersion())
		k.recordedLists.Store(stored)
	}
}

// onDelete handles an object that was missing from a list. That may be a list of owners, or one that looked like
// events because all its objects were new and in the order of their versions.
func (k *kindTracker) onDelete(object any) {
	if _, listed := object.(cache.DeletedFinalStateUnknown); listed {
		raise(&k.latestList, k.store.LastStoreSyncResourceVersion())
	}
}

func identity(object any) (any, error) { return object, nil }

// withoutManagedFields does the same as the scheduler's own transform of pods, which it replaces.
func withoutManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
