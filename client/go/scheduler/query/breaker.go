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
	// After as many failures of one kind of question, one after the other, Evenkeel is not asked any more.
	failuresToOpen = 3
	// Nor is it asked where as many of the last questions of one kind have failed, with answers in time between them.
	windowSize           = 20
	windowFailuresToOpen = windowSize / 2
	// While it is not asked, it is probed as often.
	minProbeInterval = 200 * time.Millisecond
	// Where it fails again soon after a probe was answered, it is probed half as often, down to a limit.
	reopenWindow     = 10 * time.Second
	maxProbeInterval = 8 * minProbeInterval
)

// kind is a kind of question. Their failures are counted apart: one may be late where the other is not.
type queryKind int

const (
	filterQueries queryKind = iota
	scoreQueries
	queryKindCount
)

// breaker keeps questions away from a server that does not answer them. A circuit keeps away those of its kind; the breaker
// is open while any circuit is. Only its probe closes them again, so that no scheduling cycle pays for finding out.
type breaker struct {
	circuits [queryKindCount]*circuit
	// Told whenever the breaker has opened, with the last failure, or has closed, with none.
	onChange func(failure error)
	// Tells the probe that the breaker has opened.
	wake chan struct{}

	mutex sync.Mutex
	// How many circuits are open.
	openCount int
}

// circuit is that of one kind of question.
type circuit struct {
	*gobreaker.CircuitBreaker[struct{}]
	// The last failure of the server; nil before the first.
	lastFailure atomic.Pointer[error]
	// The last questions since it was closed, the newest in the lowest bit: 1 for a failure of the server. The lock of the
	// library's circuit guards it.
	window uint32
	// Asks the question that has failed last, or was kept away since; nil before the first.
	retry atomic.Pointer[func(context.Context) error]
}

// newBreaker makes a closed breaker.
func newBreaker(changed func(failure error)) *breaker {
	b := &breaker{onChange: changed, wake: make(chan struct{}, 1)}
	for kind := range b.circuits {
		c := &circuit{}
		c.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
			Name:    "evenkeel",
			Timeout: minProbeInterval / 2,
			ReadyToTrip: func(counts gobreaker.Counts) bool {
				return counts.ConsecutiveFailures >= failuresToOpen || bits.OnesCount32(c.window) >= windowFailuresToOpen
			},
			// It is called for each question that was begun in this state and is not excluded.
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

// do asks, unless the circuit of such questions is open. One that fails or is kept away may be asked again later, to probe.
func (b *breaker) do(ctx context.Context, kind queryKind, call func() error, retry func(context.Context) error) error {
	c := b.circuits[kind]
	if c.State() != gobreaker.StateClosed {
		// Whatever is wrong with the one that has failed, this one tells whether cycles get answers.
		c.retry.Store(&retry)
		return gobreaker.ErrOpenState
	}
	return c.execute(ctx, call, retry)
}

// through tells the circuit how a question has ended. One that the caller has given up, as a scheduler does that stops,
// tells nothing of the server. The question may be asked again where it fails, unless that is nil.
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

// note adds a question to the recent ones. The lock of the library's circuit must be held.
func (c *circuit) record(failed bool) {
	c.window = c.window << 1 & (1<<windowSize - 1)
	if failed {
		c.window |= 1
	}
}

// run probes while the breaker is open, until the context ends. It asks what has failed last, or was kept away since: a
// cheaper question may be answered in time where those are not. Before each question, the probe prepares what that needs.
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

// intervalAfter is the time between two probes, by what it was before and how long it has gone well since.
func nextProbeInterval(previous, closedFor time.Duration) time.Duration {
	if closedFor > reopenWindow {
		return minProbeInterval
	}
	return min(2*previous, maxProbeInterval)
}

// probe asks. The circuit keeps count.
func (c *circuit) probe(ctx context.Context, prepare func(context.Context) error) {
	retry := *c.retry.Load()
	_ = c.execute(ctx, func() error {
		if err := prepare(ctx); err != nil {
			return err
		}
		return retry(ctx)
	}, nil) // A cycle may have put a newer question meanwhile.
}
