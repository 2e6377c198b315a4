package shadow

import "sync"

const (
	// As many answers may wait to be judged again, and name as many nodes. Where more come, they are given up. In a cluster
	// under change, thousands wait for a bookmark that tells up to where nothing has happened.
	mostDisagreeing = 20_000
	mostNodes       = 25_000_000
)

// room is what answers have that wait to be judged again.
type room struct {
	mutex   sync.Mutex
	answers int
	named   int
}

// take says whether there is room for an answer that names so many nodes.
func (r *room) take(nodes int) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.answers == mostDisagreeing || r.named+nodes > mostNodes {
		return false
	}
	r.answers++
	r.named += nodes
	return true
}

// give gives the room of such an answer back.
func (r *room) give(nodes int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.answers--
	r.named -= nodes
}
