package query

import "time"

const (
	// Each failure is a strike, and each answer in time takes half of one back, so that a pause also begins if every
	// second answer is late, and gets longer if every second one is invalid.
	strikesToPause = 3
	minPause       = 200 * time.Millisecond
	maxPause       = 1600 * time.Millisecond
)

// pause is the time for which a server is not asked, because it has failed. Only the first question after a pause
// waits for the server again. Consecutive pauses get longer.
type pause struct {
	halfStrikes int
	length      time.Duration
	until       time.Time
}

func (p *pause) isOver() bool { return !time.Now().Before(p.until) }

// answered records an answer in time.
func (p *pause) answered() {
	p.halfStrikes = max(0, p.halfStrikes-1)
	if p.halfStrikes == 0 {
		p.length = 0
	}
}

// late records a late answer, and returns true if a pause begins.
func (p *pause) late() bool {
	p.halfStrikes = min(p.halfStrikes+2, 2*strikesToPause)
	if p.halfStrikes < 2*strikesToPause {
		return false
	}
	p.begin()
	return true
}

func (p *pause) begin() {
	p.halfStrikes = max(p.halfStrikes, 2)
	p.length = min(max(2*p.length, minPause), maxPause)
	p.until = time.Now().Add(p.length)
}

// atLeast extends a pause that has just begun.
func (p *pause) atLeast(length time.Duration) { p.until = time.Now().Add(length) }
