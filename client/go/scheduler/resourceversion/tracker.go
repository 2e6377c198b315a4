// Package resourceversion notes how far the scheduler's informers have got, so that a question can demand no older state.
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

// Versions holds, for each kind, the greatest resource version of an object that an informer has taken in. It is noted
// before the object is in the informer's store and before any handler hears of it: what the scheduler knows is never
// newer. Versions of bookmarks are not noted, because nobody has seen an object of that version.
//
// Deletions before the first list leave no object that tells of them, and those that a broken watch has missed tell no
// version. So the version of each list of pods and of nodes is noted, and that of a list that shows an owner missing. Other
// lists of owners are not waited for: nothing may happen to these for long, and no pod is tried again because of them.
type Tracker struct {
	kinds [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]kindTracker
}

// kind is how far one kind has got.
type kindTracker struct {
	// The greatest version of an object; 0 where none was seen.
	latest atomic.Int64
	// How many objects came in another order than that of their versions.
	outOfOrder atomic.Int64
	// The version of the last list that is demanded; 0 where there is none.
	latestList atomic.Int64
	// nil where the kind is not watched.
	store cache.Indexer

	// An object of a list that is on its way to the store; nil where there is none.
	incoming atomic.Pointer[any]
	// How many lists have come into the store, and of how many of these the version is noted.
	storedLists, recordedLists atomic.Int64
	recordMutex                sync.Mutex
}

// Note takes an object's version in. An object without a version, as fake clients make them, says nothing.
func (v *Tracker) Record(kind evenkeelv1.ObjectKind, object any) { v.kinds[kind].record(object) }

// note says whether the version is greater than all before.
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

// raise says whether a version is greater than all before.
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

// Lists rises with each object that came in another order than that of its version. Watches tell in that order, and lists
// tell of objects that have not changed.
func (v *Tracker) RelistSigns(kind evenkeelv1.ObjectKind) int64 {
	return v.kinds[kind].outOfOrder.Load()
}

// Of is the greatest version of a kind, 0 where no object was seen.
func (v *Tracker) Latest(kind evenkeelv1.ObjectKind) int64 { return v.kinds[kind].latest.Load() }

// Demand is what a question must demand to be answered from a state that is no older.
func (v *Tracker) Demand() []*evenkeelv1.KindVersion {
	var demand []*evenkeelv1.KindVersion
	for i := range v.kinds {
		k := &v.kinds[i]
		k.recordList()
		if version := max(k.latest.Load(), k.latestList.Load()); version > 0 {
			demand = append(demand, &evenkeelv1.KindVersion{
				Kind: evenkeelv1.ObjectKind(i), ResourceVersion: strconv.FormatInt(version, 10)})
		}
	}
	return demand
}

// Watch notes what the informers of a scheduler's factory take in. It must come before the factory starts. The informers
// of what owns pods are only made where they are asked for: a scheduler without default constraints has none. Each
// profile may ask.
func (v *Tracker) Watch(factory informers.SharedInformerFactory, owners bool) error {
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
		if err := v.kinds[kind].watch(informer, next, kind <= evenkeelv1.ObjectKind_OBJECT_KIND_POD); err != nil {
			return err
		}
	}
	return nil
}

// watch notes what an informer takes in, and the version of each list where all are demanded.
func (k *kindTracker) watch(informer cache.SharedIndexInformer, next cache.TransformFunc, allLists bool) error {
	if k.store != nil {
		return nil
	}
	k.store = informer.GetIndexer()
	if err := informer.SetTransform(k.transform(informer, next, allLists)); err != nil {
		return err
	}
	if allLists {
		// The store shows each object to its indexers while it takes the object in.
		if err := informer.AddIndexers(cache.Indexers{"evenkeel.io/lists": k.onStored}); err != nil {
			return err
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: k.onDelete})
	return err
}

// transform notes an object on its way to the store. One that is no newer than another is of a list, and so is the first
// one, unless the first list was empty.
func (k *kindTracker) transform(informer cache.SharedIndexInformer, next cache.TransformFunc, allLists bool) cache.TransformFunc {
	return func(object any) (any, error) {
		first := k.latest.Load() == 0 && !informer.HasSynced()
		newer := k.record(object)
		kept, err := next(object)
		if allLists && (first || !newer) {
			coming := kept // Made only for lists.
			k.incoming.Store(&coming)
		}
		return kept, err
	}
}

// taken hears of each object that the store takes in or lets go, and finds no index values for it. The store takes a list
// in as a whole, and its lock is held meanwhile. So whoever looks afterwards finds the version of the list.
func (k *kindTracker) onStored(object any) ([]string, error) {
	if coming := k.incoming.Load(); coming != nil && *coming == object && k.incoming.CompareAndSwap(coming, nil) {
		k.storedLists.Add(1)
		// At once: an API server sends a bookmark within a minute, and the store then has the version of that.
		go k.recordList()
	}
	return nil, nil
}

// noteList notes the version of a list that has come into the store. Handlers hear of the list later, so what one of them
// makes the scheduler ask demands the version. Where no list has come, it is cheap.
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

// missing hears of an object that a list did not show any more. That may be a list of owners, or one that looked like
// events: all of it new, and in the order of its versions.
func (k *kindTracker) onDelete(object any) {
	if _, listed := object.(cache.DeletedFinalStateUnknown); listed {
		raise(&k.latestList, k.store.LastStoreSyncResourceVersion())
	}
}

func identity(object any) (any, error) { return object, nil }

// withoutManagedFields is what the scheduler's own transform of pods does, which this one takes the place of.
func withoutManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
