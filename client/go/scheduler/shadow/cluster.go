package shadow

import (
	"context"
	"errors"
	"sort"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/original"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// Cluster is the state that an answer for one pod is based on.
type Cluster struct {
	Nodes []*v1.Node
	// Pods are the bound or assumed pods on existing nodes.
	Pods []*v1.Pod
	// Owners that default constraints use.
	Services               []*v1.Service
	ReplicationControllers []*v1.ReplicationController
	ReplicaSets            []*appsv1.ReplicaSet
	StatefulSets           []*appsv1.StatefulSet
}

// newCluster counts assumed pods on their nodes, unless the watch had shown them bound or deleted at that version.
func newCluster(states map[evenkeelv1.ObjectKind]*state, assumed map[string]*evenkeelv1.AssumedPod, namespace string) *Cluster {
	cluster := &Cluster{}
	known := map[string]bool{}
	for _, object := range states[evenkeelv1.ObjectKind_OBJECT_KIND_NODE].objects {
		node := object.(*v1.Node)
		cluster.Nodes = append(cluster.Nodes, node)
		known[node.Name] = true
	}
	sort.Slice(cluster.Nodes, func(a, b int) bool { return cluster.Nodes[a].Name < cluster.Nodes[b].Name })
	pods := states[evenkeelv1.ObjectKind_OBJECT_KIND_POD]
	bound := map[types.UID]bool{}
	for _, object := range pods.objects {
		pod := object.(*v1.Pod)
		if pod.Spec.NodeName == "" {
			continue
		}
		bound[pod.UID] = true
		if known[pod.Spec.NodeName] {
			cluster.Pods = append(cluster.Pods, pod)
		}
	}
	for _, assumption := range assumed {
		metadata := assumption.Pod.Metadata
		key, uid := metadata.Namespace+"/"+metadata.Name, types.UID(metadata.Uid)
		// A deleted pod may have been replaced by another pod of the same name.
		exists := pods.objects[key] != nil && pods.objects[key].GetUID() == uid
		if metadata.Namespace != namespace || bound[uid] || !known[assumption.Node] || !exists && !pods.later[uid] {
			continue
		}
		labels := metadata.Labels
		if exists {
			// It may have changed since it was assumed.
			if pods.objects[key].GetDeletionTimestamp() != nil {
				continue
			}
			labels = pods.objects[key].GetLabels()
		}
		cluster.Pods = append(cluster.Pods, &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: metadata.Namespace, Name: metadata.Name, UID: uid, Labels: labels},
			Spec: v1.PodSpec{NodeName: assumption.Node},
		})
	}
	sort.Slice(cluster.Pods, func(a, b int) bool { return cluster.Pods[a].Name < cluster.Pods[b].Name })
	for kind, state := range states {
		if kind > evenkeelv1.ObjectKind_OBJECT_KIND_POD {
			for _, owner := range state.objects {
				cluster.addOwner(owner)
			}
		}
	}
	return cluster
}

func (c *Cluster) addOwner(owner metav1.Object) {
	switch owner := owner.(type) {
	case *v1.Service:
		c.Services = append(c.Services, owner)
	case *v1.ReplicationController:
		c.ReplicationControllers = append(c.ReplicationControllers, owner)
	case *appsv1.ReplicaSet:
		c.ReplicaSets = append(c.ReplicaSets, owner)
	case *appsv1.StatefulSet:
		c.StatefulSets = append(c.StatefulSets, owner)
	}
}

// evaluate returns the results of the original plugin: the scores of the given nodes, or the verdicts on all nodes if
// none are given.
func (c *Cluster) evaluate(ctx context.Context, handle fwk.Handle, args *config.PodTopologySpreadArgs, pod *v1.Pod, scored []string) (results, error) {
	e, err := c.newEvaluator(ctx, handle, args)
	if err != nil {
		return nil, err
	}
	if len(scored) > 0 {
		return e.score(ctx, pod, scored)
	}
	return e.filter(ctx, pod, c)
}

// evaluator is the original plugin on a cluster.
type evaluator struct {
	plugin   original.Plugin
	snapshot *internalcache.Snapshot
}

func (c *Cluster) newEvaluator(ctx context.Context, handle fwk.Handle, args *config.PodTopologySpreadArgs) (*evaluator, error) {
	factory := informers.NewSharedInformerFactory(handle.ClientSet(), 0) // Never started.
	snapshot := internalcache.NewSnapshot(c.Pods, c.Nodes)
	plugin, err := original.New(ctx, args, clusterHandle{Handle: handle, snapshot: snapshot, factory: factory})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(
		fill(factory.Core().V1().Services().Informer(), c.Services),
		fill(factory.Core().V1().ReplicationControllers().Informer(), c.ReplicationControllers),
		fill(factory.Apps().V1().ReplicaSets().Informer(), c.ReplicaSets),
		fill(factory.Apps().V1().StatefulSets().Informer(), c.StatefulSets),
	); err != nil {
		return nil, err
	}
	return &evaluator{plugin: plugin, snapshot: snapshot}, nil
}

// clusterHandle is the scheduler's own handle, on another cluster.
type clusterHandle struct {
	fwk.Handle
	snapshot fwk.SharedLister
	factory  informers.SharedInformerFactory
}

func (h clusterHandle) SnapshotSharedLister() fwk.SharedLister                 { return h.snapshot }
func (h clusterHandle) SharedInformerFactory() informers.SharedInformerFactory { return h.factory }

func fill[T any](informer cache.SharedIndexInformer, objects []T) error {
	for _, object := range objects {
		if err := informer.GetIndexer().Add(object); err != nil {
			return err
		}
	}
	return nil
}
