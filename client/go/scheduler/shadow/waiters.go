package shadow

import "container/heap"

// waiter waits until a version was reached.
type waiter struct {
	version int64
	// Closed when it was.
	reached chan struct{}
	// Where it is in the heap; negative where it is not there any more.
	index int
}

// waiters are a heap: the least version comes first.
type waiters []*waiter

func (w waiters) Len() int           { return len(w) }
func (w waiters) Less(a, b int) bool { return w[a].version < w[b].version }

func (w waiters) Swap(a, b int) {
	w[a], w[b] = w[b], w[a]
	w[a].index, w[b].index = a, b
}

// Push is for package heap.
func (w *waiters) Push(added any) {
	one := added.(*waiter)
	one.index = len(*w)
	*w = append(*w, one)
}

// Pop is for package heap.
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

// leave says whether the version was not reached before.
func (w *waiters) remove(one *waiter) bool {
	if one.index < 0 {
		return false
	}
	heap.Remove(w, one.index)
	return true
}

// wake wakes those up who wait for a version that was reached.
func (w *waiters) wake(reached int64) {
	for len(*w) > 0 && (*w)[0].version <= reached {
		close(heap.Pop(w).(*waiter).reached)
	}
}
