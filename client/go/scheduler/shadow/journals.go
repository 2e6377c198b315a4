package shadow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/query"
	"evenkeel.io/client/go/scheduler/resourceversion"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

var errVersionsMissing = errors.New("the answer has no resource version")

// Journals are those of all kinds that verdicts depend on.
type Journals map[evenkeelv1.ObjectKind]*journal

// NewJournals creates journals that handle the events of a scheduler's informers. It must be called before they are
// started. Informers of pod owners are created only if default constraints make the scheduler watch them.
func NewJournals(factory informers.SharedInformerFactory, versions *resourceversion.Tracker, owners bool) (Journals, error) {
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
		created, err := newJournal(informer, func() int64 { return versions.Latest(kind) })
		if err != nil {
			return nil, err
		}
		journals[kind] = created
	}
	return journals, nil
}

// kindVersions are the versions of each kind that an answer is based on.
type kindVersions map[evenkeelv1.ObjectKind]int64

// reach waits until the scheduler has reached the versions of an answer. Owners matter only if default constraints
// may apply.
//
// For a kind without events, the version in an answer may be older than the scheduler's first list. The oldest
// version in the journal is then equivalent, once Evenkeel knows that nothing has happened in between.
func (j Journals) reach(ctx context.Context, pod *v1.Pod, rest query.StateVersion, progress *progress) (kindVersions, error) {
	named := kindVersions{}
	for _, version := range rest.ResourceVersions {
		named[version.Kind] = parse(version.ResourceVersion)
	}
	reached := kindVersions{}
	for kind, journal := range j {
		if kind > evenkeelv1.ObjectKind_OBJECT_KIND_POD && len(pod.Spec.TopologySpreadConstraints) > 0 {
			continue
		}
		version, known := named[kind]
		if !known {
			return nil, fmt.Errorf("%w: %s", errVersionsMissing, kind)
		}
		err := journal.await(ctx, version)
		if oldest := journal.oldest(); err == nil && version < oldest {
			err = progress.unchanged(ctx, rest.Revision.Instance, kind, version, oldest)
			version = oldest
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s %d", err, kind, version)
		}
		reached[kind] = version
	}
	return reached, nil
}

// at returns what the answer for a pod depends on: nodes, owners in the pod's namespace, and pods there that may
// count.
func (j Journals) at(ctx context.Context, pod *v1.Pod, reached kindVersions) (map[evenkeelv1.ObjectKind]*state, error) {
	states := map[evenkeelv1.ObjectKind]*state{}
	for kind, version := range reached {
		which := func(object metav1.Object) bool { return object.GetNamespace() == pod.Namespace }
		switch kind {
		case evenkeelv1.ObjectKind_OBJECT_KIND_NODE:
			which = func(metav1.Object) bool { return true }
		case evenkeelv1.ObjectKind_OBJECT_KIND_POD:
			which = mayCount(pod)
		}
		state, err := j[kind].at(ctx, version, which)
		if err != nil {
			return nil, fmt.Errorf("%w: %s %d", err, kind, version)
		}
		states[kind] = state
	}
	return states, nil
}

// mayCount returns a filter for the pods that the constraints of a pod may count: those that a selector matches,
// whatever else the constraint requires. Unbound pods may be assumed. A namespace may have a hundred times as many
// pods.
func mayCount(pod *v1.Pod) func(metav1.Object) bool {
	selectors := []labels.Selector{}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		selector, err := metav1.LabelSelectorAsSelector(constraint.LabelSelector)
		if err != nil {
			selector = labels.Everything()
		}
		selectors = append(selectors, selector)
	}
	if len(selectors) == 0 {
		// Default constraints take their selector from the pod's owners.
		selectors = append(selectors, labels.Everything())
	}
	return func(object metav1.Object) bool {
		other, ok := object.(*v1.Pod)
		return ok && other.Namespace == pod.Namespace && (other.Spec.NodeName == "" ||
			slices.ContainsFunc(selectors, func(s labels.Selector) bool { return s.Matches(labels.Set(other.Labels)) }))
	}
}
