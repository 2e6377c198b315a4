package autoscaler

import (
	"fmt"
	"iter"
	"strings"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
)

// A message has at most this many items and about this many bytes. By default, a server accepts 20,000 and 16 MiB.
const (
	maxMessageItems = 2_000
	maxMessageBytes = 4 << 20
)

// Kubernetes objects have the field numbers of evenkeel.v1, so their bytes parse as its messages. Fields that Evenkeel
// does not use are dropped.

func podMessage(pod *corev1.Pod) (*evenkeelv1.Pod, error) {
	// A shallow copy, without what is large and never used.
	slim := *pod
	slim.ManagedFields, slim.Annotations = nil, removalAnnotations(pod)
	message := &evenkeelv1.Pod{}
	if err := convert(&slim, message); err != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return message, nil
}

// removalAnnotations are those that decide whether the removal of a node moves a pod.
func removalAnnotations(pod *corev1.Pod) map[string]string {
	var kept map[string]string
	for key, value := range pod.Annotations {
		if key == corev1.MirrorPodAnnotationKey || strings.HasPrefix(key, "cluster-autoscaler.kubernetes.io/") {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[key] = value
		}
	}
	return kept
}

// placedPod is the message of a pod that a session has under another UID.
func placedPod(pod *corev1.Pod, uid string) (*evenkeelv1.Pod, error) {
	message, err := podMessage(pod)
	if err == nil {
		message.Metadata.Uid = uid
	}
	return message, err
}

func nodeMessage(node *corev1.Node) (*evenkeelv1.Node, error) {
	slim := *node
	slim.ManagedFields, slim.Annotations, slim.Status.Images = nil, nil, nil
	message := &evenkeelv1.Node{}
	if err := convert(&slim, message); err != nil {
		return nil, fmt.Errorf("node %s: %w", node.Name, err)
	}
	return message, nil
}

func convert(object interface{ Marshal() ([]byte, error) }, into proto.Message) error {
	bytes, err := object.Marshal()
	if err != nil {
		return err
	}
	return proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(bytes, into)
}

// inMessages cuts the items of requests into parts that fit into a message.
func inMessages[M proto.Message](items []M) iter.Seq[[]M] {
	return func(yield func([]M) bool) {
		begin, bytes := 0, 0
		for i, item := range items {
			size := proto.Size(item)
			if i > begin && (i-begin == maxMessageItems || bytes+size > maxMessageBytes) {
				if !yield(items[begin:i]) {
					return
				}
				begin, bytes = i, 0
			}
			bytes += size
		}
		if begin < len(items) {
			yield(items[begin:])
		}
	}
}
