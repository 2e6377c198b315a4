package shadow

import (
	"context"
	"errors"
	"fmt"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/ask"
	"evenkeel.io/client/go/scheduler/seen"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

var errUntold = errors.New("the answer does not name its versions")

// Journals has that of each kind that verdicts depend on.
type Journals map[evenkeelv1.ObjectKind]*journal

// NewJournals hears what a scheduler's informers hear. It must come before they are started. Those of what owns pods are
// made only where default constraints make the scheduler watch it.
func NewJournals(factory informers.SharedInformerFactory, versions *seen.Versions, owners bool) (Journals, error) {
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
	journals := Journals{}
	for kind, informer := range informers {
		made, err := newJournal(informer, func() int64 { return versions.Of(kind) }, func() int64 { return versions.Lists(kind) })
		if err != nil {
			return nil, err
		}
		journals[kind] = made
	}
	return journals, nil
}

// at gives what the answer for a pod depends on, at the versions that the answer names: nodes, and the objects of the
// pod's namespace. Owners are only looked at where default constraints may apply.
//
// An answer names a kind to which nothing happens by a version that may be older than the scheduler's first list. Then
// the oldest version that is remembered will do, once Evenkeel knows that nothing has happened up to there.
func (j Journals) at(ctx context.Context, pod *v1.Pod, rest ask.Rest, progress *progress) (map[evenkeelv1.ObjectKind]*state, error) {
	told := map[evenkeelv1.ObjectKind]int64{}
	for _, version := range rest.Versions {
		told[version.Kind] = parse(version.ResourceVersion)
	}
	states := map[evenkeelv1.ObjectKind]*state{}
	for kind, journal := range j {
		if kind > evenkeelv1.ObjectKind_OBJECT_KIND_POD && len(pod.Spec.TopologySpreadConstraints) > 0 {
			continue
		}
		version, known := told[kind]
		if !known {
			return nil, fmt.Errorf("%w: %s", errUntold, kind)
		}
		which := func(object metav1.Object) bool {
			return kind == evenkeelv1.ObjectKind_OBJECT_KIND_NODE || object.GetNamespace() == pod.Namespace
		}
		state, err := journal.at(ctx, version, which)
		if oldest := journal.oldest(); errors.Is(err, errForgotten) && version < oldest {
			if err = progress.unchanged(ctx, rest.Revision.Instance, kind, version, oldest); err == nil {
				state, err = journal.at(ctx, oldest, which)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s %d", err, kind, version)
		}
		states[kind] = state
	}
	return states, nil
}
