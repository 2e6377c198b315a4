package query

import (
	"errors"
	"fmt"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Question is about one pod.
type Question struct {
	pod      *evenkeelv1.Pod
	defaults *evenkeelv1.DefaultConstraints
	// How many constraints are in force.
	hard, soft int32
}

// NewQuestion fails if the pod has a field that Evenkeel does not know and that may change the answer. The default
// constraints apply to a pod without constraints, and count the pods that the selector of its services and controller
// matches. If that is empty, they do not apply. The counts are those of the constraints in force.
func NewQuestion(pod *v1.Pod, defaults *evenkeelv1.DefaultConstraints, owners labels.Selector, hard, soft int32) (*Question, error) {
	message, err := toProto(pod)
	if err == nil {
		err = checkKnown(message)
	}
	selector, unsupported := toLabelSelector(owners)
	if err := errors.Join(err, unsupported); err != nil {
		return nil, fmt.Errorf("%w: %w", errPodRefused, err)
	}
	return &Question{pod: message, hard: hard, soft: soft, defaults: &evenkeelv1.DefaultConstraints{
		Type: defaults.Type, Constraints: defaults.Constraints, OwnersSelector: selector}}, nil
}

// LabelSelectorOf converts a selector of services and controllers, which have no other operators than a LabelSelector.
// It has no matchLabels, because a controller may demand another value of a label than a service.
func LabelSelectorOf(selector labels.Selector) (*metav1.LabelSelector, error) {
	converted := &metav1.LabelSelector{}
	requirements, _ := selector.Requirements()
	for _, requirement := range requirements {
		one, err := metav1.ParseToLabelSelector(requirement.String())
		if err != nil {
			return nil, err
		}
		for key, value := range one.MatchLabels {
			one.MatchExpressions = append(one.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{value}})
		}
		converted.MatchExpressions = append(converted.MatchExpressions, one.MatchExpressions...)
	}
	return converted, nil
}

func toLabelSelector(selector labels.Selector) (*evenkeelv1.LabelSelector, error) {
	parsed, err := LabelSelectorOf(selector)
	if err != nil {
		return nil, err
	}
	bytes, err := parsed.Marshal()
	if err != nil {
		return nil, err
	}
	converted := &evenkeelv1.LabelSelector{}
	return converted, proto.Unmarshal(bytes, converted)
}
