package query

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sony/gobreaker/v2"
	"google.golang.org/grpc/status"
)

var errFailed = errors.New("failed")

// recordedChanges are the changes that a breaker has reported.
type recordedChanges struct {
	mutex    sync.Mutex
	failures []error
}

func (c *recordedChanges) record(failure error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.failures = append(c.failures, failure)
}

func (c *recordedChanges) all() []error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return append([]error(nil), c.failures...)
}

// query runs a query, and repeats the same as a probe.
func (b *breaker) query(ctx context.Context, kind queryKind, call func() error) error {
	return b.do(ctx, kind, call, func(context.Context) error { return call() })
}

func noPreparation(context.Context) error { return nil }

func awaitOpen(t *testing.T, b *breaker, open bool) {
	t.Helper()
	for started := time.Now(); b.isOpen() != open; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatalf("it is still open: %t", !open)
		}
	}
}

func TestBreaker_rejectsQueries_untilAProbeSucceeds(t *testing.T) {
	changes := &recordedChanges{}
	b := newBreaker(changes.record)
	fail := func() error { return errFailed }
	for range failuresToOpen - 1 {
		if err := b.query(t.Context(), filterQueries, fail); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
	}
	if err := b.query(t.Context(), filterQueries, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	for range failuresToOpen {
		if err := b.query(t.Context(), filterQueries, fail); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
	}
	call := func() error {
		t.Error("an open breaker does not reject a query")
		return nil
	}
	if err := b.do(t.Context(), filterQueries, call, noPreparation); !errors.Is(err, gobreaker.ErrOpenState) || ReasonOf(err) != BreakerOpen {
		t.Errorf("got %v", err)
	}
	// A half-open circuit rejects everything but the probe.
	for started := time.Now(); b.circuits[filterQueries].State() != gobreaker.StateHalfOpen; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("the circuit is not half-open")
		}
	}
	if err := b.do(t.Context(), filterQueries, call, noPreparation); !errors.Is(err, gobreaker.ErrOpenState) {
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
	for started := time.Now(); b.circuits[filterQueries].State() != gobreaker.StateClosed; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("no probe has closed it")
		}
	}
	if len(probes) != 3 {
		t.Errorf("%d probes were made", len(probes))
	}
	if all := changes.all(); len(all) != 2 || !errors.Is(all[0], errFailed) || all[1] != nil {
		t.Errorf("the changes are %v", all)
	}
}

// Every second query may be too expensive for the server, so that no three fail in a row.
func TestBreaker_opens_ifEverySecondQueryFails(t *testing.T) {
	changes := &recordedChanges{}
	b := newBreaker(changes.record)
	count := 0
	for i := range 10 * windowSize {
		err := b.query(t.Context(), filterQueries, func() error {
			count++
			if i%2 == 0 {
				return errFailed
			}
			return nil
		})
		if ReasonOf(err) == BreakerOpen {
			break
		}
	}
	if count != windowSize-1 || !b.isOpen() {
		t.Errorf("%d queries were made, and it is open: %t", count, b.isOpen())
	}
	go b.run(t.Context(), noPreparation)
	// This query is rejected, and repeated as the probe.
	if err := b.query(t.Context(), filterQueries, func() error { return nil }); ReasonOf(err) != BreakerOpen {
		t.Errorf("got %v", err)
	}
	awaitOpen(t, b, false)
	// Failures before the circuit closed no longer count.
	for range windowFailuresToOpen - 1 {
		_ = b.query(t.Context(), filterQueries, func() error { return errFailed })
		_ = b.query(t.Context(), filterQueries, func() error { return nil })
	}
	if b.isOpen() || len(changes.all()) != 2 {
		t.Errorf("the changes are %v", changes.all())
	}
}

func TestBreaker_doesNotCountRefusedPods(t *testing.T) {
	b := newBreaker(func(error) { t.Error("it has opened") })
	for range 3 * failuresToOpen {
		if err := b.query(t.Context(), filterQueries, func() error { return errPodRefused }); ReasonOf(err) != PodRefused {
			t.Errorf("got %v", err)
		}
	}
}

// A stopping scheduler cancels its calls. Their failures look like those of a server that is down.
func TestBreaker_doesNotCountCancelledQueries(t *testing.T) {
	changes := &recordedChanges{}
	b := newBreaker(changes.record)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	ended := func() error { return status.FromContextError(stopped.Err()).Err() }
	for range 3 * failuresToOpen {
		if err := b.query(stopped, filterQueries, ended); ReasonOf(err) != GivenUp {
			t.Errorf("got %v", err)
		}
	}
	if all := changes.all(); len(all) != 0 {
		t.Errorf("the changes are %v", all)
	}
	// Nor does it count as a successful probe.
	for range failuresToOpen {
		_ = b.query(t.Context(), filterQueries, func() error { return errFailed })
	}
	for started := time.Now(); b.circuits[filterQueries].State() != gobreaker.StateHalfOpen; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("the circuit is not half-open")
		}
	}
	if err := b.circuits[filterQueries].execute(stopped, ended, nil); ReasonOf(err) != GivenUp {
		t.Errorf("got %v", err)
	}
	if all := changes.all(); len(all) != 1 {
		t.Errorf("the changes are %v", all)
	}
}

