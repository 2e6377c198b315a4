package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/schedulerstream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// fakeEvenkeel accepts every node that it was sent, with the score 7.
type fakeEvenkeel struct {
	evenkeelv1.UnimplementedClusterStateServer

	mutex     sync.Mutex
	nodes     []string
	pods      map[string]bool
	snapshots int
	// Each changes what the server does, if it is set.
	late      time.Duration
	deaf      chan struct{}
	refuses   bool
	ends      error
	rejection *evenkeelv1.ItemError
	distort   func(*evenkeelv1.PackedAnswer)
	// Answers do not contain the node table.
	withholdsTable bool
	// The version of Kubernetes; empty: that of the scheduler.
	version string
}

func (f *fakeEvenkeel) GetStatus(context.Context, *evenkeelv1.GetStatusRequest) (*evenkeelv1.GetStatusResponse, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return &evenkeelv1.GetStatusResponse{KubernetesVersion: cmp.Or(f.version, kubernetesVersion)}, nil
}

func (f *fakeEvenkeel) set(change func()) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	change()
}

func (f *fakeEvenkeel) SyncAndEvaluate(stream grpc.BidiStreamingServer[evenkeelv1.SyncAndEvaluateRequest, evenkeelv1.SyncAndEvaluateResponse]) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		f.mutex.Lock()
		response, late, deaf, ends := f.answer(message), f.late, f.deaf, f.ends
		f.mutex.Unlock()
		if ends != nil {
			return ends
		}
		if deaf != nil {
			<-deaf
		}
		if message.Request != nil {
			time.Sleep(late)
		}
		if err := stream.Send(response); err != nil {
			return err
		}
	}
}

// answer is called with the mutex locked.
func (f *fakeEvenkeel) answer(message *evenkeelv1.SyncAndEvaluateRequest) *evenkeelv1.SyncAndEvaluateResponse {
	response := &evenkeelv1.SyncAndEvaluateResponse{Tag: message.Tag}
	if message.Sync != nil {
		acknowledgement := &evenkeelv1.SyncResponse{}
		f.apply(message.Sync)
		if f.refuses {
			acknowledgement.Refusals = []*evenkeelv1.Refusal{{Object: "shop/web", Error: &evenkeelv1.ItemError{Message: "the state is full"}}}
		}
		response.Result = &evenkeelv1.SyncAndEvaluateResponse_Sync{Sync: acknowledgement}
		return response
	}
	if f.rejection != nil {
		response.Result = &evenkeelv1.SyncAndEvaluateResponse_Error{Error: f.rejection}
		return response
	}
	packed := &evenkeelv1.PackedAnswer{CandidateCount: int32(len(f.nodes))}
	for _, constraint := range message.Request.Pods[0].Spec.TopologySpreadConstraints {
		if constraint.WhenUnsatisfiable == string(v1.DoNotSchedule) {
			packed.HardConstraintCount++
		} else {
			packed.SoftConstraintCount++
			packed.Scores = []byte(strings.Repeat("\a", len(f.nodes)))
		}
	}
	packed.Passed = make([]byte, (len(f.nodes)+7)/8)
	for index := range f.nodes {
		packed.Passed[index/8] |= 1 << (index % 8)
		packed.PassedCount++
	}
	if f.distort != nil {
		f.distort(packed)
	}
	table := &evenkeelv1.NodeTableChange{Whole: true, Runs: []*evenkeelv1.NodeRun{{Names: f.nodes}}}
	if f.withholdsTable {
		table = nil
	}
	response.Result = &evenkeelv1.SyncAndEvaluateResponse_Response{Response: &evenkeelv1.EvaluateResponse{
		Revision: &evenkeelv1.Revision{}, NodeTableToken: fmt.Sprint(f.nodes), NodeTableChange: table,
		Answers: []*evenkeelv1.PodAnswer{{Result: &evenkeelv1.PodAnswer_Packed{Packed: packed}}}}}
	return response
}

// apply is called with the mutex locked. No node is removed in these tests.
func (f *fakeEvenkeel) apply(step *evenkeelv1.SyncRequest) {
	if step.GetBeginSnapshot() != nil {
		f.nodes, f.pods = nil, map[string]bool{}
		f.snapshots++
	}
	for _, event := range step.GetEvents().GetEvents() {
		if node := event.Object.GetNode(); node != nil {
			f.nodes = append(f.nodes, node.Metadata.Name)
		}
		if pod := event.Object.GetPod(); pod != nil {
			f.pods[pod.Metadata.Uid] = true
		}
	}
}

