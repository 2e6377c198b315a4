package feed

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

const (
	nodeKind = evenkeelv1.ObjectKind_OBJECT_KIND_NODE
	podKind  = evenkeelv1.ObjectKind_OBJECT_KIND_POD
)

// world is a cluster, its informers, and a model of the server.
type world struct {
	t       *testing.T
	cluster *cluster
	model   *model
	state   evenkeelv1.ClusterStateClient
	options Options
	began   atomic.Int32
	ended   atomic.Int32
	last    atomic.Pointer[error]
	causes  map[Cause]*atomic.Int32
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, cluster: newCluster(), causes: map[Cause]*atomic.Int32{
		CauseStream: {}, CauseRelist: {}, CauseSlow: {}}}
	w.model = &model{cluster: w.cluster, failed: t.Errorf}
	w.model.restart("first")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	evenkeelv1.RegisterClusterStateServer(server, w.model)
	go func() { _ = server.Serve(listener) }()
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(); server.Stop() })
	w.state = evenkeelv1.NewClusterStateClient(connection)
	w.options = Options{Feeder: "test", Hooks: Hooks{
		Began:    func(string) { w.began.Add(1) },
		Ended:    func(err error, _ time.Duration) { w.last.Store(&err); w.ended.Add(1) },
		Snapshot: func(_ evenkeelv1.ObjectKind, cause Cause, _ int) { w.causes[cause].Add(1) },
	}}
	return w
}

// start runs a feed until the test ends.
func (w *world) start() *Feed {
	w.t.Helper()
	informers := Informers{
		Nodes: w.cluster.nodes.informer(w.t, &corev1.Node{}),
		Pods:  w.cluster.pods.informer(w.t, &corev1.Pod{}),
	}
	feed, err := New(w.state, informers, w.options)
	if err != nil {
		w.t.Fatal(err)
	}
	feed.timing = timing{minBackoff: 10 * time.Millisecond, maxBackoff: 50 * time.Millisecond, pollInterval: 20 * time.Millisecond}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- feed.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
	return feed
}

func (w *world) await(what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.model.mutex.Lock()
			defer w.model.mutex.Unlock()
			w.t.Fatalf("not within a minute: %s (%d streams; %+v)", what, len(w.model.begins), w.model.kinds)
		}
	}
}

func (w *world) awaitHeld() {
	w.t.Helper()
	w.await("the server holds what the cluster does", w.model.holds)
}

func (w *world) versions(kind evenkeelv1.ObjectKind) (uint64, uint64) {
	w.model.mutex.Lock()
	defer w.model.mutex.Unlock()
	return w.model.kinds[kind].reported, w.model.kinds[kind].reached
}

func (w *world) begins() []*evenkeelv1.BeginSnapshot {
	w.model.mutex.Lock()
	defer w.model.mutex.Unlock()
	return slices.Clone(w.model.begins)
}

func refusal(code codes.Code, reason evenkeelv1.ErrorReason) error {
	refused, err := status.New(code, "refused").WithDetails(
		&errdetails.ErrorInfo{Domain: "evenkeel.io", Reason: reason.String()})
	if err != nil {
		return err
	}
	return refused.Err()
}

func TestRun_sendsASnapshotOfEachKind_thenEventsInOrder(t *testing.T) {
	w := newWorld(t)
	for i := range 1200 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	w.cluster.nodes.put("a")
	w.cluster.nodes.put("b")
	w.start()
	w.awaitHeld()
	begin := w.begins()[0]
	if begin.Feeder != "test" || begin.Takeover || len(begin.Kinds) != 2 {
		t.Errorf("the stream began with %v", begin)
	}
	w.cluster.pods.put("p7")
	w.cluster.pods.delete("p8")
	w.cluster.pods.put("p8")
	w.cluster.nodes.put("c")
	w.cluster.nodes.delete("a")
	w.awaitHeld()
	if w.causes[CauseStream].Load() != 2 || w.causes[CauseRelist].Load() != 0 {
		t.Errorf("%d and %d snapshots were sent", w.causes[CauseStream].Load(), w.causes[CauseRelist].Load())
	}
}

func TestRun_bringsBackWhatLeftTheSelectorOfAnInformer(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	w.start()
	w.awaitHeld()
	w.cluster.pods.hide("p7")
	w.awaitHeld()
	w.cluster.pods.put("p7")
	w.awaitHeld()
	if w.causes[CauseRelist].Load() != 0 {
		t.Error("a snapshot was sent again although the order was known")
	}
}

