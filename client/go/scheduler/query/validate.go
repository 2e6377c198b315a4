package query

import (
	"errors"
	"fmt"
	"math/bits"

	"evenkeel.io/client/go/evenkeelv1"
)

const maxScore = 100

// packedAnswer returns the answer to a question. A faulty or foreign server may answer anything.
func packedAnswer(response *evenkeelv1.EvaluateResponse, question *Question) (*evenkeelv1.PackedAnswer, error) {
	if len(response.Answers) != 1 {
		return nil, fmt.Errorf("invalid response: it has %d answers for one pod", len(response.Answers))
	}
	if refusal := response.Answers[0].GetError(); refusal != nil {
		return nil, fmt.Errorf("%w: %s", errPodRefused, refusal.Message)
	}
	packed := response.Answers[0].GetPacked()
	switch {
	case packed == nil:
		return nil, errors.New("invalid response: the answer does not have the requested form")
	case packed.HardConstraintCount != question.hard || packed.SoftConstraintCount != question.soft:
		return nil, fmt.Errorf("invalid response: %d hard and %d soft constraints are in force, but the pod has %d and %d",
			packed.HardConstraintCount, packed.SoftConstraintCount, question.hard, question.soft)
	}
	return packed, nil
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

// validate checks that each node of the question has a score. The question named the nodes as bits or, if these are
// nil, by name. All of them have passed Filter before.
func (s *Scores) validate(candidates *evenkeelv1.NodeBits, names []string) error {
	if int(s.packed.PassedCount) != len(names) {
		return fmt.Errorf("invalid response: %d of %d nodes may take the pod, but all did before", s.packed.PassedCount, len(names))
	}
	if candidates.GetNodeTableToken() == s.table.Token() {
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
			return fmt.Errorf("invalid response: the node table lacks node %s", name)
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
