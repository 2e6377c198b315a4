package assumption

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
)

// server is an Evenkeel that assumes pods. It can be restarted and be unavailable.
type server struct {
	mutex    sync.Mutex
	instance string
	counter  int64
	assumed  map[string]string
	away     bool
	refuse   map[string]evenkeelv1.ErrorReason
	// Most pods that one call had to forget.
	maxForgotten int
	// The number of pods of each Assume call, and the bytes of the largest.
	sent     []int
	maxBytes int
	// If not nil, Assume calls send to entered, and wait for leave.
	entered, leave chan struct{}
}

func newServer() *server { return &server{instance: "one", assumed: map[string]string{}} }

func (s *server) startAgain(instance string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.instance, s.counter, s.assumed = instance, 0, map[string]string{}
}

func (s *server) setAway(away bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.away = away
}

func (s *server) all() map[string]string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.assumed)
}

var errAway = errors.New("away")

func (s *server) revision() *evenkeelv1.Revision {
	s.counter++
	return &evenkeelv1.Revision{Instance: s.instance, Counter: s.counter}
}

func (s *server) Assume(_ context.Context, request *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	if s.entered != nil {
		s.entered <- struct{}{}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.sent = append(s.sent, len(request.Pods))
	s.maxBytes = max(s.maxBytes, proto.Size(request))
	return func() (*evenkeelv1.AssumeResponse, error) {
		if s.leave != nil {
			<-s.leave
		}
		return s.assume(request)
	}
}

func (s *server) assume(request *evenkeelv1.AssumeRequest) (*evenkeelv1.AssumeResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.away {
		return nil, errAway
	}
	response := &evenkeelv1.AssumeResponse{Revision: s.revision()}
	for position, pod := range request.Pods {
		if reason, refused := s.refuse[pod.Pod.Metadata.Uid]; refused {
			response.Refusals = append(response.Refusals, &evenkeelv1.Refusal{
				Position: int32(position), Error: &evenkeelv1.ItemError{Reason: reason, Message: "refused"}})
			continue
		}
		s.assumed[pod.Pod.Metadata.Uid] = pod.Node
	}
	return response, nil
}

func (s *server) Forget(_ context.Context, request *evenkeelv1.ForgetRequest) func() (*evenkeelv1.ForgetResponse, error) {
	return func() (*evenkeelv1.ForgetResponse, error) { return s.forget(request) }
}

func (s *server) forget(request *evenkeelv1.ForgetRequest) (*evenkeelv1.ForgetResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.away {
		return nil, errAway
	}
	s.maxForgotten = max(s.maxForgotten, len(request.Uids))
	for _, uid := range request.Uids {
		delete(s.assumed, uid)
	}
	return &evenkeelv1.ForgetResponse{Revision: s.revision()}, nil
}

func pod(uid string) *evenkeelv1.Pod {
	return &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Name: "pod-" + uid, Uid: uid}}
}

func running(t *testing.T, s *server) *Ledger {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	ledger := NewLedger(s)
	go ledger.Run(ctx)
	return ledger
}

