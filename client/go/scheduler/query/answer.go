package query

import (
	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
)

// Verdicts are the nodes that may take a pod, and those that may not.
type Verdicts answer

// For returns the verdict on a node of the snapshot.
func (v *Verdicts) For(node string) evenkeelv1.NodeCode {
	index, known := v.table.Index(node)
	switch {
	case known && isSet(v.packed.Passed, index):
		return evenkeelv1.NodeCode_NODE_CODE_SUCCESS
	case known && isSet(v.packed.Unresolvable, index):
		return evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE
	}
	return evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE
}

func isSet(bits []byte, index int) bool {
	return index/8 < len(bits) && bits[index/8]&(1<<(index%8)) != 0
}

// Scores are the scores of nodes for a pod.
type Scores answer

// answer is an answer with the table that its indexes refer to.
type answer struct {
	table  *nodetable.Table
	packed *evenkeelv1.PackedAnswer
}

// For returns the final score of a node, 0 to 100, and whether the node was scored.
func (s *Scores) For(node string) (int64, bool) {
	index, known := s.table.Index(node)
	if !known || index >= len(s.packed.Scores) {
		return 0, false
	}
	return int64(s.packed.Scores[index]), true
}
