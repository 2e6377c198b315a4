package snapshot

import (
	"slices"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/types/known/timestamppb"
	v1 "k8s.io/api/core/v1"
)

// maxEvents is how many events a message has. Messages of about 100 KiB are the fastest.
const maxEvents = 500

// changes are events of nodes and pods, reduced to what PodTopologySpread reads of them. They have no resource
// versions, because the events of a stream are in order, and an older object can return: if a pod cannot be bound,
// the scheduler forgets it and assumes it again. A changed object is sent as added for the same reason: Evenkeel
// accepts a UID that was removed only if it is added.
type changes []*evenkeelv1.ClusterEvent

func (c *changes) addNode(node *v1.Node) {
	reduced := &evenkeelv1.Node{Metadata: &evenkeelv1.ObjectMeta{Name: node.Name, Uid: string(node.UID), Labels: node.Labels}}
	if len(node.Spec.Taints) > 0 {
		reduced.Spec = &evenkeelv1.NodeSpec{}
	}
	for _, taint := range node.Spec.Taints {
		reduced.Spec.Taints = append(reduced.Spec.Taints,
			&evenkeelv1.Taint{Key: taint.Key, Value: taint.Value, Effect: string(taint.Effect)})
	}
	c.add(evenkeelv1.ClusterEvent_TYPE_ADDED, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Node{Node: reduced}})
}

func (c *changes) removeNode(node *v1.Node) {
	c.add(evenkeelv1.ClusterEvent_TYPE_DELETED, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Node{
		Node: &evenkeelv1.Node{Metadata: &evenkeelv1.ObjectMeta{Name: node.Name, Uid: string(node.UID)}}}})
}

func (c *changes) addPod(pod *v1.Pod, node string) {
	reduced := &evenkeelv1.Pod{
		Metadata: &evenkeelv1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, Uid: string(pod.UID), Labels: pod.Labels},
		Spec:     &evenkeelv1.PodSpec{NodeName: node},
	}
	if pod.DeletionTimestamp != nil {
		reduced.Metadata.DeletionTimestamp = timestamppb.New(pod.DeletionTimestamp.Time)
	}
	c.add(evenkeelv1.ClusterEvent_TYPE_ADDED, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: reduced}})
}

func (c *changes) removePod(pod *v1.Pod) {
	c.add(evenkeelv1.ClusterEvent_TYPE_DELETED, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{
		Pod: &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, Uid: string(pod.UID)}}}})
}

func (c *changes) add(typ evenkeelv1.ClusterEvent_Type, object *evenkeelv1.ClusterObject) {
	*c = append(*c, &evenkeelv1.ClusterEvent{Type: typ, Object: object})
}

// steps returns the events as messages.
func (c *changes) steps() []*evenkeelv1.SyncRequest {
	var steps []*evenkeelv1.SyncRequest
	for events := range slices.Chunk(*c, maxEvents) {
		steps = append(steps, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_Events{Events: &evenkeelv1.Events{Events: events}}})
	}
	return steps
}
