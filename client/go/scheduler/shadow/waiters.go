package shadow

import "container/heap"

// waiter waits for a version.
type waiter struct {
	version int64
	// Closed once the version is reached.
	reached chan struct{}
	// Index in the heap; negative once removed.
	index int
}

// waiters is a heap with the smallest version first.
type waiters []*waiter

func (w waiters) Len() int           { return len(w) }
func (w waiters) Less(a, b int) bool { return w[a].version < w[b].version }

func (w waiters) Swap(a, b int) {
	w[a], w[b] = w[b], w[a]
	w[a].index, w[b].index = a, b
}

// Push implements heap.Interface.
func (w *waiters) Push(added any) {
	one := added.(*waiter)
	one.index = len(*w)
	*w = append(*w, one)
}

// Pop implements heap.Interface.
func (w *waiters) Pop() any {
	last := len(*w) - 1
	one := (*w)[last]
	one.index = -1
	(*w)[last] = nil
	*w = (*w)[:last]
	return one
}

func (w *waiters) add(version int64) *waiter {
	one := &waiter{version: version, reached: make(chan struct{})}
	heap.Push(w, one)
	return one
}

// remove returns true if the version was not reached before.
func (w *waiters) remove(one *waiter) bool {
	if one.index < 0 {
		return false
	}
	heap.Remove(w, one.index)
	return true
}

// wake wakes those that wait for a version up to the one reached.
func (w *waiters) wake(reached int64) {
	for len(*w) > 0 && (*w)[0].version <= reached {
		close(heap.Pop(w).(*waiter).reached)
	}
}
