package query

import "time"

const (
	// A pause begins after three late answers in succession, or some time after more than 3 of 7 answers are late, for
	// example if verdicts are always in time and scores are always late. If fewer are late, Evenkeel still saves time.
	late        = 4
	inTime      = -3
	startsPause = 3 * late
	minPause    = 200 * time.Millisecond
	maxPause    = 1600 * time.Millisecond
)

// pause is the time for which a server is not asked, because it has failed. If the first answer after a pause is late,
// another pause begins. Consecutive pauses get longer.
type pause struct {
	// The sum of late and inTime for the recent answers; at least 0.
	sum    int
	length time.Duration
	until  time.Time
}

func (p *pause) isOver() bool { return !time.Now().Before(p.until) }

// answered records an answer in time.
func (p *pause) answered() {
	p.sum = max(0, p.sum+inTime)
	if p.sum == 0 {
		p.length = 0
	}
}

// answeredLate records a late answer, and returns true if a pause begins.
func (p *pause) answeredLate() bool {
	p.sum += late
	if p.sum < startsPause {
		return false
	}
	p.begin()
	return true
}

func (p *pause) begin() {
	p.sum = startsPause - late
	p.length = min(max(2*p.length, minPause), maxPause)
	p.until = time.Now().Add(p.length)
}

// atLeast extends a pause that has just begun.
func (p *pause) atLeast(length time.Duration) { p.until = time.Now().Add(length) }
