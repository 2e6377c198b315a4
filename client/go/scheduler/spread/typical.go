package spread

import (
	"slices"
	"sync"
	"time"
)

const (
	// How many recent measurements count.
	measurements = 15
	// A question waits for at least this long, however fast the original is.
	minTimeout = time.Millisecond
	maxTimeout = time.Second
	// While the original has not been measured.
	firstTimeout = 20 * time.Millisecond
)

// typicalTime is the median of the original's recent times at an extension point. Evenkeel's answer is awaited no longer
// than that: afterwards, the original would have been faster.
type typicalTime struct {
	mutex  sync.Mutex
	recent []time.Duration
	next   int
}

func (m *typicalTime) record(took time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.recent) < measurements {
		m.recent = append(m.recent, took)
		return
	}
	m.recent[m.next] = took
	m.next = (m.next + 1) % measurements
}

// timeout is how long to wait for an answer: at least for the minimum, and otherwise at most for maxTimeout.
func (m *typicalTime) timeout(minimum time.Duration) time.Duration {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	typical := firstTimeout
	if len(m.recent) > 0 {
		typical = slices.Sorted(slices.Values(m.recent))[len(m.recent)/2]
	}
	return max(min(typical, maxTimeout), minimum)
}