func await(t *testing.T, ledger *Ledger) *evenkeelv1.Revision {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	revision, err := ledger.Await(ctx)
	for errors.Is(err, ErrUnacknowledged) && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
		revision, err = ledger.Await(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

func expect(t *testing.T, s *server, uids ...string) {
	t.Helper()
	if known := slices.Sorted(maps.Keys(s.all())); !slices.Equal(known, uids) {
		t.Errorf("expected %v to be assumed, found %v", uids, known)
	}
}

func TestLedger_sendsChanges(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	if revision := await(t, ledger); revision != nil {
		t.Errorf("revision %v before the first write", revision)
	}
	ledger.Assume(pod("a"), "one")
	ledger.Assume(pod("b"), "two")
	if revision := await(t, ledger); revision.Instance != "one" || revision.Counter < 1 {
		t.Errorf("the last write is %v", revision)
	}
	expect(t, s, "a", "b")
	ledger.Forget("a")
	ledger.Assume(pod("b"), "three")
	await(t, ledger)
	expect(t, s, "b")
	if node := s.all()["b"]; node != "three" {
		t.Errorf("b is on %s", node)
	}
}

func TestLedger_resendsAfterARestart(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	ledger.Assume(pod("seen"), "one")
	await(t, ledger)
	ledger.Bound("seen")
	s.startAgain("two")
	ledger.InstanceLost()
	if revision := await(t, ledger); revision.Instance != "two" {
		t.Errorf("the last write is %v", revision)
	}
	expect(t, s, "a")
	// The ledger learns of this restart only by assuming the next pod.
	s.startAgain("three")
	ledger.Assume(pod("b"), "one")
	if revision := await(t, ledger); revision.Instance != "three" {
		t.Errorf("the last write is %v", revision)
	}
	expect(t, s, "a", "b")
}

func TestLedger_retriesAnUnavailableServer(t *testing.T) {
	s := newServer()
	s.setAway(true)
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := ledger.Await(ctx); !errors.Is(err, ErrUnacknowledged) {
		t.Errorf("got %v", err)
	}
	for !ledger.isFailing() {
		time.Sleep(time.Millisecond)
	}
	// Operators need the cause.
	if _, err := ledger.Await(t.Context()); !errors.Is(err, ErrUnacknowledged) || !strings.Contains(err.Error(), "away") {
		t.Errorf("got %v", err)
	}
	if _, err := ledger.Flush(t.Context()); !errors.Is(err, ErrUnacknowledged) || !strings.Contains(err.Error(), "away") {
		t.Errorf("got %v", err)
	}
	ledger.Assume(pod("b"), "one")
	ledger.Forget("a")
	s.setAway(false)
	await(t, ledger)
	expect(t, s, "b")
}

func TestLedger_reportsRefusedPods(t *testing.T) {
	s := newServer()
	s.refuse = map[string]evenkeelv1.ErrorReason{
		"full": evenkeelv1.ErrorReason_ERROR_REASON_STATE_FULL, "gone": evenkeelv1.ErrorReason_ERROR_REASON_POD_DELETED,
		"bound": evenkeelv1.ErrorReason_ERROR_REASON_POD_BOUND}
	ledger := running(t, s)
	ledger.Assume(pod("gone"), "one")
	ledger.Assume(pod("bound"), "one")
	await(t, ledger)
	ledger.Assume(pod("full"), "one")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for {
		_, err := ledger.Await(ctx)
		if errors.Is(err, ErrRefused) {
			break
		}
		if ctx.Err() != nil {
			t.Fatal("the refusal was not reported")
		}
	}
	ledger.Forget("full")
	await(t, ledger)
}

// A connection may switch to another replica, and back before that one has expired its pods.
func TestLedger_forgetsAPodOnAllReplicas(t *testing.T) {
	for name, returned := range map[string]func(*Ledger){
		"found out by a question": func(ledger *Ledger) { ledger.InstanceLost() },
		"found out by a write":    func(ledger *Ledger) { ledger.Assume(pod("c"), "one") },
	} {
		s := newServer()
		ledger := running(t, s)
		ledger.Assume(pod("a"), "one")
		ledger.Assume(pod("b"), "one")
		await(t, ledger)
		replica, counter := s.all(), s.counter
		s.startAgain("two")
		ledger.InstanceLost()
		await(t, ledger)
		ledger.Forget("a")
		await(t, ledger)
		expect(t, s, "b")
		s.startAgain("one")
		s.assumed, s.counter = replica, counter
		returned(ledger)
		await(t, ledger)
		if _, counted := s.all()["a"]; counted {
			t.Errorf("%s: the first replica counts a forgotten pod", name)
		}
		ledger.mutex.Lock()
		ledger.forgotten["a"] = time.Now().Add(-timeToLive - callTimeout)
		ledger.renew()
		if len(ledger.forgotten) > 0 {
			t.Errorf("%s: %v is kept although every replica has forgotten it", name, ledger.forgotten)
		}
		ledger.mutex.Unlock()
	}
}

// A restarted server may have listed its pods after the pod was bound and deleted, so no watch will ever show it
// there.
func TestLedger_forgetsPodsThatTheServersWatchWillNotShow(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	for _, uid := range []string{"gone", "bound", "held"} {
		ledger.Assume(pod(uid), "one")
	}
	await(t, ledger)
	ledger.Gone("gone")
	await(t, ledger)
	expect(t, s, "bound", "held")
	s.startAgain("two")
	ledger.InstanceLost()
	await(t, ledger)
	ledger.Bound("bound")
	await(t, ledger)
	// A query in flight does not demand that the server's watch has shown the pod.
	expect(t, s, "bound", "held")
	ledger.mutex.Lock()
	ledger.bound["bound"].seenAt = ledger.bound["bound"].seenAt.Add(-maxQueryDuration)
	ledger.renew()
	ledger.mutex.Unlock()
	await(t, ledger)
	expect(t, s, "held")
}

// A server that lists its pods after a pod was deleted does not see that deletion, and counts the pod until it
// expires.
func TestLedger_forgetsAPodThatIsDeletedSoonAfterItWasSeenBound(t *testing.T) {
	for name, restarts := range map[string]bool{"told once": false, "told again": true} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			ledger := running(t, s)
			ledger.Assume(pod("deleted"), "one")
			ledger.Assume(pod("held"), "one")
			await(t, ledger)
			if restarts {
				s.startAgain("two")
				ledger.InstanceLost()
				await(t, ledger)
			}
			ledger.Bound("deleted")
			expect(t, s, "deleted", "held")
			ledger.Gone("deleted")
			await(t, ledger)
			expect(t, s, "held")
			ledger.Gone("another's")
			ledger.mutex.Lock()
			defer ledger.mutex.Unlock()
			if len(ledger.pending) != 0 {
				t.Error("pending:", ledger.pending)
			}
		})
	}
}

