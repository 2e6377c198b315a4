package query

import (
	"errors"
	"fmt"
	"math/bits"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
)

const maxScore = 100

// response is the response to a query about one pod.
type response interface {
	GetRevision() *evenkeelv1.Revision
	GetAnswers() []*evenkeelv1.PodAnswer
}

// packedAnswer returns the answer about one pod. A faulty or foreign server may answer anything.
func packedAnswer(response response) (*evenkeelv1.PackedAnswer, error) {
	answers := response.GetAnswers()
	if len(answers) != 1 {
		return nil, fmt.Errorf("invalid response: it has %d answers for one pod", len(answers))
	}
	if refusal := answers[0].GetError(); refusal != nil {
		return nil, fmt.Errorf("%w: %s", errPodRefused, refusal.Message)
	}
	packed := answers[0].GetPacked()
	if packed == nil {
		return nil, errors.New("invalid response: the answer does not have the requested form")
	}
	if response.GetRevision() == nil {
		return nil, errors.New("invalid response: it has no revision")
	}
	return packed, nil
}

// validateCount compares the claimed number of constraints in force with those of the pod. If the pod has no
// constraints, the server decides whether default constraints apply.
func validateCount(pod *evenkeelv1.Pod, action v1.UnsatisfiableConstraintAction, claimed int32) error {
	constraints := pod.GetSpec().GetTopologySpreadConstraints()
	if len(constraints) == 0 {
		return nil
	}
	var own int32
	for _, constraint := range constraints {
		if constraint.WhenUnsatisfiable == string(action) {
			own++
		}
	}
	if claimed != own {
		return fmt.Errorf("invalid response: %d constraints with whenUnsatisfiable %s are in force, but the pod has %d", claimed, action, own)
	}
	return nil
}

// validatePassed compares the bits of the nodes that passed with the claimed number. Missing bits would keep a pod
// off nodes.
func validatePassed(packed *evenkeelv1.PackedAnswer) error {
	passed := 0
	for _, eight := range packed.Passed {
		passed += bits.OnesCount8(eight)
	}
	if passed != int(packed.PassedCount) {
		return fmt.Errorf("invalid response: passed_count is %d, but %d nodes passed", packed.PassedCount, passed)
	}
	return nil
}

// validate checks that each node of the query has a score. The query named the nodes as bits and by name. Without
// soft constraints no node has one.
func (s *Scores) validate(candidates *evenkeelv1.NodeBits, names []string) error {
	if s.SoftCount() == 0 {
		return nil
	}
	if candidates.NodeTableToken == s.table.Token() {
		for index, name := range s.table.Nodes(candidates.Bits) {
			if err := s.validateAt(index, name); err != nil {
				return err
			}
		}
		return nil
	}
	for _, name := range names {
		index, known := s.table.Index(name)
		if !known {
			return unknownNodes{name}
		}
		if err := s.validateAt(index, name); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scores) validateAt(index int, name string) error {
	if index >= len(s.packed.Scores) {
		return fmt.Errorf("invalid response: node %s has no score", name)
	}
	if score := s.packed.Scores[index]; score > maxScore {
		return fmt.Errorf("invalid response: node %s has score %d, but at most %d is possible", name, score, maxScore)
	}
	return nil
}
