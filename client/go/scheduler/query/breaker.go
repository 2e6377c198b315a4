package query

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// A circuit opens after this many consecutive failures.
	failuresToOpen = 3
	// It also opens if half of the most recent queries have failed, even if others succeeded in between.
	windowSize           = 20
	windowFailuresToOpen = windowSize / 2
	// How often an open circuit is probed.
	minProbeInterval = 200 * time.Millisecond
	// A breaker that opens again within reopenWindow after a successful probe is probed half as often, down to a
	// limit.
	reopenWindow     = 10 * time.Second
	maxProbeInterval = 8 * minProbeInterval
)

// queryKind distinguishes queries whose failures are counted separately: scores may be late while verdicts are not.
type queryKind int

const (
	filterQueries queryKind = iota
	scoreQueries
	queryKindCount
)

// breaker rejects queries while the server does not answer. Each kind of query has its own circuit, and the breaker
// is open while any circuit is. Only probes close a circuit, so no scheduling cycle pays for finding out.
type breaker struct {
	circuits [queryKindCount]*circuit
	// Called with the last failure when the breaker opens, and with nil when it closes.
	onChange func(failure error)
	// Wakes the probe when the breaker opens.
	wake chan struct{}

	mutex sync.Mutex
	// The number of open circuits.
	openCount int
}

// circuit is the circuit breaker of one kind of query.
type circuit struct {
	*gobreaker.CircuitBreaker[struct{}]
	// The last server failure; nil before the first.
	lastFailure atomic.Pointer[error]
	// The most recent queries since the circuit closed, newest in the lowest bit; 1 is a server failure. Guarded by
	// the lock of the embedded circuit breaker.
	window uint32
	// Repeats the query that failed or was rejected last; nil before the first.
	retry atomic.Pointer[func(context.Context) error]
}

// newBreaker returns a closed breaker.
func newBreaker(onChange func(failure error)) *breaker {
	b := &breaker{onChange: onChange, wake: make(chan struct{}, 1)}
	for kind := range b.circuits {
		c := &circuit{}
		c.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
			Name:    "evenkeel",
			Timeout: minProbeInterval / 2,
			ReadyToTrip: func(counts gobreaker.Counts) bool {
				return counts.ConsecutiveFailures >= failuresToOpen || bits.OnesCount32(c.window) >= windowFailuresToOpen
			},
			// Called for each query that started in the current state and is not excluded.
			IsSuccessful: func(err error) bool {
				failed := isServerFailure(err)
				c.record(failed)
				return !failed
			},
			IsExcluded: func(err error) bool { return errors.Is(err, errCancelled) },
			OnStateChange: func(_ string, from, to gobreaker.State) {
				if to == gobreaker.StateOpen && from == gobreaker.StateClosed {
					b.circuitOpened(*c.lastFailure.Load())
				}
				if to == gobreaker.StateClosed {
					c.window = 0
					b.circuitClosed()
				}
			},
		})
		b.circuits[kind] = c
	}
	return b
}

func (b *breaker) circuitOpened(failure error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.openCount++
	if b.openCount > 1 {
		return
	}
	b.onChange(failure)
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

func (b *breaker) circuitClosed() {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.openCount--
	if b.openCount == 0 {
		b.onChange(nil)
	}
}

func (b *breaker) isOpen() bool {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	return b.openCount > 0
}

// do runs a query unless the circuit of its kind is open. A query that fails or is rejected may be retried later as a
// probe.
func (b *breaker) do(ctx context.Context, kind queryKind, call func() error, retry func(context.Context) error) error {
	c := b.circuits[kind]
	if c.State() != gobreaker.StateClosed {
		// Whatever made the earlier query fail, this one shows whether scheduling cycles get answers.
		c.retry.Store(&retry)
		return gobreaker.ErrOpenState
	}
	return c.execute(ctx, call, retry)
}

// execute runs a query and counts its outcome. A query that the caller has cancelled, as a stopping scheduler does,
// says nothing about the server. If retry is not nil, it is kept for the next probe when the query fails.
func (c *circuit) execute(ctx context.Context, call func() error, retry func(context.Context) error) error {
	_, err := c.Execute(func() (struct{}, error) {
		err := call()
		if err != nil && errors.Is(ctx.Err(), context.Canceled) {
			err = fmt.Errorf("%w: %w", errCancelled, err)
		}
		if isServerFailure(err) {
			c.lastFailure.Store(&err)
			if retry != nil {
				c.retry.Store(&retry)
			}
		}
		return struct{}{}, err
	})
	return err
}

// record adds the outcome of a query to the window. The lock of the embedded circuit breaker must be held.
func (c *circuit) record(failed bool) {
	c.window = c.window << 1 & (1<<windowSize - 1)
	if failed {
		c.window |= 1
	}
}

// run probes while the breaker is open, until the context ends. A probe repeats the query that failed or was rejected
// last, because a cheaper one might be answered in time although that one is not. Each probe calls prepare first.
func (b *breaker) run(ctx context.Context, prepare func(context.Context) error) {
	interval := minProbeInterval
	var closed time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		}
		if !b.isOpen() {
			continue
		}
		interval = nextProbeInterval(interval, time.Since(closed))
		for b.isOpen() {
			select {
			case <-ctx.Done():
				return
			case <-time.After(interval):
			}
			for _, c := range b.circuits {
				if c.State() != gobreaker.StateClosed {
					c.probe(ctx, prepare)
				}
			}
		}
		closed = time.Now()
	}
}

// nextProbeInterval returns the next time between two probes. closedFor is how long the breaker was closed before it
// opened again.
func nextProbeInterval(previous, closedFor time.Duration) time.Duration {
	if closedFor > reopenWindow {
		return minProbeInterval
	}
	return min(2*previous, maxProbeInterval)
}

// probe retries the last query. The circuit counts the outcome.
func (c *circuit) probe(ctx context.Context, prepare func(context.Context) error) {
	retry := *c.retry.Load()
	_ = c.execute(ctx, func() error {
		if err := prepare(ctx); err != nil {
			return err
		}
		return retry(ctx)
	}, nil) // A scheduling cycle may have stored a newer query in the meantime.
}
