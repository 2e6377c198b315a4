package feed

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

const (
	liveNodes = 40
	livePods  = 400
	zoneLabel = corev1.LabelTopologyZone
)

// process is a program that runs as long as its standard input is open.
type process struct {
	t       *testing.T
	command *exec.Cmd
	input   io.WriteCloser
	lines   *bufio.Scanner
}

func startProcess(t *testing.T, name string, arguments ...string) *process {
	t.Helper()
	command := exec.Command(name, arguments...)
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t, command, input, bufio.NewScanner(output)}
	t.Cleanup(p.stop)
	return p
}

// await reads the output up to a line with this prefix.
func (p *process) await(begins string) {
	p.t.Helper()
	for p.lines.Scan() {
		if strings.HasPrefix(p.lines.Text(), begins) {
			return
		}
	}
	p.t.Fatalf("%s ended before it said %q", p.command, begins)
}

func (p *process) send(line, answer string) {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.input, line); err != nil {
		p.t.Fatal(err)
	}
	p.await(answer)
}

// stop lets the program exit by itself.
func (p *process) stop() {
	_ = p.input.Close()
	_ = p.command.Wait()
}

func (p *process) kill() {
	_ = p.command.Process.Kill()
	_ = p.command.Wait()
}

// startServer starts an Evenkeel on a port. The test is skipped if no program is configured.
func startServer(t *testing.T, port int) *process {
	t.Helper()
	if os.Getenv("EVENKEEL_SERVER") == "" {
		t.Skip("NOT RUN WITH A REAL SERVER: EVENKEEL_SERVER names no program")
	}
	server := startProcess(t, os.Getenv("EVENKEEL_SERVER"), strconv.Itoa(port))
	t.Cleanup(server.kill)
	server.await("evenkeel listens")
	return server
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// proxy is a proxy between a feed and a server that can close and slow down connections.
type proxy struct {
	listener net.Listener
	to       string
	slow     atomic.Bool
	mutex    sync.Mutex
	open     []net.Conn
}

func startProxy(t *testing.T, port int) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, to: address(port)}
	t.Cleanup(func() { _ = listener.Close(); p.cut() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", p.to)
			if err != nil {
				_ = near.Close()
				continue
			}
			p.mutex.Lock()
			p.open = append(p.open, near, far)
			p.mutex.Unlock()
			go p.pipe(far, near)
			go p.pipe(near, far)
		}
	}()
	return p
}

func (p *proxy) pipe(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	bytes := make([]byte, 4096)
	for {
		n, err := from.Read(bytes)
		if err != nil {
			return
		}
		if p.slow.Load() {
			time.Sleep(20 * time.Millisecond)
		}
		if _, err := to.Write(bytes[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) cut() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, connection := range p.open {
		_ = connection.Close()
	}
	p.open = nil
}

func address(port int) string { return "127.0.0.1:" + strconv.Itoa(port) }

func connect(t *testing.T, target string) *grpc.ClientConn {
	t.Helper()
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	return connection
}

// live is a real control plane whose objects the test changes.
type live struct {
	t         *testing.T
	plane     *process
	clientset *kubernetes.Clientset
	dice      *rand.Rand
}

func startLive(t *testing.T) *live {
	t.Helper()
	directory := t.TempDir()
	plane := startProcess(t, os.Getenv("EVENKEEL_CONTROL_PLANE"), "--commands", directory)
	plane.await("ready")
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(directory, "kubeconfig"))
	if err != nil {
		t.Fatal(err)
	}
	config.ContentType = runtime.ContentTypeProtobuf
	config.QPS, config.Burst = 10_000, 10_000
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return &live{t, plane, clientset, rand.New(rand.NewPCG(1, 18))}
}

func (l *live) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

func (l *live) fill(ctx context.Context) {
	core, apps := l.clientset.CoreV1(), l.clientset.AppsV1()
	labels := map[string]string{"app": "web"}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: l.pod("", "").Spec}
	for i := range liveNodes {
		_, err := core.Nodes().Create(ctx, l.node(i), metav1.CreateOptions{})
		l.must(err)
	}
	for i := range livePods {
		l.put(ctx, i)
	}
	_, err := core.Services("default").Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}},
	}, metav1.CreateOptions{})
	l.must(err)
	_, err = apps.ReplicaSets("default").Create(ctx, &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}, metav1.CreateOptions{})
	l.must(err)
	_, err = apps.StatefulSets("default").Create(ctx, &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       appsv1.StatefulSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}, metav1.CreateOptions{})
	l.must(err)
	_, err = l.clientset.PolicyV1().PodDisruptionBudgets("default").Create(ctx, &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}},
	}, metav1.CreateOptions{})
	l.must(err)
	_, err = core.ReplicationControllers("default").Create(ctx, &corev1.ReplicationController{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec:       corev1.ReplicationControllerSpec{Selector: labels, Template: &template},
	}, metav1.CreateOptions{})
	l.must(err)
}

