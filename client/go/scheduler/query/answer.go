package query

import (
	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	v1 "k8s.io/api/core/v1"
)

// StateVersion identifies the state that an answer was computed from.
type StateVersion struct {
	Revision *evenkeelv1.Revision
	// Filled in shadow mode only.
	ResourceVersions []*evenkeelv1.KindVersion
}

// Verdicts are the nodes that may take a pod, and those that may not.
type Verdicts struct {
	StateVersion
	index  *nodeIndex
	packed *evenkeelv1.PackedAnswer
}

// HardCount is the number of hard constraints in force for the pod.
func (v *Verdicts) HardCount() int { return int(v.packed.HardConstraintCount) }

// For returns the verdict on a node, and whether Evenkeel knows the node.
func (v *Verdicts) For(node *v1.Node) (evenkeelv1.NodeCode, bool) {
	return v.atIndex(v.index.lookup(node))
}

// ForName returns the verdict on the node with this name, and whether Evenkeel knows it.
func (v *Verdicts) ForName(node string) (evenkeelv1.NodeCode, bool) {
	return v.atIndex(v.index.table.Index(node))
}

func (v *Verdicts) atIndex(index int, known bool) (evenkeelv1.NodeCode, bool) {
	switch {
	case !known:
		return evenkeelv1.NodeCode_NODE_CODE_UNSPECIFIED, false
	case isSet(v.packed.Passed, index):
		return evenkeelv1.NodeCode_NODE_CODE_SUCCESS, true
	case isSet(v.packed.Unresolvable, index):
		return evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE, true
	}
	return evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE, true
}

func isSet(bits []byte, index int) bool {
	return index/8 < len(bits) && bits[index/8]&(1<<(index%8)) != 0
}

// Scores are the scores of nodes for a pod.
type Scores struct {
	StateVersion
	table  *nodetable.Table
	packed *evenkeelv1.PackedAnswer
}

// SoftCount is the number of soft constraints in force for the pod. If it is 0, no node is scored.
func (s *Scores) SoftCount() int { return int(s.packed.SoftConstraintCount) }

// For returns the final score of a node, 0 to 100, and whether the node was scored.
func (s *Scores) For(node string) (int64, bool) {
	index, known := s.table.Index(node)
	if !known || index >= len(s.packed.Scores) {
		return 0, false
	}
	return int64(s.packed.Scores[index]), true
}