// Scores may be late while verdicts are not.
func TestBreaker_countsEachKindOfQuerySeparately(t *testing.T) {
	changes := &recordedChanges{}
	b := newBreaker(changes.record)
	for range failuresToOpen {
		if err := b.query(t.Context(), filterQueries, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := b.query(t.Context(), scoreQueries, func() error { return errFailed }); !errors.Is(err, errFailed) {
			t.Fatal(err)
		}
	}
	if err := b.query(t.Context(), scoreQueries, func() error { return nil }); ReasonOf(err) != BreakerOpen {
		t.Errorf("got %v", err)
	}
	if err := b.query(t.Context(), filterQueries, func() error { return nil }); err != nil {
		t.Errorf("verdicts are not queried: %v", err)
	}
	if all := changes.all(); len(all) != 1 || !errors.Is(all[0], errFailed) {
		t.Errorf("the changes are %v", all)
	}
}

// A cheaper query may be answered in time although the one that failed is not.
func TestBreaker_probesWithTheFailedQuery(t *testing.T) {
	changes := &recordedChanges{}
	b := newBreaker(changes.record)
	var late atomic.Bool
	late.Store(true)
	var scored, since atomic.Int32
	score := func() error {
		scored.Add(1)
		if late.Load() {
			return errFailed
		}
		return nil
	}
	for range failuresToOpen {
		_ = b.query(t.Context(), scoreQueries, score)
	}
	go b.run(t.Context(), noPreparation)
	for started := time.Now(); scored.Load() < failuresToOpen+2; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("the failed query is not repeated")
		}
	}
	// The query that was rejected since then is repeated instead.
	_ = b.query(t.Context(), scoreQueries, func() error { since.Add(1); return errFailed })
	for started := time.Now(); since.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("the rejected query is not repeated")
		}
	}
	if !b.isOpen() || len(changes.all()) != 1 {
		t.Errorf("the changes are %v", changes.all())
	}
	_ = b.query(t.Context(), scoreQueries, score)
	late.Store(false)
	awaitOpen(t, b, false)
	if all := changes.all(); len(all) != 2 || all[1] != nil {
		t.Errorf("the changes are %v", all)
	}
}

func TestBreaker_isOpenWhileAnyKindFails(t *testing.T) {
	changes := &recordedChanges{}
	b := newBreaker(changes.record)
	var late [queryKindCount]atomic.Bool
	fail := func(kind queryKind) func() error {
		return func() error {
			if late[kind].Load() {
				return errFailed
			}
			return nil
		}
	}
	// Both are in flight at the same time.
	for kind := range queryKindCount {
		late[kind].Store(true)
		for range failuresToOpen {
			_ = b.circuits[kind].execute(t.Context(), fail(kind), func(context.Context) error { return fail(kind)() })
		}
	}
	go b.run(t.Context(), noPreparation)
	late[filterQueries].Store(false)
	for started := time.Now(); b.circuits[filterQueries].State() != gobreaker.StateClosed; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("no probe has closed the circuit")
		}
	}
	if !b.isOpen() || len(changes.all()) != 1 {
		t.Errorf("the changes are %v", changes.all())
	}
	late[scoreQueries].Store(false)
	awaitOpen(t, b, false)
	if all := changes.all(); len(all) != 2 || all[1] != nil {
		t.Errorf("the changes are %v", all)
	}
}

// A server that answers a probe and then fails again at once is probed less often.
func TestBreaker_probesLessOften_ifItOpensAgainSoon(t *testing.T) {
	b := newBreaker(func(error) {})
	go b.run(t.Context(), noPreparation)
	for _, minimum := range []time.Duration{minProbeInterval, 2 * minProbeInterval, 4 * minProbeInterval} {
		for range failuresToOpen {
			_ = b.do(t.Context(), scoreQueries, func() error { return errFailed }, noPreparation)
		}
		started := time.Now()
		awaitOpen(t, b, false)
		if took := time.Since(started); took < minimum-minProbeInterval/4 {
			t.Errorf("it was probed after %v", took)
		}
		time.Sleep(minProbeInterval / 2) // Until the probe loop has seen it.
	}
}

func TestNextProbeInterval_growsToALimit_andIsReset(t *testing.T) {
	interval := minProbeInterval
	for range 20 {
		interval = nextProbeInterval(interval, time.Second)
	}
	if interval != maxProbeInterval {
		t.Errorf("it is %v", interval)
	}
	if again := nextProbeInterval(interval, reopenWindow+1); again != minProbeInterval {
		t.Errorf("it is %v after a while", again)
	}
}