func (l *live) node(number int) *corev1.Node {
	name := fmt.Sprintf("node-%02d", number)
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, zoneLabel: string(rune('a' + l.dice.IntN(3)))}}}
}

func (l *live) pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": []string{"web", "db"}[l.dice.IntN(2)]}},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Image: "i"}},
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}},
	}
}

// put creates a pod, or changes its labels.
func (l *live) put(ctx context.Context, number int) {
	name := fmt.Sprintf("web-%03d", number)
	pod := l.pod(name, fmt.Sprintf("node-%02d", l.dice.IntN(liveNodes)))
	if _, err := l.clientset.CoreV1().Pods("default").Create(ctx, pod, metav1.CreateOptions{}); err == nil {
		return
	}
	if before, err := l.clientset.CoreV1().Pods("default").Get(ctx, name, metav1.GetOptions{}); err == nil {
		before.Labels = pod.Labels
		before.Annotations = map[string]string{"turn": strconv.Itoa(l.dice.Int())}
		_, _ = l.clientset.CoreV1().Pods("default").Update(ctx, before, metav1.UpdateOptions{})
	}
}

// change makes a random change if the API server answers.
func (l *live) change(ctx context.Context) {
	core := l.clientset.CoreV1()
	switch number := l.dice.IntN(livePods); l.dice.IntN(12) {
	case 0, 1, 2, 3:
		_ = core.Pods("default").Delete(ctx, fmt.Sprintf("web-%03d", number), *metav1.NewDeleteOptions(0))
	case 4:
		node := l.node(number % liveNodes)
		if before, err := core.Nodes().Get(ctx, node.Name, metav1.GetOptions{}); err == nil {
			before.Labels = node.Labels
			_, _ = core.Nodes().Update(ctx, before, metav1.UpdateOptions{})
		} else {
			_, _ = core.Nodes().Create(ctx, node, metav1.CreateOptions{})
		}
	case 5:
		if l.dice.IntN(4) == 0 {
			_ = core.Nodes().Delete(ctx, fmt.Sprintf("node-%02d", number%liveNodes), *metav1.NewDeleteOptions(0))
		}
	default:
		l.put(ctx, number)
	}
}

// churn changes the cluster until the returned function is called.
func (l *live) churn(ctx context.Context) func() {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			l.change(ctx)
			time.Sleep(2 * time.Millisecond)
		}
	}()
	return func() { cancel(); <-done }
}

