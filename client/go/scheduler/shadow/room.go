package shadow

import "sync"

const (
	// As many answers may wait to be judged again, and name as many nodes. Where more come, they are given up. In a cluster
	// under change, thousands wait for a bookmark that tells up to where nothing has happened.
	mostDisagreeing = 20_000
	mostNodes       = 25_000_000
	// Questions and comparisons that wait hold no more nodes together: each has some 40 bytes of a node for each constraint,
	// which are gigabytes where thousands wait for answers that come just in time.
	mostHeld = 1_000_000
)

// room is what those have that wait.
type room struct {
	mostAnswers, mostNodes int

	mutex   sync.Mutex
	answers int
	named   int
}

// take says whether there is room for one more, with so many nodes.
func (r *room) take(nodes int) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.answers == r.mostAnswers || r.named+nodes > r.mostNodes {
		return false
	}
	r.answers++
	r.named += nodes
	return true
}

// give gives its room back.
func (r *room) give(nodes int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.answers--
	r.named -= nodes
}
