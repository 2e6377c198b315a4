package query

import (
	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	v1 "k8s.io/api/core/v1"
)

// Rest is the state that an answer rests on.
type StateVersion struct {
	Revision *evenkeelv1.Revision
	// Versions are told to shadow mode only.
	ResourceVersions []*evenkeelv1.KindVersion
}

// Verdicts says which nodes may take a pod.
type Verdicts struct {
	StateVersion
	index  *nodeIndex
	packed *evenkeelv1.PackedAnswer
}

// Hard is how many hard constraints are in force for the pod.
func (v *Verdicts) HardCount() int { return int(v.packed.HardConstraintCount) }

// Of is the verdict on a node, and whether Evenkeel knows the node.
func (v *Verdicts) For(node *v1.Node) (evenkeelv1.NodeCode, bool) {
	return v.atIndex(v.index.lookup(node))
}

// Named is the verdict on the node of this name, and whether Evenkeel knows it.
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

// Scores says how well nodes suit a pod.
type Scores struct {
	StateVersion
	table  *nodetable.Table
	packed *evenkeelv1.PackedAnswer
}

// Soft is how many soft constraints are in force for the pod. Without any, nothing is scored.
func (s *Scores) SoftCount() int { return int(s.packed.SoftConstraintCount) }

// Of is the final score of a node, 0 to 100, and whether the node was scored.
func (s *Scores) For(node string) (int64, bool) {
	index, known := s.table.Index(node)
	if !known || index >= len(s.packed.Scores) {
		return 0, false
	}
	return int64(s.packed.Scores[index]), true
}