// lists returns all kinds from a plain list, as messages of the API, and the greatest version of each kind's objects.
func (l *live) lists(ctx context.Context) ([]*evenkeelv1.ClusterObject, map[evenkeelv1.ObjectKind]uint64) {
	core, apps := l.clientset.CoreV1(), l.clientset.AppsV1()
	var objects []*evenkeelv1.ClusterObject
	versions := map[evenkeelv1.ObjectKind]uint64{}
	add := func(kind evenkeelv1.ObjectKind, each object) {
		message := &message{kind: kind, step: requestObjects}
		l.must(message.addObject(each))
		read := &evenkeelv1.Objects{}
		l.must(proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(message.body, read))
		objects = append(objects, read.Objects...)
		version, _ := parse(each.GetResourceVersion())
		versions[kind] = max(versions[kind], version)
	}
	nodes, err := core.Nodes().List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range nodes.Items {
		add(nodeKind, &nodes.Items[i])
	}
	pods, err := core.Pods("").List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range pods.Items {
		add(podKind, &pods.Items[i])
	}
	services, err := core.Services("").List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range services.Items {
		add(evenkeelv1.ObjectKind_OBJECT_KIND_SERVICE, &services.Items[i])
	}
	controllers, err := core.ReplicationControllers("").List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range controllers.Items {
		add(evenkeelv1.ObjectKind_OBJECT_KIND_REPLICATION_CONTROLLER, &controllers.Items[i])
	}
	replicaSets, err := apps.ReplicaSets("").List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range replicaSets.Items {
		add(evenkeelv1.ObjectKind_OBJECT_KIND_REPLICA_SET, &replicaSets.Items[i])
	}
	statefulSets, err := apps.StatefulSets("").List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range statefulSets.Items {
		add(evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET, &statefulSets.Items[i])
	}
	budgets, err := l.clientset.PolicyV1().PodDisruptionBudgets("").List(ctx, metav1.ListOptions{})
	l.must(err)
	for i := range budgets.Items {
		add(evenkeelv1.ObjectKind_OBJECT_KIND_POD_DISRUPTION_BUDGET, &budgets.Items[i])
	}
	return objects, versions
}

// answers queries some pods at these versions or later. It returns the result for each node, and the versions that
// the answer is based on.
func answers(ctx context.Context, connection *grpc.ClientConn, versions map[evenkeelv1.ObjectKind]uint64) (string, map[evenkeelv1.ObjectKind]uint64, error) {
	request := &evenkeelv1.EvaluateRequest{Freshness: &evenkeelv1.Freshness{IncludeResourceVersions: true}, Options: &evenkeelv1.QueryOptions{
		Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}}, EveryNode: true}}
	for kind, version := range versions {
		request.Freshness.ResourceVersions = append(request.Freshness.ResourceVersions,
			&evenkeelv1.KindVersion{Kind: kind, ResourceVersion: strconv.FormatUint(version, 10)})
	}
	for _, app := range []string{"web", "db"} {
		for _, key := range []string{zoneLabel, corev1.LabelHostname} {
			for _, when := range []corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway} {
				labels := map[string]string{"app": app}
				request.Pods = append(request.Pods, &evenkeelv1.Pod{
					Metadata: &evenkeelv1.ObjectMeta{Namespace: "default", Labels: labels},
					Spec: &evenkeelv1.PodSpec{TopologySpreadConstraints: []*evenkeelv1.TopologySpreadConstraint{{
						MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: string(when),
						LabelSelector: &evenkeelv1.LabelSelector{MatchLabels: labels}}}},
				})
			}
		}
	}
	// The pod gets default constraints because a service selects it.
	request.Pods = append(request.Pods, &evenkeelv1.Pod{
		Metadata: &evenkeelv1.ObjectMeta{Namespace: "default", Labels: map[string]string{"app": "web"}}})
	response, err := evenkeelv1.NewPlacementClient(connection).Evaluate(ctx, request)
	if err != nil {
		return "", nil, err
	}
	reported := map[evenkeelv1.ObjectKind]uint64{}
	for _, each := range response.ResourceVersions {
		reported[each.Kind], _ = parse(each.ResourceVersion)
	}
	var text strings.Builder
	for _, answer := range response.Answers {
		verdicts := answer.GetReadable().GetVerdicts()
		slices.SortFunc(verdicts, func(a, b *evenkeelv1.NodeVerdict) int { return cmp.Compare(a.Name, b.Name) })
		for _, verdict := range verdicts {
			fmt.Fprintf(&text, "%s %s %d\n", verdict.Name, verdict.Reason, verdict.Score)
		}
		fmt.Fprintln(&text, answer.GetError())
	}
	return text.String(), reported, nil
}

