package spread

import (
	"testing"
	"time"
)

func TestTypicalTime_isTheMedianOfRecentTimes(t *testing.T) {
	var m typicalTime
	expect := func(want time.Duration) {
		t.Helper()
		if got := m.timeout(minTimeout); got != want {
			t.Errorf("expected %v, found %v", want, got)
		}
	}
	expect(firstTimeout)
	m.record(time.Microsecond)
	expect(minTimeout)
	for range 3 {
		m.record(time.Minute)
	}
	expect(maxTimeout)
	for i := range 2 * measurements {
		m.record(time.Duration(1+i%3) * 10 * time.Millisecond)
	}
	expect(20 * time.Millisecond)
}
