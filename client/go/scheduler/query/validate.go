package query

import (
	"errors"
	"fmt"
	"math/bits"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
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

// validateTable checks that Evenkeel has each node of the snapshot. If it does not, another program has changed its
// state, and its counts may be wrong.
func validateTable(table *nodetable.Table, nodes []string) error {
	if _, unknown := table.Bits(nodes...); len(unknown) > 0 {
		return fmt.Errorf("invalid response: Evenkeel lacks %d nodes of the snapshot, such as %s", len(unknown), unknown[0])
	}
	return nil
}

// validateVerdicts checks that Evenkeel has no other nodes than the snapshot. It also compares the bits of the nodes
// that passed with the claimed number, because missing bits would keep a pod off nodes.
func (a *answer) validateVerdicts(nodes int) error {
	if int(a.packed.CandidateCount) != nodes {
		return fmt.Errorf("invalid response: Evenkeel has %d nodes, and the snapshot has %d", a.packed.CandidateCount, nodes)
	}
	passed := 0
	for _, eight := range a.packed.Passed {
		passed += bits.OnesCount8(eight)
	}
	if passed != int(a.packed.PassedCount) {
		return fmt.Errorf("invalid response: passed_count is %d, but %d nodes passed", a.packed.PassedCount, passed)
	}
	return nil
}

// validate checks that each node of the question has a score. All of them have passed Filter before.
func (s *Scores) validate(nodes []string) error {
	if int(s.packed.PassedCount) != len(nodes) {
		return fmt.Errorf("invalid response: %d of %d nodes may take the pod, but all passed Filter", s.packed.PassedCount, len(nodes))
	}
	for _, node := range nodes {
		if score, known := s.For(node); !known || score > maxScore {
			return fmt.Errorf("invalid response: the score of node %s is missing or above %d", node, maxScore)
		}
	}
	return nil
}