// scheduler has a snapshot, and a server that it sends it to.
type scheduler struct {
	*Server
	t       *testing.T
	fake    *fakeEvenkeel
	nodes   []*v1.Node
	pods    []*v1.Pod
	infos   []fwk.NodeInfo
	changes []error
}

func newScheduler(t *testing.T) *scheduler {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "evenkeel.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &scheduler{t: t, fake: &fakeEvenkeel{}}
	server := grpc.NewServer()
	evenkeelv1.RegisterClusterStateServer(server, s.fake)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	s.Server, err = NewServer(t.Context(), &config.EvenkeelTopologySpreadArgs{Server: "unix:" + socket},
		func(failure error) { s.changes = append(s.changes, failure) })
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	once := sync.OnceFunc(func() { close(ready) })
	go s.Run(func(open bool) {
		if open {
			once()
		}
	})
	<-ready
	s.add("a", "b", "c")
	return s
}

// add adds nodes with one pod each.
func (s *scheduler) add(names ...string) {
	for _, name := range names {
		s.nodes = append(s.nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name)}})
		s.pods = append(s.pods, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("pod-" + name)},
			Spec: v1.PodSpec{NodeName: name}})
	}
	s.infos, _ = internalcache.NewSnapshot(s.pods, s.nodes).NodeInfos().List()
}

func spreadPod(actions ...v1.UnsatisfiableConstraintAction) *v1.Pod {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
	for _, action := range actions {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints,
			v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: action})
	}
	return pod
}

func (s *scheduler) question(actions ...v1.UnsatisfiableConstraintAction) *Question {
	s.t.Helper()
	var hard, soft int32
	for _, action := range actions {
		if action == v1.DoNotSchedule {
			hard++
		} else {
			soft++
		}
	}
	question, err := NewQuestion(spreadPod(actions...), &evenkeelv1.DefaultConstraints{Type: evenkeelv1.DefaultConstraints_TYPE_SYSTEM},
		labels.Everything(), hard, soft)
	if err != nil {
		s.t.Fatal(err)
	}
	return question
}

// cycle makes the queries of a pod with hard and soft constraints, and returns the first failure.
func (s *scheduler) cycle(timeout time.Duration) error {
	s.t.Helper()
	if err := s.Update(s.infos); err != nil {
		return err
	}
	question := s.question(v1.DoNotSchedule, v1.ScheduleAnyway)
	verdicts, err := s.AskVerdicts(question)(s.t.Context(), timeout)
	if err != nil {
		return err
	}
	names := make([]string, len(s.nodes))
	for i, node := range s.nodes {
		names[i] = node.Name
		if code := verdicts.For(node.Name); code != evenkeelv1.NodeCode_NODE_CODE_SUCCESS {
			return fmt.Errorf("the verdict on %s is %v", node.Name, code)
		}
	}
	scores, err := s.AskScores(question, names)(s.t.Context(), timeout)
	if err != nil {
		return err
	}
	for _, name := range names {
		if score, known := scores.For(name); !known || score != 7 {
			return fmt.Errorf("the score of %s is %d (known: %t)", name, score, known)
		}
	}
	return nil
}

func (s *scheduler) answered() {
	s.t.Helper()
	if err := s.cycle(10 * time.Second); err != nil {
		s.t.Fatal(err)
	}
}

// afterPause waits until the server is asked again.
func (s *scheduler) afterPause() {
	time.Sleep(time.Until(s.pause.until))
}

func (s *scheduler) snapshotsSent() int {
	s.fake.mutex.Lock()
	defer s.fake.mutex.Unlock()
	return s.fake.snapshots
}