// feedPlainly feeds a server once.
func feedPlainly(ctx context.Context, connection *grpc.ClientConn, objects []*evenkeelv1.ClusterObject) error {
	stream, err := evenkeelv1.NewClusterStateClient(connection).Sync(ctx)
	if err != nil {
		return err
	}
	begin := &evenkeelv1.BeginSnapshot{}
	for number := range evenkeelv1.ObjectKind_name {
		if kind := evenkeelv1.ObjectKind(number); kind != evenkeelv1.ObjectKind_OBJECT_KIND_UNSPECIFIED {
			begin.Kinds = append(begin.Kinds, kind)
		}
	}
	for _, request := range []*evenkeelv1.SyncRequest{
		{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: begin}},
		{Step: &evenkeelv1.SyncRequest_Objects{Objects: &evenkeelv1.Objects{Objects: objects}}},
		{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: &evenkeelv1.EndSnapshot{}}},
	} {
		if err := stream.Send(request); err != nil {
			return err
		}
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		if len(response.Refusals) > 0 {
			return fmt.Errorf("refused: %v", response.Refusals[0])
		}
	}
	return nil
}

// With a real server and the test's API server, an object leaves the informer's selector and comes back with its UID.
func TestLive_restoresAnObjectThatLeftTheSelector(t *testing.T) {
	port := freePort(t)
	startServer(t, port)
	w := newWorld(t)
	w.state = evenkeelv1.NewClusterStateClient(connect(t, address(port)))
	for i := range 20 {
		w.cluster.pods.put(fmt.Sprintf("p%d", i))
	}
	w.start()
	awaitPods := func(pods int64) {
		t.Helper()
		// The server reports the state of the kind once it has that version.
		_, _, version := w.cluster.pods.now()
		w.await(fmt.Sprintf("the server is told of version %d", version), func() bool {
			status, err := w.state.GetStatus(t.Context(), &evenkeelv1.GetStatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			reported, _ := parse(status.Kinds[podKind-1].ResourceVersion)
			if reported >= version && status.PodCount != pods {
				t.Fatalf("the server has %d pods at version %d, the cluster %d", status.PodCount, reported, pods)
			}
			return reported >= version
		})
	}
	awaitPods(20)
	w.cluster.pods.hide("p7")
	awaitPods(19)
	w.cluster.pods.put("p7")
	awaitPods(20)
	w.cluster.pods.put("p7")
	w.cluster.pods.delete("p7")
	awaitPods(19)
	if w.causes[CauseRelist].Load() != 0 {
		t.Error("a snapshot was sent again although the order was known")
	}
}

// Everything at once, with a real control plane and a real server. In the end the server has the same objects as a
// plain list.
func TestLive_endsEqualToAPlainList_whateverHappens(t *testing.T) {
	if os.Getenv("EVENKEEL_SERVER") == "" || os.Getenv("EVENKEEL_CONTROL_PLANE") == "" {
		t.Skip("NOT RUN WITH A REAL CONTROL PLANE: EVENKEEL_SERVER and EVENKEEL_CONTROL_PLANE name no programs")
	}
	ctx, cancel := context.WithTimeout(klog.NewContext(context.Background(), klog.Background()), 5*time.Minute)
	defer cancel()
	l := startLive(t)
	l.fill(ctx)
	port := freePort(t)
	server := startServer(t, port)
	between := startProxy(t, port)
	var relists, streams, refused atomic.Int32
	feeding, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	options := Options{Feeder: "the feed", MaxWaiting: 200, Hooks: Hooks{
		Began:   func(string) { streams.Add(1) },
		Refused: func(_ evenkeelv1.ObjectKind, refusal *evenkeelv1.Refusal) { refused.Add(1); t.Log(refusal) },
		Snapshot: func(_ evenkeelv1.ObjectKind, cause Cause, _ int) {
			if cause != CauseStream {
				relists.Add(1)
			}
		},
	}}
	factory := informers.NewSharedInformerFactory(l.clientset, 0)
	first, err := New(evenkeelv1.NewClusterStateClient(connect(t, between.listener.Addr().String())), Of(factory), options)
	l.must(err)
	first.timing = timing{minBackoff: 200 * time.Millisecond, maxBackoff: 2 * time.Second, pollInterval: time.Second}
	factory.Start(feeding.Done())
	go func() { ended <- first.Run(feeding) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		factory.Shutdown()
	}()

	direct := connect(t, address(port))
	state := evenkeelv1.NewClusterStateClient(direct)
	await := func(what string, holds func() bool) {
		t.Helper()
		for !holds() {
			if ctx.Err() != nil {
				t.Fatalf("timed out: %s", what)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	fedBy := func(feeder string) bool {
		status, err := state.GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
		return err == nil && status.Ready && status.Kinds[0].Feeder == feeder
	}
	await("it is fed", func() bool { return fedBy("the feed") })
	stopChurn := l.churn(ctx)
	pause := func() { time.Sleep(time.Second) }

	pause()
	server.kill()
	pause()
	server = startServer(t, port)
	await("it is fed after the server was started again", func() bool { return fedBy("the feed") })
	for range 3 {
		pause()
		between.cut()
	}
	await("it is fed after the connection was cut", func() bool { return fedBy("the feed") })

	// Another feeder takes over. The first one waits, and continues once that one has ended.
	otherOptions := Options{Feeder: "another feed", Takeover: true}
	otherFactory := informers.NewSharedInformerFactory(l.clientset, 0)
	other, err := New(state, Of(otherFactory), otherOptions)
	l.must(err)
	otherCtx, stopOther := context.WithCancel(ctx)
	otherFactory.Start(otherCtx.Done())
	otherEnded := make(chan error, 1)
	go func() { otherEnded <- other.Run(otherCtx) }()
	await("another feeder has taken over", func() bool { return fedBy("another feed") })
	pause()
	stopOther()
	l.must(<-otherEnded)
	otherFactory.Shutdown()
	await("the first one feeds again", func() bool { return fedBy("the feed") })

	l.plane.send("kill kube-apiserver", "killed kube-apiserver")
	pause()
	l.plane.send("start kube-apiserver", "started kube-apiserver")
	between.slow.Store(true)
	for range 5 {
		pause()
	}
	between.slow.Store(false)
	pause()
	stopChurn()

	objects, versions := l.lists(ctx)
	pods := int64(0)
	nodes := int64(0)
	for _, object := range objects {
		if object.GetPod() != nil {
			pods++
		} else if object.GetNode() != nil {
			nodes++
		}
	}
	plainPort := freePort(t)
	startServer(t, plainPort)
	plain := connect(t, address(plainPort))
	l.must(feedPlainly(ctx, plain, objects))
	expected, _, err := answers(ctx, plain, nil)
	l.must(err)
	// The answer waits for the versions of the list.
	got, reported, err := answers(ctx, direct, versions)
	l.must(err)
	if got != expected {
		t.Errorf("a server that was fed from a plain list answers differently: %s", firstDifference(expected, got))
	}
	for kind, version := range versions {
		// No version is sent for a kind that has not changed since the other feeder sent a later version.
		if changed := kind == nodeKind || kind == podKind; reported[kind] < version && (changed || reported[kind] > 0) {
			t.Errorf("the answer is based on version %d of %s, and the list has %d", reported[kind], kind, version)
		}
	}
	status, err := state.GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
	l.must(err)
	if status.PodCount != pods || status.NodeCount != nodes {
		t.Errorf("%d pods and %d nodes were expected, the server has %d and %d", pods, nodes, status.PodCount, status.NodeCount)
	}
	if refused.Load() > 0 {
		t.Errorf("%d objects were refused", refused.Load())
	}
	if streams.Load() < 5 {
		t.Errorf("only %d streams began", streams.Load())
	}
	t.Logf("%d pods, %d nodes, versions %v; %d streams, %d more snapshots in between",
		pods, nodes, versions, streams.Load(), relists.Load())
}

func firstDifference(expected, got string) string {
	lines := strings.Split(got, "\n")
	for i, line := range strings.Split(expected, "\n") {
		if i >= len(lines) || lines[i] != line {
			return fmt.Sprintf("%q, not %q", lines[min(i, len(lines)-1)], line)
		}
	}
	return "more lines"
}
