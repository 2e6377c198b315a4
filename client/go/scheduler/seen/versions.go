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
type Versions struct {
	// By ObjectKind; 0 where no object was seen.
	greatest [evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET + 1]atomic.Int64
}

// Note takes an object's version in. An object without a version, as fake clients make them, says nothing.
func (v *Versions) Note(kind evenkeelv1.ObjectKind, object any) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return
	}
	version, err := strconv.ParseInt(accessor.GetResourceVersion(), 10, 64)
	if err != nil {
		return
	}
	greatest := &v.greatest[kind]
	for known := greatest.Load(); version > known; known = greatest.Load() {
		if greatest.CompareAndSwap(known, version) {
			return
		}
	}
}

// Of is the greatest version of a kind, 0 where no object was seen.
func (v *Versions) Of(kind evenkeelv1.ObjectKind) int64 { return v.greatest[kind].Load() }

// Demand is what a question must demand to be answered from a state that is no older.
func (v *Versions) Demand() []*evenkeelv1.KindVersion {
	var demand []*evenkeelv1.KindVersion
	for kind := range v.greatest {
		if version := v.greatest[kind].Load(); version > 0 {
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
	}
	if owners {
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_SERVICE] = factory.Core().V1().Services().Informer()
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_REPLICATION_CONTROLLER] = factory.Core().V1().ReplicationControllers().Informer()
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_REPLICA_SET] = factory.Apps().V1().ReplicaSets().Informer()
		informers[evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET] = factory.Apps().V1().StatefulSets().Informer()
	}
	for kind, informer := range informers {
		if err := informer.SetTransform(v.transform(kind, asItIs)); err != nil {
			return err
		}
	}
	return factory.Core().V1().Pods().Informer().SetTransform(
		v.transform(evenkeelv1.ObjectKind_OBJECT_KIND_POD, withoutManagedFields))
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