func TestServer_answersFromTheSnapshot(t *testing.T) {
	s := newScheduler(t)
	s.answered()
	s.add("d")
	s.answered()
	if s.snapshotsSent() != 1 || len(s.fake.pods) != 4 || len(s.changes) > 0 {
		t.Errorf("%d snapshots, pods %v, changes %v", s.snapshotsSent(), s.fake.pods, s.changes)
	}
	// A pod with soft constraints only: the table of the last answer lacks the newest node.
	s.add("e")
	if err := s.Update(s.infos); err != nil {
		t.Fatal(err)
	}
	await := s.AskScores(s.question(v1.ScheduleAnyway), []string{"a", "b", "c", "d", "e"})
	if _, err := await(t.Context(), 10*time.Second); err != nil {
		t.Error(err)
	}
}

// Another program changes Evenkeel's nodes, so the counts may be wrong too.
func TestServer_getsTheSnapshotAgain_ifItHasOtherNodes(t *testing.T) {
	for name, change := range map[string]func(*fakeEvenkeel){
		"one more":        func(f *fakeEvenkeel) { f.nodes = append(f.nodes, "other") },
		"one less":        func(f *fakeEvenkeel) { f.nodes = f.nodes[1:] },
		"a different one": func(f *fakeEvenkeel) { f.nodes = append(f.nodes[1:], "other") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newScheduler(t)
			s.answered()
			s.fake.set(func() { change(s.fake) })
			if err := s.Update(s.infos); err != nil {
				t.Fatal(err)
			}
			_, err := s.AskVerdicts(s.question(v1.DoNotSchedule))(t.Context(), 10*time.Second)
			if ReasonOf(err) != Unavailable || len(s.changes) != 1 {
				t.Errorf("failed with %v, reported %v", err, s.changes)
			}
			s.pause.until = time.Now()
			s.answered()
			if s.snapshotsSent() != 2 {
				t.Errorf("the snapshot was sent %d times", s.snapshotsSent())
			}
		})
	}
	// Scores need the same check, because a pod may have no hard constraints.
	s := newScheduler(t)
	s.answered()
	s.fake.set(func() {
		s.fake.nodes = append(s.fake.nodes[1:], "other")
		s.fake.distort = func(packed *evenkeelv1.PackedAnswer) { packed.PassedCount = 1 }
	})
	if err := s.Update(s.infos); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AskScores(s.question(v1.ScheduleAnyway), []string{"b"})(t.Context(), 10*time.Second); err == nil || s.stream != nil {
		t.Errorf("failed with %v", err)
	}
}

// The server has a table that is too large for an answer, and does not list it.
func TestServer_isNotAskedForAWhile_ifItsNodesCannotBeListed(t *testing.T) {
	s := newScheduler(t)
	s.answered()
	s.add("d")
	s.fake.set(func() { s.fake.withholdsTable = true })
	for range 3 {
		if err := s.cycle(10 * time.Second); !errors.Is(err, nodetable.ErrNotCarried) {
			t.Errorf("failed with %v", err)
		}
	}
	if err := s.cycle(10 * time.Second); !errors.Is(err, errPaused) || len(s.changes) != 1 {
		t.Errorf("failed with %v, reported %v", err, s.changes)
	}
	s.fake.set(func() { s.fake.withholdsTable = false })
	s.afterPause()
	s.answered()
	s.answered()
	if s.snapshotsSent() != 1 || len(s.changes) != 2 {
		t.Errorf("the snapshot was sent %d times, reported %v", s.snapshotsSent(), s.changes)
	}
}

func TestServer_isNotAsked_whileItLacksAPartOfTheSnapshot(t *testing.T) {
	s := newScheduler(t)
	for i := range 10_000 {
		s.pods = append(s.pods, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint(i), UID: types.UID(fmt.Sprint(i))},
			Spec: v1.PodSpec{NodeName: s.nodes[i%2].Name}})
	}
	s.add()
	unsent := 0
	for err := s.cycle(10 * time.Second); err != nil; err = s.cycle(10 * time.Second) {
		if !errors.Is(err, errUnsent) {
			t.Fatal(err)
		}
		unsent++
	}
	if unsent == 0 || len(s.fake.pods) != 10_003 {
		t.Errorf("%d cycles without an answer, %d pods", unsent, len(s.fake.pods))
	}
}