func TestRun_sendsBookmarksOfAQuietKind(t *testing.T) {
	w := newWorld(t)
	w.cluster.nodes.put("a")
	w.start()
	w.awaitHeld()
	for range 3 {
		w.cluster.pods.put("p")
		_, version, _ := w.cluster.nodes.now()
		w.cluster.nodes.bookmark()
		w.await("a bookmark", func() bool { _, reached := w.versions(nodeKind); return reached >= version })
	}
}

// The informer relists and reports the differences in no order.
func TestRun_sendsASnapshot_afterARelist(t *testing.T) {
	for _, streaming := range []bool{false, true} {
		t.Run(fmt.Sprintf("streaming=%t", streaming), func(t *testing.T) {
			w := newWorld(t)
			w.cluster.pods.streaming = streaming
			for i := range 300 {
				w.cluster.pods.put(fmt.Sprintf("p%d", i))
			}
			w.start()
			w.awaitHeld()
			w.cluster.pods.cut(true)
			for i := range 100 {
				w.cluster.pods.put(fmt.Sprintf("p%d", i))
				w.cluster.pods.delete(fmt.Sprintf("p%d", i+150))
				w.cluster.pods.put(fmt.Sprintf("q%d", i))
			}
			w.awaitHeld()
			w.await("the relist is noticed", func() bool { return w.causes[CauseRelist].Load() > 0 })
			w.cluster.pods.put("p1")
			w.awaitHeld()
		})
	}
}

func TestRun_continues_ifARelistHasChangedNothing(t *testing.T) {
	w := newWorld(t)
	for i := range 30 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	w.start()
	w.awaitHeld()
	w.cluster.pods.cut(true)
	_, version, _ := w.cluster.pods.now()
	w.await("the list's version", func() bool { _, reached := w.versions(podKind); return reached >= version })
	w.cluster.pods.put("p1")
	w.awaitHeld()
	if w.causes[CauseRelist].Load() != 0 {
		t.Error("a snapshot was sent again although nothing has changed")
	}
}

func TestRun_opensAnotherStream_ifTheStreamBreaksOrTheServerRestarts(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	var breaks atomic.Bool
	w.model.before = func(int, *evenkeelv1.SyncRequest) error {
		if breaks.CompareAndSwap(true, false) {
			return status.Error(codes.Unavailable, "broken")
		}
		return nil
	}
	w.start()
	w.awaitHeld()
	for i := range 10 {
		if i%2 == 0 {
			w.model.restart(fmt.Sprintf("instance %d", i))
		}
		breaks.Store(true)
		w.cluster.pods.put("p1")
		w.await("the stream breaks", func() bool { return !breaks.Load() })
		w.cluster.pods.delete(fmt.Sprintf("p%d", i))
		w.awaitHeld()
	}
	if w.began.Load() < 11 {
		t.Errorf("only %d streams began", w.began.Load())
	}
}

func TestRun_waitsForAnotherFeeder_andTakesOverOnce(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	w.options.Takeover = true
	lost := make(chan struct{})
	w.model.before = func(stream int, request *evenkeelv1.SyncRequest) error {
		switch {
		case stream == 0 && request.GetEvents() != nil:
			close(lost)
			return refusal(codes.Aborted, evenkeelv1.ErrorReason_ERROR_REASON_FEED_TAKEN_OVER)
		case stream > 0 && stream < 4:
			return refusal(codes.Unavailable, evenkeelv1.ErrorReason_ERROR_REASON_FEEDER_ACTIVE)
		}
		return nil
	}
	w.start()
	w.awaitHeld()
	w.cluster.pods.put("p1")
	w.await("4 streams have ended", func() bool { return w.ended.Load() >= 4 })
	w.awaitHeld()
	for i, begin := range w.begins() {
		if begin.Takeover != (i == 0) {
			t.Errorf("stream %d began with %v", i, begin)
		}
	}
	<-lost
	if err := *w.last.Load(); reason(err) != evenkeelv1.ErrorReason_ERROR_REASON_FEEDER_ACTIVE {
		t.Errorf("the last stream ended with %v", err)
	}
}

