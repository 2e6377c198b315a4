package assumption

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// server is an Evenkeel that assumes, and that can be started again or be away.
type server struct {
	evenkeelv1.ClusterStateClient
	mutex    sync.Mutex
	instance string
	counter  int64
	assumed  map[string]string
	away     bool
	refuse   map[string]evenkeelv1.ErrorReason
	// largest is of how many pods a call was to forget.
	largest int
	// Calls that assume pods tell that they have begun, and go on when they are let. nil where they need not.
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

func (s *server) Assume(_ context.Context, request *evenkeelv1.AssumeRequest, _ ...grpc.CallOption) (*evenkeelv1.AssumeResponse, error) {
	if s.entered != nil {
		s.entered <- struct{}{}
		<-s.leave
	}
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

func (s *server) Forget(_ context.Context, request *evenkeelv1.ForgetRequest, _ ...grpc.CallOption) (*evenkeelv1.ForgetResponse, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.away {
		return nil, errAway
	}
	s.largest = max(s.largest, len(request.Uids))
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
	for errors.Is(err, ErrUntold) && ctx.Err() == nil {
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

func TestLedger_tellsOfWhatHasChanged(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	if revision := await(t, ledger); revision != nil {
		t.Errorf("%v was written before anything was", revision)
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

func TestLedger_tellsAgainWhatWasLost(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	ledger.Assume(pod("seen"), "one")
	await(t, ledger)
	ledger.Bound("seen")
	s.startAgain("two")
	ledger.Lost()
	if revision := await(t, ledger); revision.Instance != "two" {
		t.Errorf("the last write is %v", revision)
	}
	expect(t, s, "a")
	// Nobody has noticed this restart before the next pod is assumed.
	s.startAgain("three")
	ledger.Assume(pod("b"), "one")
	if revision := await(t, ledger); revision.Instance != "three" {
		t.Errorf("the last write is %v", revision)
	}
	expect(t, s, "a", "b")
}

func TestLedger_tellsAServerThatWasAway(t *testing.T) {
	s := newServer()
	s.setAway(true)
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := ledger.Await(ctx); !errors.Is(err, ErrUntold) {
		t.Errorf("got %v", err)
	}
	ledger.Assume(pod("b"), "one")
	ledger.Forget("a")
	s.setAway(false)
	await(t, ledger)
	expect(t, s, "b")
}

func TestLedger_saysWhereAPodIsNotCounted(t *testing.T) {
	s := newServer()
	s.refuse = map[string]evenkeelv1.ErrorReason{
		"full": evenkeelv1.ErrorReason_ERROR_REASON_STATE_FULL, "gone": evenkeelv1.ErrorReason_ERROR_REASON_POD_DELETED}
	ledger := running(t, s)
	ledger.Assume(pod("gone"), "one")
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
			t.Fatal("the refusal went unseen")
		}
	}
	ledger.Forget("full")
	await(t, ledger)
}

// A server that was started again may have begun with a list from which a pod was missing already: it was bound and
// deleted, so that no watch will ever show it there.
func TestLedger_letsNoServerKeepWhatItsWatchWillNotShow(t *testing.T) {
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
	ledger.Lost()
	await(t, ledger)
	ledger.Bound("bound")
	await(t, ledger)
	// A question that is under way does not demand that its watch has shown the pod.
	expect(t, s, "bound", "held")
	ledger.mutex.Lock()
	ledger.bound["bound"] = ledger.bound["bound"].Add(-longestQuestion)
	ledger.renew()
	ledger.mutex.Unlock()
	await(t, ledger)
	expect(t, s, "held")
}

// A pod that is seen bound while a call tells of it, which fails, is forgotten afterwards. The answer to a question that was
// asked before may lack it.
func TestLedger_doesNotCoverAPodThatWasSeenWhileACallFailed(t *testing.T) {
	s := newServer()
	s.entered, s.leave = make(chan struct{}), make(chan struct{})
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	<-s.entered
	standing, err := ledger.Standing()
	if err != nil {
		t.Fatal(err)
	}
	ledger.Bound("a")
	s.setAway(true)
	s.leave <- struct{}{}
	for !ledger.isFailing() {
		time.Sleep(time.Millisecond)
	}
	s.setAway(false)
	revision := await(t, ledger)
	if covers, err := ledger.Covers(t.Context(), standing, revision); covers || err != nil {
		t.Errorf("got %t, %v", covers, err)
	}
}

func (l *Ledger) isFailing() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.failing
}

// A process that has stood still, or its whole machine, finds that Evenkeel has forgotten what was not renewed.
func TestLedger_renewsBeforeTheNextQuestion_whereItStoodStill(t *testing.T) {
	s := newServer()
	ledger := running(t, s)
	ledger.Assume(pod("a"), "one")
	await(t, ledger)
	s.startAgain("one") // What was assumed has expired.
	ledger.mutex.Lock()
	ledger.renewed = ledger.renewed.Add(-timeToLive)
	ledger.held["a"].since = ledger.held["a"].since.Add(-timeToLive)
	ledger.mutex.Unlock()
	await(t, ledger)
	expect(t, s, "a")
}

func TestLedger_takesBackWhatASchedulerBeforeHasAssumed(t *testing.T) {
	s := newServer()
	var pending []string
	for i := range 2*mostTold + 1 {
		uid := strconv.Itoa(i)
		s.assumed[uid] = "one"
		pending = append(pending, uid)
	}
	s.assumed["other"] = "one"
	ledger := running(t, s)
	ledger.Assume(pod("7"), "two")
	ledger.Disown(pending)
	await(t, ledger)
	expect(t, s, "7", "other")
	if s.largest > mostTold {
		t.Errorf("one call is about %d pods", s.largest)
	}
}

func TestHistory_saysWhatWasAssumedAtARevision(t *testing.T) {
	history := &History{}
	assume := func(counter int64, uid string) {
		history.assumed(&evenkeelv1.Revision{Instance: "one", Counter: counter}, []*evenkeelv1.AssumedPod{{Pod: pod(uid), Node: "n"}})
	}
	assume(3, "a")
	assume(5, "b")
	history.forgotten(&evenkeelv1.Revision{Instance: "one", Counter: 7}, []string{"a"})
	history.failed()
	assume(9, "c")
	for counter, want := range map[int64][]string{2: nil, 3: {"a"}, 6: {"a", "b"}, 9: {"b", "c"}, 20: {"b", "c"}} {
		assumed, certain := history.At(&evenkeelv1.Revision{Instance: "one", Counter: counter})
		if found := slices.Sorted(maps.Keys(assumed)); !slices.Equal(found, want) || !certain {
			t.Errorf("%v at %d, certain %t", found, counter, certain)
		}
	}
	if _, certain := history.At(&evenkeelv1.Revision{Instance: "one", Counter: 8}); certain {
		t.Error("what may have been assumed by a call that failed is taken to be certain")
	}
	history.fold(2)
	if assumed, _ := history.At(&evenkeelv1.Revision{Instance: "one", Counter: 6}); len(assumed) != 2 {
		t.Errorf("%v at 6", assumed)
	}
	history.assumed(&evenkeelv1.Revision{Instance: "two", Counter: 1}, []*evenkeelv1.AssumedPod{{Pod: pod("d"), Node: "n"}})
	if assumed, _ := history.At(&evenkeelv1.Revision{Instance: "two", Counter: 1}); len(assumed) != 1 || !proto.Equal(assumed["d"].Pod, pod("d")) {
		t.Errorf("%v of the other instance", assumed)
	}
	if assumed, _ := history.At(&evenkeelv1.Revision{Instance: "one", Counter: 9}); len(assumed) != 2 {
		t.Errorf("%v of the instance before", assumed)
	}
}