// Pods seen bound are dropped once no server can count them as assumed.
func TestLedger_dropsBoundPodsAfterSomeTime(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	ledger.Assume(pod("bound"), "one")
	await(t, ledger)
	ledger.Bound("bound")
	ledger.mutex.Lock()
	defer ledger.mutex.Unlock()
	ledger.bound["bound"].seenAt = ledger.bound["bound"].seenAt.Add(-timeToLive)
	ledger.renew()
	if len(ledger.bound) != 1 {
		t.Error("a server may still count it")
	}
	ledger.bound["bound"].seenAt = ledger.bound["bound"].seenAt.Add(-callTimeout)
	ledger.renew()
	if len(ledger.bound) != 0 || len(ledger.pending) != 0 {
		t.Error("bound:", ledger.bound, "pending:", ledger.pending)
	}
}

// A pod that is seen bound while a call with it fails is not sent again. The answer to an earlier query may lack it.
func TestLedger_doesNotCoverAPodThatWasSeenBoundDuringAFailedCall(t *testing.T) {
	s := newServer()
	s.entered, s.leave = make(chan struct{}), make(chan struct{})
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	<-s.entered
	checkpoint, err := ledger.Flush(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ledger.Bound("a")
	s.setAway(true)
	s.leave <- struct{}{}
	for ledger.isSending() {
		time.Sleep(time.Millisecond)
	}
	s.setAway(false)
	s.entered, s.leave = nil, nil
	ledger.Assume(pod("b"), "one")
	revision := await(t, ledger)
	if covers, err := ledger.Covers(t.Context(), checkpoint, revision); covers || err != nil {
		t.Errorf("got %t, %v", covers, err)
	}
}

func (l *Ledger) isSending() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.inFlight != nil
}

func (l *Ledger) isFailing() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.lastError != nil
}

