package shadow

import (
	"sync/atomic"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// The original judges as many nodes again for a comparison. To judge 5,000 takes a fifteenth of the time of a cycle in
// which it counts, so in large clusters each comparison is about the nodes that follow those of the one before.
const maxCompared = 500

// The next part begins as many nodes later. It is a prime, so that pods of a few kinds that come in turns are not compared
// on the same nodes each time.
const stride = 499

// rotation gives each comparison its part of the nodes, all of them in turn. Safe for concurrent use.
type rotation struct{ count atomic.Uint64 }

// next is the part of the next comparison: all nodes where there are few.
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
