package query

import (
	"testing"
	"time"
)

func TestPause_begins_afterThreeLateAnswers_andGetsLonger(t *testing.T) {
	var p pause
	for strike := 1; strike <= strikesToPause; strike++ {
		if paused := p.late(); paused != (strike == strikesToPause) {
			t.Errorf("paused: %t after %d late answers", paused, strike)
		}
	}
	if p.isOver() {
		t.Error("the pause is over at once")
	}
	lengths := []time.Duration{p.length}
	for range 4 {
		p.late()
		lengths = append(lengths, p.length)
	}
	if lengths[0] != minPause || lengths[1] != 2*minPause || lengths[3] != maxPause || lengths[4] != maxPause {
		t.Errorf("the pauses last %v", lengths)
	}
	for range 2 * strikesToPause {
		p.answered()
	}
	p.begin()
	if p.length != minPause {
		t.Errorf("after many answers in time, a pause lasts %v", p.length)
	}
}

func TestPause_begins_ifEverySecondAnswerIsLate(t *testing.T) {
	var p pause
	for range 2 * strikesToPause {
		p.answered()
		if p.late() {
			return
		}
	}
	t.Error("there is no pause")
}