// The events that wait for a slow server are bounded, and a snapshot replaces dropped ones.
func TestRun_sendsASnapshot_ifTheServerIsSlow(t *testing.T) {
	w := newWorld(t)
	w.options.MaxWaiting = 50
	for i := range 200 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	var stalls atomic.Bool
	released := make(chan struct{})
	w.model.before = func(int, *evenkeelv1.SyncRequest) error {
		if stalls.Load() {
			<-released
		}
		return nil
	}
	feed := w.start()
	w.awaitHeld()
	stalls.Store(true)
	maxWaiting := 0
	// Flow control lets some messages pass before the feed blocks.
	for i := 0; w.waitsForTheServer(feed) && i < 400_000; i++ {
		w.cluster.pods.put(fmt.Sprintf("p%d", i%10))
		maxWaiting = max(maxWaiting, feed.Waiting()[podKind])
	}
	if maxWaiting > 50 {
		t.Errorf("%d events waited", maxWaiting)
	}
	stalls.Store(false)
	close(released)
	w.awaitHeld()
	w.await("a snapshot", func() bool { return w.causes[CauseSlow].Load() > 0 })
	if w.ended.Load() > 0 {
		t.Error("the stream has ended")
	}
}

// waitsForTheServer returns true if events are still accepted.
func (w *world) waitsForTheServer(feed *Feed) bool {
	subscription := feed.kinds[1].subscription.Load()
	subscription.mutex.Lock()
	defer subscription.mutex.Unlock()
	return subscription.lapsed == ""
}

func TestRun_opensAnotherStream_ifNothingIsAcknowledged(t *testing.T) {
	w := newWorld(t)
	w.options.AcknowledgeTimeout = 50 * time.Millisecond
	w.cluster.pods.put("p1")
	var hangs atomic.Bool
	hangs.Store(true)
	w.model.before = func(stream int, _ *evenkeelv1.SyncRequest) error {
		if stream == 0 {
			for hangs.Load() {
				time.Sleep(time.Millisecond)
			}
		}
		return nil
	}
	w.start()
	w.await("the stream ends", func() bool { return w.ended.Load() > 0 })
	if !errors.Is(*w.last.Load(), errUnacknowledged) {
		t.Errorf("the stream ended with %v", *w.last.Load())
	}
	hangs.Store(false)
	w.awaitHeld()
}

// Everything at once. The model checks its content after each message.
func TestRun_staysConsistent_whateverHappens(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.options.MaxWaiting = 40
			dice := rand.New(rand.NewPCG(seed, 17))
			w.cluster.pods.streaming = dice.IntN(2) == 0
			w.cluster.nodes.streaming = dice.IntN(2) == 0
			for range 200 {
				w.cluster.pods.random(dice, 150)
				w.cluster.nodes.random(dice, 5)
			}
			var breaks atomic.Bool
			var slow atomic.Bool
			w.model.before = func(int, *evenkeelv1.SyncRequest) error {
				if slow.Load() {
					time.Sleep(2 * time.Millisecond)
				}
				if breaks.CompareAndSwap(true, false) {
					return status.Error(codes.Unavailable, "broken")
				}
				return nil
			}
			w.start()
			for end := time.Now().Add(6 * time.Second); time.Now().Before(end); {
				for range dice.IntN(30) {
					w.cluster.pods.random(dice, 150)
				}
				if dice.IntN(3) == 0 {
					w.cluster.nodes.random(dice, 5)
				}
				source := []*source{w.cluster.pods, w.cluster.nodes}[dice.IntN(2)]
				switch dice.IntN(40) {
				case 0, 1:
					source.cut(dice.IntN(2) == 0)
				case 2:
					breaks.Store(true)
				case 3:
					w.model.restart(fmt.Sprint(dice.Int()))
					breaks.Store(true)
				case 4:
					slow.Store(dice.IntN(2) == 0)
				default:
					source.bookmark()
				}
				time.Sleep(time.Duration(dice.IntN(5)) * time.Millisecond)
			}
			slow.Store(false)
			w.awaitHeld()
			t.Logf("%d streams, %d relists, %d too slow, %d lists",
				w.began.Load(), w.causes[CauseRelist].Load(), w.causes[CauseSlow].Load(),
				w.cluster.pods.lists+w.cluster.nodes.lists)
		})
	}
}

