package spread

import (
	"testing"
	"time"
)

func TestTimeout_isTheMedianOfTheOriginalsRecentTimes(t *testing.T) {
	p, typical := &Plugin{minWait: time.Millisecond}, &typicalTime{}
	expect := func(want time.Duration) {
		t.Helper()
		if got := p.timeout(typical); got != want {
			t.Errorf("expected %v, found %v", want, got)
		}
	}
	expect(firstTimeout)
	typical.record(time.Microsecond)
	expect(p.minWait)
	for range 3 {
		typical.record(time.Minute)
	}
	expect(maxTimeout)
	for i := range 2 * measurements {
		typical.record(time.Duration(1+i%3) * 10 * time.Millisecond)
	}
	expect(20 * time.Millisecond)
	p.minWait = time.Minute
	expect(time.Minute)
}