func TestLedger_sendsPendingPodsBeforeAQuery(t *testing.T) {
	s := newServer()
	// The background sender is not running.
	ledger := NewLedger(s)
	ledger.Assume(pod("a"), "one")
	ledger.Assume(pod("b"), "one")
	if len(s.sent) != 0 {
		t.Errorf("%v was sent before the first query", s.sent)
	}
	for range 2 {
		checkpoint, err := ledger.Flush(t.Context())
		if err != nil || !checkpoint.pending || !slices.Equal(s.sent, []int{2}) {
			t.Errorf("sent %v, checkpoint %+v, error %v", s.sent, checkpoint, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go ledger.Run(ctx)
	await(t, ledger)
	expect(t, s, "a", "b")
	if checkpoint, err := ledger.Flush(t.Context()); checkpoint.pending || checkpoint.Revision.GetCounter() != 1 || err != nil {
		t.Errorf("checkpoint %+v, error %v", checkpoint, err)
	}
}

func TestLedger_sendsWithoutAQuery(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	for round := range 3 {
		ledger.Assume(pod(strconv.Itoa(round)), "one")
		awaitKnown(t, s, round+1)
	}
	// Nothing is pending when the background sender wakes up.
	ledger.Assume(pod("bound"), "one")
	ledger.Bound("bound")
	ledger.Assume(pod("next"), "one")
	awaitKnown(t, s, 4)
	s.setAway(true)
	ledger.Assume(pod("away"), "one")
	for !ledger.isFailing() {
		time.Sleep(time.Millisecond)
	}
	s.setAway(false)
	awaitKnown(t, s, 5)
	ledger.Assume(pod("last"), "one")
	awaitKnown(t, s, 6)
}

func TestLedger_doesNotSendManyPodsBeforeAQuery(t *testing.T) {
	s := newServer()
	ledger := NewLedger(s)
	for i := range maxPiggybacked + 1 {
		ledger.Assume(pod(strconv.Itoa(i)), "one")
	}
	if checkpoint, err := ledger.Flush(t.Context()); !checkpoint.pending || len(s.sent) != 0 || err != nil {
		t.Errorf("sent %v, checkpoint %+v, error %v", s.sent, checkpoint, err)
	}
}

// A Forget that overtakes the Assume of the same call would leave an older revision behind than the Assume.
func TestLedger_sendsForgetAfterAssume(t *testing.T) {
	s := newServer()
	ledger := NewLedger(s)
	ledger.Assume(pod("a"), "one")
	ledger.Assume(pod("b"), "one")
	ledger.Forget("b")
	call := ledger.begin(t.Context())
	if call.awaitAssume == nil || call.awaitForget != nil {
		t.Errorf("begun with %+v", call)
	}
	s.setAway(true)
	if err := ledger.finish(t.Context(), call); err == nil || call.awaitForget != nil {
		t.Errorf("sent Forget although Assume failed: %v", err)
	}
	s.setAway(false)
	if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err != nil {
		t.Error(err)
	}
	expect(t, s, "a")
	if ledger.revision.GetCounter() != 2 {
		t.Errorf("the last write is %v", ledger.revision)
	}
}

func TestLedger_sendsWithTheNextQuery_ifTheFailedPodsAreNoLongerPending(t *testing.T) {
	s := newServer()
	ledger := NewLedger(s)
	s.setAway(true)
	ledger.Assume(pod("a"), "one")
	if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err == nil || !ledger.isFailing() {
		t.Fatalf("the call has not failed: %v", err)
	}
	ledger.Bound("a")
	s.setAway(false)
	ledger.Assume(pod("b"), "one")
	if standing, err := ledger.Flush(t.Context()); err != nil || !standing.pending || len(ledger.started) != 1 {
		t.Errorf("checkpoint %+v, error %v", standing, err)
	}
}

// Evenkeel's watch may not have shown the pod bound yet, and a query in flight need not demand it.
func TestLedger_doesNotForgetAPodThatWasSeenBoundDuringAFailedCall(t *testing.T) {
	s := newServer()
	ledger := NewLedger(s)
	ledger.Assume(pod("a"), "one")
	if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	ledger.mutex.Lock()
	ledger.markPending("a")
	ledger.mutex.Unlock()
	call := ledger.begin(t.Context())
	ledger.Bound("a")
	s.setAway(true)
	if err := ledger.finish(t.Context(), call); err == nil {
		t.Fatal("the call has not failed")
	}
	s.setAway(false)
	if again := ledger.begin(t.Context()); again != nil {
		t.Errorf("sent again: %+v", again)
	}
	// The next pod can be sent.
	ledger.Assume(pod("b"), "one")
	if _, err := ledger.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	_ = ledger.finish(t.Context(), <-ledger.started)
	expect(t, s, "a", "b")
	ledger.mutex.Lock()
	ledger.bound["a"].seenAt = ledger.bound["a"].seenAt.Add(-maxQueryDuration)
	ledger.renew()
	ledger.mutex.Unlock()
	if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	expect(t, s, "b")
}

// Queries, which also send, and assumed pods come from several goroutines.
func TestLedger_losesNothing_whenQueriesSendToo(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	const cycles, pods = 4, 300
	var all []string
	var group sync.WaitGroup
	for cycle := range cycles {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := range pods {
				ledger.Assume(pod(fmt.Sprintf("%d-%03d", cycle, i)), "one")
				if i%7 == 0 {
					s.setAway(i%3 == 0)
				}
				// Nothing can be sent while the server is unavailable.
				_, _ = ledger.Flush(t.Context())
			}
		}()
		for i := range pods {
			all = append(all, fmt.Sprintf("%d-%03d", cycle, i))
		}
	}
	group.Wait()
	s.setAway(false)
	awaitKnown(t, s, len(all))
	slices.Sort(all)
	expect(t, s, all...)
}

// awaitKnown does not wake the ledger, unlike Await.
func awaitKnown(t *testing.T, s *server, count int) {
	t.Helper()
	for begin := time.Now(); len(s.all()) != count; time.Sleep(time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatalf("%d pods are assumed, not %d", len(s.all()), count)
		}
	}
}

// unreachableServer is an Evenkeel whose connection is opened later.
type unreachableServer struct {
	*server
	opened chan struct{}
}

func (u unreachableServer) Assume(ctx context.Context, request *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	select {
	case <-u.opened:
		return u.server.Assume(ctx, request)
	case <-ctx.Done():
		return func() (*evenkeelv1.AssumeResponse, error) { return nil, ctx.Err() }
	}
}

func TestLedger_sendsWithinTheDeadlineOfTheQuery(t *testing.T) {
	evenkeel := unreachableServer{newServer(), make(chan struct{})}
	ledger := NewLedger(evenkeel)
	ledger.Assume(pod("a"), "one")
	begin := time.Now()
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		standing, err := ledger.Flush(ctx)
		cancel()
		if err != nil || !standing.pending {
			t.Errorf("checkpoint %+v, error %v", standing, err)
		}
		if err := ledger.finish(t.Context(), <-ledger.started); err == nil {
			t.Error("the call has not failed")
		}
	}
	if took := time.Since(begin); took > callTimeout {
		t.Errorf("three queries took %s", took)
	}
	// A query that could not wait says nothing about the server.
	if ledger.isFailing() {
		t.Error("counted as a failure of the server")
	}
	close(evenkeel.opened)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go ledger.Run(ctx)
	await(t, ledger)
	expect(t, evenkeel.server, "a")
}