func TestServer_isNotAskedForAWhile_afterLateAnswers(t *testing.T) {
	s := newScheduler(t)
	s.answered()
	s.fake.set(func() { s.fake.late = 50 * time.Millisecond })
	for range 3 {
		if err := s.cycle(time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("failed with %v", err)
		}
	}
	s.add("d")
	if err := s.cycle(time.Second); !errors.Is(err, errPaused) {
		t.Errorf("failed with %v", err)
	}
	if len(s.changes) != 1 || !errors.Is(s.changes[0], context.DeadlineExceeded) {
		t.Errorf("reported %v", s.changes)
	}
	s.fake.set(func() { s.fake.late = 0 })
	s.afterPause()
	s.answered()
	// Two answers were in time, not enough to report that.
	if len(s.changes) != 1 {
		t.Errorf("reported %v", s.changes)
	}
	s.answered()
	if s.snapshotsSent() != 1 {
		t.Errorf("the snapshot was sent %d times", s.snapshotsSent())
	}
	if len(s.changes) != 2 || s.changes[1] != nil {
		t.Errorf("reported %v", s.changes)
	}
}

func TestServer_getsTheSnapshotAgain_afterAFault(t *testing.T) {
	for _, test := range []struct {
		name string
		set  func(*fakeEvenkeel)
	}{
		{"the stream has ended", func(f *fakeEvenkeel) { f.ends = status.Error(codes.Unavailable, "shutting down") }},
		{"an object was refused", func(f *fakeEvenkeel) { f.refuses = true }},
		{"the answer lacks a constraint", func(f *fakeEvenkeel) {
			f.distort = func(packed *evenkeelv1.PackedAnswer) { packed.HardConstraintCount-- }
		}},
		{"the answer lacks bits", func(f *fakeEvenkeel) {
			f.distort = func(packed *evenkeelv1.PackedAnswer) { packed.Passed = nil }
		}},
		{"the answer lacks scores", func(f *fakeEvenkeel) {
			f.distort = func(packed *evenkeelv1.PackedAnswer) { packed.Scores = packed.Scores[1:] }
		}},
		{"a score is too high", func(f *fakeEvenkeel) {
			f.distort = func(packed *evenkeelv1.PackedAnswer) { packed.Scores[0] = maxScore + 1 }
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScheduler(t)
			s.answered()
			s.fake.set(func() { test.set(s.fake) })
			s.add("d")
			failure := s.cycle(10 * time.Second)
			if failure == nil || len(s.changes) != 1 {
				t.Fatalf("failed with %v, reported %v", failure, s.changes)
			}
			if err := s.cycle(10 * time.Second); !errors.Is(err, errPaused) {
				t.Errorf("failed with %v", err)
			}
			if refused := errors.Is(failure, schedulerstream.ErrRefused); refused != (time.Until(s.pause.until) > maxPause) {
				t.Errorf("there is a pause of %v after %v", time.Until(s.pause.until), failure)
			}
			s.pause.until = time.Now()
			if err := s.cycle(10 * time.Second); err == nil || errors.Is(err, errPaused) {
				t.Errorf("failed again with %v", err)
			}
			if s.pause.length != 2*minPause || len(s.changes) != 1 {
				t.Errorf("there is a pause of %v, reported %v", s.pause.length, s.changes)
			}
			s.fake.set(func() { s.fake.ends, s.fake.refuses, s.fake.distort = nil, false, nil })
			s.pause.until = time.Now()
			s.answered()
			s.answered()
			if s.snapshotsSent() != 3 || len(s.changes) != 2 {
				t.Errorf("the snapshot was sent %d times, reported %v", s.snapshotsSent(), s.changes)
			}
		})
	}
}

// A rejected question does not end the stream.
func TestServer_asksAgain_afterARejection(t *testing.T) {
	s := newScheduler(t)
	s.answered()
	s.fake.set(func() {
		s.fake.rejection = &evenkeelv1.ItemError{Reason: evenkeelv1.ErrorReason_ERROR_REASON_NODE_TABLE_UNKNOWN, Message: "unknown table"}
	})
	if err := s.cycle(10 * time.Second); err == nil {
		t.Error("answered")
	}
	if known := *s.tables.Known(); known != "" {
		t.Errorf("the table %q is kept", known)
	}
	s.fake.set(func() { s.fake.rejection = nil })
	s.answered()
	if s.snapshotsSent() != 1 || len(s.changes) > 0 {
		t.Errorf("%d snapshots, reported %v", s.snapshotsSent(), s.changes)
	}
}

