// Package seen notes how far the scheduler's informers have got, so that a question can demand no older state.
package seen

import (
	"strconv"
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
// version. So the version of the first list is noted, of pods and nodes, and that of each list that shows an object
// missing. Owners that were deleted before the first list are not waited for: nothing may happen to them for long, and no
// pod is tried again because of them.
type Versions struct {
	// By ObjectKind; 0 where no object was seen.
	greatest [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]atomic.Int64
	// By ObjectKind: the version of the first list, or of the last one that showed an object missing.
	listed [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]atomic.Int64
	// By ObjectKind: how many objects came in another order than that of their versions, which is how lists show.
	lists [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]atomic.Int64
}

// Note takes an object's version in. An object without a version, as fake clients make them, says nothing.
func (v *Versions) Note(kind evenkeelv1.ObjectKind, object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return
	}
	if !raise(&v.greatest[kind], accessor.GetResourceVersion()) {
		v.lists[kind].Add(1)
	}
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
func (v *Versions) Lists(kind evenkeelv1.ObjectKind) int64 { return v.lists[kind].Load() }

// Of is the greatest version of a kind, 0 where no object was seen.
func (v *Versions) Of(kind evenkeelv1.ObjectKind) int64 { return v.greatest[kind].Load() }

// Demand is what a question must demand to be answered from a state that is no older.
func (v *Versions) Demand() []*evenkeelv1.KindVersion {
	var demand []*evenkeelv1.KindVersion
	for kind := range v.greatest {
		if version := max(v.greatest[kind].Load(), v.listed[kind].Load()); version > 0 {
			demand = append(demand, &evenkeelv1.KindVersion{
				Kind: evenkeelv1.ObjectKind(kind), ResourceVersion: strconv.FormatInt(version, 10)})
		}
	}
	return demand
}

// Watch notes what the informers of a scheduler's factory take in. It must come before the factory starts. The informers
// of what owns pods are only made where they are asked for: a scheduler without default constraints has none.
func (v *Versions) Watch(factory informers.SharedInformerFactory, owners bool) error {
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
		next := asItIs
		if kind == evenkeelv1.ObjectKind_OBJECT_KIND_POD {
			next = withoutManagedFields
		}
		if err := informer.SetTransform(v.transform(kind, next)); err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(v.lacking(kind, informer)); err != nil {
			return err
		}
	}
	return nil
}

// lacking hears of lists from which objects may be missing.
func (v *Versions) lacking(kind evenkeelv1.ObjectKind, informer cache.SharedIndexInformer) cache.ResourceEventHandler {
	note := func() {
		raise(&v.listed[kind], informer.LastSyncResourceVersion())
		raise(&v.listed[kind], informer.GetIndexer().LastStoreSyncResourceVersion())
	}
	handler := cache.ResourceEventHandlerDetailedFuncs{DeleteFunc: func(object any) {
		if _, listed := object.(cache.DeletedFinalStateUnknown); listed {
			note()
		}
	}}
	if kind <= evenkeelv1.ObjectKind_OBJECT_KIND_POD {
		handler.AddFunc = func(_ any, first bool) {
			if first {
				note()
			}
		}
	}
	return handler
}

func (v *Versions) transform(kind evenkeelv1.ObjectKind, next cache.TransformFunc) cache.TransformFunc {
	return func(object any) (any, error) {
		v.Note(kind, object)
		return next(object)
	}
}

func asItIs(object any) (any, error) { return object, nil }

// withoutManagedFields is what the scheduler's own transform of pods does, which this one takes the place of.
func withoutManagedFields(object any) (any, error) {
	if accessor, err := meta.Accessor(object); err == nil && accessor.GetManagedFields() != nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}
