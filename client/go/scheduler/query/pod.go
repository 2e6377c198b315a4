package query

import (
	"fmt"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protopath"
	"google.golang.org/protobuf/reflect/protorange"
	"google.golang.org/protobuf/reflect/protoreflect"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Reduced returns the parts of a pod that an answer depends on. It shares the fields of the pod.
func Reduced(pod *v1.Pod) *v1.Pod {
	reduced := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Labels: pod.Labels},
		Spec: v1.PodSpec{
			NodeSelector:              pod.Spec.NodeSelector,
			Tolerations:               pod.Spec.Tolerations,
			TopologySpreadConstraints: pod.Spec.TopologySpreadConstraints,
		},
	}
	if pod.Spec.Affinity != nil {
		reduced.Spec.Affinity = &v1.Affinity{NodeAffinity: pod.Spec.Affinity.NodeAffinity}
	}
	return reduced
}

// toProto converts a reduced pod to the message of a question.
func toProto(pod *v1.Pod) (*evenkeelv1.Pod, error) {
	bytes, err := Reduced(pod).Marshal()
	if err != nil {
		return nil, fmt.Errorf("cannot encode the pod: %w", err)
	}
	return decode(bytes)
}

// decode fails if a toleration, an affinity or a constraint of the pod has a field that Evenkeel does not know.
func decode(bytes []byte) (*evenkeelv1.Pod, error) {
	message := &evenkeelv1.Pod{}
	if err := proto.Unmarshal(bytes, message); err != nil {
		return nil, fmt.Errorf("cannot decode the pod: %w", err)
	}
	// Encoding writes empty fields that the reduced pod does not have.
	message.Status = nil
	for _, part := range []proto.Message{message, message.Metadata, message.Spec} {
		part.ProtoReflect().SetUnknown(nil)
	}
	// Deeper messages have kept theirs, which may change the answer.
	return message, protorange.Range(message.ProtoReflect(), func(values protopath.Values) error {
		last := values.Index(-1)
		if message, ok := last.Value.Interface().(protoreflect.Message); ok && len(message.GetUnknown()) > 0 {
			return fmt.Errorf("%s has a field that Evenkeel does not know", values.Path[1:])
		}
		return nil
	})
}

// DefaultConstraints converts those of the original plugin. They are sent with each question, so the server's own
// defaults do not matter.
func DefaultConstraints(args *config.PodTopologySpreadArgs) (*evenkeelv1.DefaultConstraints, error) {
	if args.DefaultingType == config.SystemDefaulting {
		return &evenkeelv1.DefaultConstraints{Type: evenkeelv1.DefaultConstraints_TYPE_SYSTEM}, nil
	}
	pod, err := toProto(&v1.Pod{Spec: v1.PodSpec{TopologySpreadConstraints: args.DefaultConstraints}})
	if err != nil {
		return nil, err
	}
	return &evenkeelv1.DefaultConstraints{Type: evenkeelv1.DefaultConstraints_TYPE_LIST, Constraints: pod.Spec.TopologySpreadConstraints}, nil
}