// If the process or its machine was suspended, Evenkeel has expired what was not renewed.
func TestLedger_renewsBeforeTheNextQuery_afterASuspension(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	await(t, ledger)
	s.startAgain("one") // The assumed pods have expired.
	ledger.mutex.Lock()
	ledger.lastRenewal = ledger.lastRenewal.Add(-timeToLive)
	ledger.assumed["a"].sentAt = ledger.assumed["a"].sentAt.Add(-timeToLive)
	ledger.mutex.Unlock()
	await(t, ledger)
	expect(t, s, "a")
}

func TestLedger_forgetsTheAssumedPodsOfAnEarlierScheduler(t *testing.T) {
	s := newServer()
	var pending []string
	for i := range 2*maxPodsPerCall + 1 {
		uid := strconv.Itoa(i)
		s.assumed[uid] = "one"
		pending = append(pending, uid)
	}
	s.assumed["other"] = "one"
	ledger := running(t, s)
	ledger.Assume(pod("7"), "two")
	ledger.ForgetOrphans(pending)
	await(t, ledger)
	expect(t, s, "7", "other")
	if s.maxForgotten > maxPodsPerCall {
		t.Errorf("one call is about %d pods", s.maxForgotten)
	}
}

// A server rejects messages of more than 16 MiB, and pods may be large.
func TestLedger_sendsLargePodsInSeveralCalls(t *testing.T) {
	s := newServer()
	ledger := NewLedger(s)
	var all []string
	for i := range 20 {
		large := pod(fmt.Sprintf("%02d", i))
		large.Metadata.Labels = map[string]string{"large": strings.Repeat("x", 1<<20)}
		ledger.Assume(large, "one")
		all = append(all, large.Metadata.Uid)
	}
	huge := pod("huge")
	huge.Metadata.Labels = map[string]string{"huge": strings.Repeat("x", maxBytesPerCall)}
	ledger.Assume(huge, "one")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go ledger.Run(ctx)
	await(t, ledger)
	expect(t, s, append(all, "huge")...)
	if limit := proto.Size(huge) + 1024; s.maxBytes > limit {
		t.Errorf("one call was of %d bytes, though %d would do", s.maxBytes, limit)
	}
}

