package ask

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"
	"google.golang.org/grpc/status"
)

var errFailed = errors.New("failed")

// changes are those that a breaker has told of.
type changes struct {
	mutex sync.Mutex
	told  []error
}

func (c *changes) tell(failure error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.told = append(c.told, failure)
}

func (c *changes) all() []error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]error(nil), c.told...)
}

func TestBreaker_keepsQuestionsAway_untilAProbeIsAnswered(t *testing.T) {
	told := &changes{}
	b := newBreaker(told.tell)
	fail := func() error { return errFailed }
	for range failuresToOpen - 1 {
		if err := b.do(t.Context(), fail); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
	}
	if err := b.do(t.Context(), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for range failuresToOpen {
		if err := b.do(t.Context(), fail); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
	}
	asked := func() error {
		t.Error("an open breaker lets a question through")
		return nil
	}
	if err := b.do(t.Context(), asked); !errors.Is(err, gobreaker.ErrOpenState) || reasonOf(err) != BreakerOpen {
		t.Errorf("got %v", err)
	}
	// The time after which a probe may come opens it to nobody else.
	for begun := time.Now(); b.circuit.State() != gobreaker.StateHalfOpen; time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("no probe may come")
		}
	}
	if err := b.do(t.Context(), asked); !errors.Is(err, gobreaker.ErrOpenState) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	probes := make(chan int, 10)
	go b.run(ctx, func(context.Context) error {
		probes <- 1
		if len(probes) < 3 {
			return errFailed
		}
		return nil
	})
	for begun := time.Now(); b.circuit.State() != gobreaker.StateClosed; time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("no probe has closed it")
		}
	}
	if len(probes) != 3 {
		t.Errorf("%d probes were made", len(probes))
	}
	if all := told.all(); len(all) != 2 || !errors.Is(all[0], errFailed) || all[1] != nil {
		t.Errorf("it told %v", all)
	}
}

func TestBreaker_doesNotCountWhatIsOfOnePod(t *testing.T) {
	b := newBreaker(func(error) { t.Error("it has opened") })
	for range 3 * failuresToOpen {
		if err := b.do(t.Context(), func() error { return errPodRefused }); reasonOf(err) != PodRefused {
			t.Errorf("got %v", err)
		}
	}
}

// A scheduler that stops ends its calls. Their failures look like those of a server that is not there.
func TestBreaker_doesNotCountWhatTheSchedulerHasGivenUp(t *testing.T) {
	told := &changes{}
	b := newBreaker(told.tell)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	ended := func() error { return status.FromContextError(stopped.Err()).Err() }
	for range 3 * failuresToOpen {
		if err := b.do(stopped, ended); reasonOf(err) != GivenUp {
			t.Errorf("got %v", err)
		}
	}
	if all := told.all(); len(all) != 0 {
		t.Errorf("it told %v", all)
	}
	// Nor is it a probe that was answered.
	for range failuresToOpen {
		_ = b.do(t.Context(), func() error { return errFailed })
	}
	for begun := time.Now(); b.circuit.State() != gobreaker.StateHalfOpen; time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatal("no probe may come")
		}
	}
	if err := b.through(stopped, ended); reasonOf(err) != GivenUp {
		t.Errorf("got %v", err)
	}
	if all := told.all(); len(all) != 1 {
		t.Errorf("it told %v", all)
	}
}
