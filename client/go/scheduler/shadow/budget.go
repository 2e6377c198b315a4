package shadow

import "sync"

const (
	// How many answers may wait for another evaluation, and how many nodes they may name. Further answers are
	// dropped. In a changing cluster, thousands wait for the bookmark that shows up to which version nothing has
	// happened.
	maxReevaluations     = 20_000
	maxReevaluationNodes = 25_000_000
	// How many nodes queued queries and comparisons may hold together. A node takes about 40 bytes for each
	// constraint, which adds up to gigabytes if thousands wait for a slow server.
	maxQueuedNodes = 1_000_000
)

// budget limits what is waiting.
type budget struct {
	maxAnswers, maxNodes int

	mutex   sync.Mutex
	answers int
	nodes   int
}

// acquire returns true if there is room for one more answer with that many nodes.
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

// release returns what acquire took.
func (r *budget) release(nodes int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.answers--
	r.nodes -= nodes
}