// Pods come and go although Evenkeel is unavailable for long. Evenkeel expires what it was sent of them after some
// time.
func TestLedger_dropsPendingForgetsAfterSomeTime(t *testing.T) {
	s := newServer()
	ledger := NewLedger(s)
	history := ledger.KeepHistory()
	for _, uid := range []string{"held", "again", "old"} {
		ledger.Assume(pod(uid), "one")
	}
	if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	s.setAway(true)
	ledger.Forget("again")
	ledger.Forget("old")
	ledger.Assume(pod("held"), "two")
	fail := func() {
		t.Helper()
		if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err == nil {
			t.Fatal("the call has not failed")
		}
	}
	later := func(by time.Duration) {
		ledger.mutex.Lock()
		defer ledger.mutex.Unlock()
		for uid, notHeld := range ledger.pending {
			if !notHeld.IsZero() {
				ledger.pending[uid] = notHeld.Add(-by)
			}
		}
	}
	fail()
	later(timeToLive)
	ledger.Assume(pod("again"), "one")
	ledger.Forget("again")
	fail()
	standing, err := ledger.Flush(t.Context())
	if !errors.Is(err, ErrUnacknowledged) || len(ledger.pending) != 3 {
		t.Errorf("%v is pending, error %v", ledger.pending, err)
	}
	later(callTimeout)
	fail()
	if _, kept := ledger.pending["old"]; kept || len(ledger.pending) != 2 {
		t.Errorf("%v is pending", ledger.pending)
	}
	ledger.Bound("held")
	later(timeToLive + callTimeout)
	if call := ledger.begin(t.Context()); call != nil || ledger.isFailing() {
		t.Errorf("%+v is sent", call)
	}
	// The answer to an earlier query may count them.
	if covers, err := ledger.Covers(t.Context(), standing, ledger.revision); covers || err != nil {
		t.Errorf("got %t, %v", covers, err)
	}
	if _, certain := history.At(ledger.revision, time.Now(), "shop"); certain {
		t.Error("Evenkeel may or may not have expired them")
	}
	s.setAway(false)
	ledger.Assume(pod("new"), "one")
	if err := ledger.finish(t.Context(), ledger.begin(t.Context())); err != nil {
		t.Fatal(err)
	}
	assumed, certain := history.At(ledger.revision, time.Now(), "shop")
	if !certain || assumed["new"] == nil || assumed["old"] != nil || assumed["again"] != nil {
		t.Errorf("got %v, certain %t", assumed, certain)
	}
}

func TestLedger_backsOff(t *testing.T) {
	s := newServer()
	s.setAway(true)
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	time.Sleep(time.Second)
	s.mutex.Lock()
	tries := len(s.sent)
	s.mutex.Unlock()
	if tries == 0 || tries > 8 {
		t.Errorf("it was tried %d times in a second", tries)
	}
	s.setAway(false)
	await(t, ledger)
	expect(t, s, "a")
}

// flappingServer answers each call from another instance.
type flappingServer struct{ *server }

func (f flappingServer) Assume(_ context.Context, request *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	return func() (*evenkeelv1.AssumeResponse, error) {
		f.mutex.Lock()
		f.sent = append(f.sent, len(request.Pods))
		f.instance = strconv.Itoa(len(f.sent))
		f.mutex.Unlock()
		return f.assume(request)
	}
}

func TestLedger_backsOff_ifAnotherInstanceAnswersEachCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := flappingServer{newServer()}
	ledger := NewLedger(f)
	go ledger.Run(ctx)
	ledger.Assume(pod("a"), "one")
	await(t, ledger)
	ledger.Assume(pod("b"), "one")
	started := time.Now()
	time.Sleep(time.Second)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if maxCalls := int(time.Since(started)/minBackoff) + 10; len(f.sent) > maxCalls {
		t.Errorf("%d calls were made in a second", len(f.sent))
	}
}