// A server that reads nothing blocks a cycle for a second at most, and only once.
func TestServer_losesItsStream_ifItReadsNothing(t *testing.T) {
	s := newScheduler(t)
	s.answered()
	deaf := make(chan struct{})
	defer close(deaf)
	s.fake.set(func() { s.fake.deaf = deaf })
	for i := range 5000 {
		s.pods = append(s.pods, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: fmt.Sprint(i), UID: types.UID(fmt.Sprint(i)),
			Labels: map[string]string{"app": strings.Repeat("x", 2000)}}, Spec: v1.PodSpec{NodeName: "a"}})
	}
	s.add()
	began := time.Now()
	if err := s.cycle(time.Millisecond); err == nil {
		t.Error("answered")
	}
	if took := time.Since(began); took > maxSendTime+5*time.Second {
		t.Errorf("the cycle took %v", took)
	}
	if s.stream != nil || time.Until(s.pause.until) <= maxPause {
		t.Errorf("the stream is %v, and the pause lasts %v", s.stream, time.Until(s.pause.until))
	}
}

func TestServer_isNotWaitedFor_ifThereIsNoConnection(t *testing.T) {
	server, err := NewServer(t.Context(), &config.EvenkeelTopologySpreadArgs{Server: "unix:" + filepath.Join(t.TempDir(), "none.sock")}, func(error) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Update(nil); !errors.Is(err, errNoStream) {
		t.Errorf("failed with %v", err)
	}
	failed := make(chan struct{})
	once := sync.OnceFunc(func() { close(failed) })
	go server.Run(func(bool) {
		if server.connection.GetState() == connectivity.TransientFailure {
			once()
		}
	})
	<-failed
	server.pause.until = time.Now()
	if err := server.Update(nil); ReasonOf(err) != Unavailable || !strings.Contains(err.Error(), "none.sock") {
		t.Errorf("failed with %v", err)
	}
}

func TestNewQuestion_sendsTheSelectorOfTheOwners(t *testing.T) {
	selector, err := labels.Parse("app=web,tier in (a,b),!canary,zone,color notin (red)")
	if err != nil {
		t.Fatal(err)
	}
	question, err := NewQuestion(spreadPod(), &evenkeelv1.DefaultConstraints{Type: evenkeelv1.DefaultConstraints_TYPE_SYSTEM}, selector, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, expression := range question.defaults.OwnersSelector.MatchExpressions {
		found[expression.Key] = fmt.Sprint(expression.Operator, len(expression.Values))
	}
	want := map[string]string{"app": "In1", "tier": "In2", "canary": "DoesNotExist0", "zone": "Exists0", "color": "NotIn1"}
	if fmt.Sprint(found) != fmt.Sprint(want) || question.defaults.Type != evenkeelv1.DefaultConstraints_TYPE_SYSTEM {
		t.Errorf("expected %v, found %v", want, question.defaults)
	}
	// A service selects the pod, and its controller no longer does. Nothing matches both.
	selector, err = labels.Parse("app=web,app=db")
	if err != nil {
		t.Fatal(err)
	}
	question, err = NewQuestion(spreadPod(), &evenkeelv1.DefaultConstraints{}, selector, 0, 2)
	if err != nil || len(question.defaults.OwnersSelector.MatchExpressions) != 2 {
		t.Errorf("found %v, %v", question, err)
	}
	selector, err = labels.Parse("size>3")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewQuestion(spreadPod(), &evenkeelv1.DefaultConstraints{}, selector, 0, 0); err == nil {
		t.Error("the operator > was accepted")
	}
}

func TestServer_isNotAsked_ifItFollowsAnotherVersionOfKubernetes(t *testing.T) {
	s := newScheduler(t)
	s.fake.set(func() { s.fake.version = "1.37" })
	err := s.cycle(time.Second)
	if ReasonOf(err) != OtherVersion || len(s.changes) != 1 || s.fake.snapshots != 0 {
		t.Errorf("failed with %v, reported %v, and got %d snapshots", err, s.changes, s.fake.snapshots)
	}
}

func TestKubernetesVersion_isThatOfTheScheduler(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\tk8s.io/kubernetes v"+kubernetesVersion+".") {
		t.Errorf("go.mod does not require Kubernetes %s", kubernetesVersion)
	}
}
