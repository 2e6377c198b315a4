package autoscaler

import corev1 "k8s.io/api/core/v1"

// NodeOrder is the order in which nodes are tried for a pod. cluster-autoscaler's NodeOrderMapping is one.
type NodeOrder[N any] interface {
	// Reset begins with the nodes for another pod.
	Reset(nodes []N)
	// At returns the index of the node to try at a step, which counts from 0, or -1 to end.
	At(step int) int
	// MarkMatch reports the index of the node on which the pod is placed.
	MarkMatch(index int)
}

// SchedulingOptions restrict and order the nodes of SchedulePodOnAnyNodeMatching.
type SchedulingOptions struct {
	// NodeOrdering is the order of nodes. Nil: by name, beginning after the node of the last pod.
	NodeOrdering NodeOrder[*NodeInfo]

	// IsNodeAcceptable excludes nodes if it returns false. It is called only for nodes that pass the filters. Nil: all
	// nodes are acceptable.
	IsNodeAcceptable func(*NodeInfo) bool
}

// lastMatchOrder begins after the node of the last pod.
type lastMatchOrder[N any] struct {
	count, last int
}

func (o *lastMatchOrder[N]) Reset(nodes []N) { o.count = len(nodes) }

func (o *lastMatchOrder[N]) At(step int) int {
	if o.count == 0 {
		return -1
	}
	return (o.last + 1 + step) % o.count
}

func (o *lastMatchOrder[N]) MarkMatch(index int) { o.last = index }

// firstPassing returns the first acceptable node that passes and is not cordoned.
func firstPassing[N interface{ Node() *corev1.Node }](nodes []N, order NodeOrder[N], passes func(string) bool, acceptable func(N) bool) (N, bool) {
	order.Reset(nodes)
	for step := range nodes {
		at := order.At(step)
		if at < 0 {
			break
		}
		node := nodes[at].Node()
		if passes(node.Name) && !node.Spec.Unschedulable && (acceptable == nil || acceptable(nodes[at])) {
			order.MarkMatch(at)
			return nodes[at], true
		}
	}
	var none N
	return none, false
}
