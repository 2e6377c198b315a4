package query

import (
	"testing"
	"time"
)

func TestPause_begins_afterThreeLateAnswers_andGetsLonger(t *testing.T) {
	var p pause
	for count := 1; count <= 3; count++ {
		if paused := p.answeredLate(); paused != (count == 3) {
			t.Errorf("paused: %t after %d late answers", paused, count)
		}
	}
	if p.isOver() {
		t.Error("the pause is over at once")
	}
	lengths := []time.Duration{p.length}
	for range 4 {
		p.answeredLate()
		lengths = append(lengths, p.length)
	}
	if lengths[0] != minPause || lengths[1] != 2*minPause || lengths[3] != maxPause || lengths[4] != maxPause {
		t.Errorf("the pauses last %v", lengths)
	}
	for range 3 {
		p.answered()
	}
	p.begin()
	if p.length != minPause {
		t.Errorf("after many answers in time, a pause lasts %v", p.length)
	}
}

func TestPause_begins_ifEverySecondAnswerIsLate_butNotIfEveryThirdIs(t *testing.T) {
	for every, want := range map[int]bool{2: true, 3: false} {
		var p pause
		paused := false
		for count := range 60 {
			if count%every == 0 {
				paused = p.answeredLate() || paused
			} else {
				p.answered()
			}
		}
		if paused != want {
			t.Errorf("paused: %t, if one of %d answers is late", paused, every)
		}
	}
}
