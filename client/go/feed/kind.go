package feed

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// kind is one kind of objects that a feed sends.
type kind struct {
	number   evenkeelv1.ObjectKind
	informer cache.SharedInformer
	// cast returns an object of the store if it has the type of the kind.
	cast func(any) (object, bool)

	// subscription is that of the current stream, or of the last one.
	subscription atomic.Pointer[subscription]
}

func (k *kind) name() string {
	return strings.TrimPrefix(k.number.String(), "OBJECT_KIND_")
}

// checkRunning returns an error if the informer has stopped.
func (k *kind) checkRunning() error {
	if k.informer.IsStopped() {
		return &informerError{k, "has stopped"}
	}
	return nil
}

// awaitDone waits until something is done, or fault returns an error: a stopped informer makes no progress.
func awaitDone(ctx context.Context, what cache.DoneChecker, fault func() error) error {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-what.Done():
			return fault()
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
			if err := fault(); err != nil {
				return err
			}
		}
	}
}

// object is a Kubernetes object in an informer's store. It must not be changed. It marshals to the bytes that the API
// server would send.
type object interface {
	metav1.Object
	Size() int
	MarshalToSizedBuffer([]byte) (int, error)
}

func asNode(stored any) (object, bool)    { return as[*corev1.Node](stored) }
func asPod(stored any) (object, bool)     { return as[*corev1.Pod](stored) }
func asService(stored any) (object, bool) { return as[*corev1.Service](stored) }
func asReplicationController(stored any) (object, bool) {
	return as[*corev1.ReplicationController](stored)
}
func asReplicaSet(stored any) (object, bool)  { return as[*appsv1.ReplicaSet](stored) }
func asStatefulSet(stored any) (object, bool) { return as[*appsv1.StatefulSet](stored) }
func asPodDisruptionBudget(stored any) (object, bool) {
	return as[*policyv1.PodDisruptionBudget](stored)
}

func as[T object](stored any) (object, bool) {
	typed, ok := stored.(T)
	return typed, ok
}

// Of returns the informers of a factory. It creates missing ones, so call it before Start.
func Of(factory informers.SharedInformerFactory) Informers {
	core, apps := factory.Core().V1(), factory.Apps().V1()
	return Informers{
		Nodes:                  core.Nodes().Informer(),
		Pods:                   core.Pods().Informer(),
		Services:               core.Services().Informer(),
		ReplicationControllers: core.ReplicationControllers().Informer(),
		ReplicaSets:            apps.ReplicaSets().Informer(),
		StatefulSets:           apps.StatefulSets().Informer(),
		PodDisruptionBudgets:   factory.Policy().V1().PodDisruptionBudgets().Informer(),
	}
}