func TestNew_rejectsInvalidOptions(t *testing.T) {
	w := newWorld(t)
	informers := Informers{Pods: w.cluster.pods.informer(t, &corev1.Pod{})}
	for name, fails := range map[string]func() error{
		"no feeder":   func() error { _, err := New(w.state, informers, Options{}); return err },
		"no informer": func() error { _, err := New(w.state, Informers{}, w.options); return err },
		"negative time": func() error {
			_, err := New(w.state, informers, Options{Feeder: "f", AcknowledgeTimeout: -1})
			return err
		},
	} {
		if fails() == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

func TestRun_fails_ifAnInformerHoldsObjectsOfAnotherType(t *testing.T) {
	w := newWorld(t)
	w.cluster.pods.put("p")
	feed, err := New(w.state, Informers{Nodes: w.cluster.pods.informer(t, &corev1.Pod{})}, w.options)
	if err != nil {
		t.Fatal(err)
	}
	if err := feed.Run(context.Background()); err == nil || err.Error() != "the informer of NODE must not hold *v1.Pod" {
		t.Errorf("got %v", err)
	}
}

func TestRun_fails_ifAnInformerHasStoppedBeforeItSynced(t *testing.T) {
	w := newWorld(t)
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			return nil, errors.New("there is no list")
		},
	}, &corev1.Pod{}, 0, cache.Indexers{})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	informer.RunWithContext(ctx)
	feed, err := New(w.state, Informers{Pods: informer}, w.options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := feed.Run(ctx); err == nil || err.Error() != "the informer of POD has stopped" {
		t.Errorf("got %v", err)
	}
}

// Hand-written bytes parse as the messages of the API.
func TestMessage_readsAsARequest(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "u", ResourceVersion: "12", Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: "a"},
	}
	events := &message{kind: podKind, step: requestEvents}
	whole := []evenkeelv1.ClusterEvent_Type{evenkeelv1.ClusterEvent_TYPE_ADDED, evenkeelv1.ClusterEvent_TYPE_MODIFIED}
	for _, typ := range append(whole, evenkeelv1.ClusterEvent_TYPE_DELETED) {
		if err := events.addEvent(event{typ, pod}); err != nil {
			t.Fatal(err)
		}
	}
	events.addBookmark("17")
	objects := &message{kind: podKind, step: requestObjects}
	if err := objects.addObject(pod); err != nil {
		t.Fatal(err)
	}
	named := &evenkeelv1.ObjectMeta{Namespace: "shop", Name: "web", Uid: "u", ResourceVersion: "12"}
	clusterObject := func(pod *evenkeelv1.Pod) *evenkeelv1.ClusterObject {
		return &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: pod}}
	}
	request := requestOf(t, events)
	sent := request.GetEvents().GetEvents()
	if len(sent) != 4 {
		t.Fatalf("got %v", request)
	}
	read := sent[0].GetObject().GetPod()
	if read.GetSpec().GetNodeName() != "a" || read.GetMetadata().GetLabels()["app"] != "web" || read.GetMetadata().GetUid() != "u" {
		t.Errorf("got %v", sent[0])
	}
	for i, typ := range whole {
		if sent[i].Type != typ || !proto.Equal(sent[i].GetObject().GetPod(), read) {
			t.Errorf("got %v, expected %v of the same pod", sent[i], typ)
		}
	}
	expected := []*evenkeelv1.ClusterEvent{
		{Type: evenkeelv1.ClusterEvent_TYPE_DELETED, Object: clusterObject(&evenkeelv1.Pod{Metadata: named})},
		{Type: evenkeelv1.ClusterEvent_TYPE_BOOKMARK, Object: clusterObject(
			&evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{ResourceVersion: "17"}})},
	}
	for i := range expected {
		if !proto.Equal(sent[i+2], expected[i]) {
			t.Errorf("got %v, expected %v", sent[i+2], expected[i])
		}
	}
	if listed := requestOf(t, objects).GetObjects().GetObjects(); len(listed) != 1 || !proto.Equal(listed[0].GetPod(), read) {
		t.Errorf("got %v", listed)
	}
}

func requestOf(t *testing.T, message *message) *evenkeelv1.SyncRequest {
	t.Helper()
	bytes, err := codec{}.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	request := &evenkeelv1.SyncRequest{}
	if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(bytes.Materialize(), request); err != nil {
		t.Fatal(err)
	}
	return request
}
