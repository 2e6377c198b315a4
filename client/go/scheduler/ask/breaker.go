package ask

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// After as many failures one after the other, Evenkeel is not asked any more.
	failuresToOpen = 3
	// While it is not asked, it is probed as often.
	probeEvery = 200 * time.Millisecond
)

// breaker keeps questions away from a server that does not answer. Only its probe closes it again, so that no
// scheduling cycle pays for finding out.
type breaker struct {
	circuit *gobreaker.CircuitBreaker[struct{}]
	// The last failure of the server.
	failure atomic.Pointer[error]
	// Tells the probe that the breaker has opened.
	opened chan struct{}
}

// newBreaker makes a closed breaker, and tells changed whenever it opens, with the last failure, or closes, with none.
func newBreaker(changed func(failure error)) *breaker {
	b := &breaker{opened: make(chan struct{}, 1)}
	b.circuit = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Name:         "evenkeel",
		Timeout:      probeEvery / 2,
		ReadyToTrip:  func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failuresToOpen },
		IsSuccessful: func(err error) bool { return !isOfTheServer(err) },
		IsExcluded:   func(err error) bool { return errors.Is(err, errGivenUp) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			if to == gobreaker.StateOpen && from == gobreaker.StateClosed {
				changed(*b.failure.Load())
				select {
				case b.opened <- struct{}{}:
				default:
				}
			}
			if to == gobreaker.StateClosed {
				changed(nil)
			}
		},
	})
	return b
}

// do asks, unless the breaker is open.
func (b *breaker) do(ctx context.Context, question func() error) error {
	if b.circuit.State() != gobreaker.StateClosed {
		return gobreaker.ErrOpenState
	}
	return b.through(ctx, question)
}

// through tells the circuit how a question has ended. One that the caller has given up, as a scheduler does that stops,
// tells nothing of the server.
func (b *breaker) through(ctx context.Context, question func() error) error {
	_, err := b.circuit.Execute(func() (struct{}, error) {
		err := question()
		if err != nil && errors.Is(ctx.Err(), context.Canceled) {
			err = fmt.Errorf("%w: %w", errGivenUp, err)
		}
		if isOfTheServer(err) {
			b.failure.Store(&err)
		}
		return struct{}{}, err
	})
	return err
}

// run probes while the breaker is open, until the context ends.
func (b *breaker) run(ctx context.Context, probe func(context.Context) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.opened:
		}
		for b.circuit.State() != gobreaker.StateClosed {
			select {
			case <-ctx.Done():
				return
			case <-time.After(probeEvery):
			}
			_ = b.through(ctx, func() error { return probe(ctx) }) // The breaker keeps count.
		}
	}
}
