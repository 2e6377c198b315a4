package shadow

import "sync"

const (
	// As many answers may wait to be judged again, and name as many nodes. Where more come, they are given up. In a cluster
	// under change, thousands wait for a bookmark that tells up to where nothing has happened.
	maxReevaluations     = 20_000
	maxReevaluationNodes = 25_000_000
	// Questions and comparisons that wait hold no more nodes together: each has some 40 bytes of a node for each constraint,
	// which are gigabytes where thousands wait for answers that come just in time.
	maxQueuedNodes = 1_000_000
)

// room is what those have that wait.
type budget struct {
	maxAnswers, maxNodes int

	mutex   sync.Mutex
	answers int
	nodes   int
}

// take says whether there is room for one more, with so many nodes.
func (r *budget) acquire(nodes int) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.answers == r.maxAnswers || r.nodes+nodes > r.maxNodes {
		return false
	}
	r.answers++
	r.nodes += nodes
	return true
}

// give gives its room back.
func (r *budget) release(nodes int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.answers--
	r.nodes -= nodes
}
