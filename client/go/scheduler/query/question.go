package query

import (
	"errors"
	"fmt"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
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
	selector, unsupported := toLabelSelector(owners)
	if err := errors.Join(err, unsupported); err != nil {
		return nil, fmt.Errorf("%w: %w", errPodRefused, err)
	}
	return &Question{pod: message, hard: hard, soft: soft, defaults: &evenkeelv1.DefaultConstraints{
		Type: defaults.Type, Constraints: defaults.Constraints, OwnersSelector: selector}}, nil
}

var labelOperators = map[selection.Operator]metav1.LabelSelectorOperator{
	selection.Equals:       metav1.LabelSelectorOpIn,
	selection.In:           metav1.LabelSelectorOpIn,
	selection.NotIn:        metav1.LabelSelectorOpNotIn,
	selection.Exists:       metav1.LabelSelectorOpExists,
	selection.DoesNotExist: metav1.LabelSelectorOpDoesNotExist,
}

// LabelSelectorOf converts a selector of services and controllers, which have no other operators than a LabelSelector.
// It has no matchLabels, because a controller may demand another value of a label than a service.
func LabelSelectorOf(selector labels.Selector) (*metav1.LabelSelector, error) {
	requirements, _ := selector.Requirements()
	converted := &metav1.LabelSelector{}
	for _, requirement := range requirements {
		operator, known := labelOperators[requirement.Operator()]
		if !known {
			return nil, fmt.Errorf("a label selector has the operator %s, which a LabelSelector does not have", requirement.Operator())
		}
		converted.MatchExpressions = append(converted.MatchExpressions,
			metav1.LabelSelectorRequirement{Key: requirement.Key(), Operator: operator, Values: requirement.Values().List()})
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
