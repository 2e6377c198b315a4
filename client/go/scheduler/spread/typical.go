package spread

import (
	"slices"
	"sync"
	"time"
)

const (
	// How many recent measurements count.
	measurements = 15
	// The bounds on how long an answer is awaited, whatever the original takes.
	minTimeout = time.Millisecond
	maxTimeout = time.Second
	// While the original has not been measured.
	firstTimeout = 20 * time.Millisecond
)

// typicalTime is the median of the original's recent times at an extension point. Evenkeel's answer is awaited no
// longer than that: afterwards, the original would have been faster.
type typicalTime struct {
	mutex  sync.Mutex
	recent []time.Duration
}

func (m *typicalTime) record(took time.Duration) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.recent = append(m.recent, took)
	m.recent = m.recent[max(0, len(m.recent)-measurements):]
}

func (m *typicalTime) median() time.Duration {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.recent) == 0 {
		return firstTimeout
	}
	return slices.Sorted(slices.Values(m.recent))[len(m.recent)/2]
}
