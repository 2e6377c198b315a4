package shadow

import (
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// How many nodes the original evaluates again for a comparison at most. Evaluating 5,000 takes a fifteenth of the
// time of a cycle in which it counts, so in large clusters each comparison uses the nodes after those of the one
// before.
const maxCompared = 500

// The distance between the first nodes of two comparisons. It is a prime, so that pods of a few kinds in turn are not
// always compared on the same nodes.
const stride = 499

// rotation selects the nodes of each comparison, all of them in turn. Safe for concurrent use.
type rotation struct{ count atomic.Uint64 }

// next returns the nodes of the next comparison: all of them if there are few.
func (r *rotation) next(infos []fwk.NodeInfo) []*v1.Node {
	count := min(len(infos), maxCompared)
	first := 0
	if count < len(infos) {
		first = int((r.count.Add(1) - 1) * stride % uint64(len(infos)))
	}
	nodes := make([]*v1.Node, count)
	for i := range nodes {
		nodes[i] = infos[(first+i)%len(infos)].Node()
	}
	return nodes
}
