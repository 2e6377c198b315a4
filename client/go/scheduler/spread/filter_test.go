package spread

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/query"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"
)

// onlyB accepts every pod with one hard constraint on the node b, and on no other.
type onlyB struct {
	evenkeelv1.UnimplementedClusterStateServer
	questions atomic.Int32
}

func (o *onlyB) GetStatus(context.Context, *evenkeelv1.GetStatusRequest) (*evenkeelv1.GetStatusResponse, error) {
	return &evenkeelv1.GetStatusResponse{KubernetesVersion: "1.36"}, nil
}

func (o *onlyB) SyncAndEvaluate(stream grpc.BidiStreamingServer[evenkeelv1.SyncAndEvaluateRequest, evenkeelv1.SyncAndEvaluateResponse]) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		response := &evenkeelv1.SyncAndEvaluateResponse{Tag: message.Tag}
		if message.Request == nil {
			response.Result = &evenkeelv1.SyncAndEvaluateResponse_Sync{Sync: &evenkeelv1.SyncResponse{}}
		} else {
			o.questions.Add(1)
			response.Result = &evenkeelv1.SyncAndEvaluateResponse_Response{Response: &evenkeelv1.EvaluateResponse{
				NodeTableToken:  "table",
				NodeTableChange: &evenkeelv1.NodeTableChange{Whole: true, Runs: []*evenkeelv1.NodeRun{{Names: []string{"a", "b"}}}},
				Answers: []*evenkeelv1.PodAnswer{{Result: &evenkeelv1.PodAnswer_Packed{Packed: &evenkeelv1.PackedAnswer{
					HardConstraintCount: 1, CandidateCount: 2, PassedCount: 1, Passed: []byte{2}}}}},
			}}
		}
		if err := stream.Send(response); err != nil {
			return err
		}
	}
}

// plugin returns a plugin that asks this server, and the nodes a and b.
func (o *onlyB) plugin(t *testing.T, args *config.EvenkeelTopologySpreadArgs) (*Plugin, []fwk.NodeInfo) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
	evenkeelv1.RegisterClusterStateServer(server, o)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	metrics.Register() // The original plugin counts its goroutines.
	args.Server, args.Insecure = listener.Addr().String(), true
	if args.MinNodes == nil {
		args.MinNodes = ptr.To(int32(0))
	}
	config.SetDefaults(args)
	snapshot := internalcache.NewSnapshot(nil, []*v1.Node{node("a"), node("b")})
	client := fake.NewClientset()
	handle, err := frameworkruntime.NewFramework(t.Context(), nil, nil,
		frameworkruntime.WithSnapshotSharedLister(snapshot), frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(informers.NewSharedInformerFactory(client, 0)))
	if err != nil {
		t.Fatal(err)
	}
	created, err := NewFactory()(t.Context(), args, handle)
	if err != nil {
		t.Fatal(err)
	}
	plugin := created.(*Plugin)
	plugin.minWait = 10 * time.Second
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	for started := time.Now(); plugin.server.Update(nodes) != nil; time.Sleep(time.Millisecond) {
		if time.Since(started) > time.Minute {
			t.Fatal("there is no connection")
		}
	}
	return plugin, nodes
}

func node(name string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
		v1.LabelTopologyZone: "zone-" + name, v1.LabelHostname: name}}}
}

// webPod has no constraints.
func webPod(name, namespace string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(name), Labels: map[string]string{"app": "web"}}}
}

// incoming has maxSkew 1 across zones.
func incoming() *v1.Pod {
	pod := webPod("incoming", "shop")
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	return pod
}

// The pod is not valid UTF-8, so it cannot be encoded. One with a field that Evenkeel does not know fails in the same
// place.
func TestPreFilter_usesTheOriginal_ifThePodCannotBeSent(t *testing.T) {
	evenkeel := &onlyB{}
	plugin, nodes := evenkeel.plugin(t, &config.EvenkeelTopologySpreadArgs{})
	pod, state := incoming(), framework.NewCycleState()
	pod.Spec.Tolerations = []v1.Toleration{{Key: "\xff", Operator: v1.TolerationOpExists}}
	before := counted(t, plugin, sourceOriginal, string(query.PodRefused))
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	for _, node := range nodes {
		if status := plugin.Filter(t.Context(), state, pod, node); !status.IsSuccess() {
			t.Errorf("node %s: %v", node.Node().Name, status)
		}
	}
	if fallbacks := counted(t, plugin, sourceOriginal, string(query.PodRefused)) - before; fallbacks != 1 || evenkeel.questions.Load() != 0 {
		t.Errorf("the original answered %d times, and there were %d questions", fallbacks, evenkeel.questions.Load())
	}
}

// Each step waits for Evenkeel as long as the original takes for the same step.
func TestPreFilterAndPreScore_recordTheOriginalsTimes(t *testing.T) {
	plugin, nodes := (&onlyB{}).plugin(t, &config.EvenkeelTopologySpreadArgs{MinNodes: ptr.To(int32(3))})
	recorded := func() [2]int {
		return [2]int{len(plugin.scheduler.preFilterTime.recent), len(plugin.scheduler.preScoreTime.recent)}
	}
	pod, state := incoming(), framework.NewCycleState()
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	if found := recorded(); found != [2]int{1, 0} {
		t.Errorf("after PreFilter, %v times are recorded", found)
	}
	pod, state = incoming(), framework.NewCycleState()
	pod.Spec.TopologySpreadConstraints[0].WhenUnsatisfiable = v1.ScheduleAnyway
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSkip() {
		t.Fatal(status)
	}
	if status := plugin.PreScore(t.Context(), state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	if found := recorded(); found != [2]int{1, 1} {
		t.Errorf("after PreScore, %v times are recorded", found)
	}
}

// A pod of another namespace, nominated or evicted, cannot change the verdicts.
func TestAddAndRemovePod_keepEvenkeelsVerdicts_ifThePodIsInAnotherNamespace(t *testing.T) {
	plugin, nodes := (&onlyB{}).plugin(t, &config.EvenkeelTopologySpreadArgs{})
	pod, state := incoming(), framework.NewCycleState()
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	info, err := framework.NewPodInfo(webPod("other", "lab"))
	if err != nil {
		t.Fatal(err)
	}
	before := counted(t, plugin, sourceOriginal, string(changedState))
	for _, node := range nodes {
		clone := state.Clone()
		if status := plugin.AddPod(t.Context(), clone, pod, info, node); !status.IsSuccess() {
			t.Fatal(status)
		}
		if status := plugin.RemovePod(t.Context(), clone, pod, info, node); !status.IsSuccess() {
			t.Fatal(status)
		}
		if passed := plugin.Filter(t.Context(), clone, pod, node).IsSuccess(); passed != (node.Node().Name == "b") {
			t.Errorf("node %s passed: %t", node.Node().Name, passed)
		}
	}
	if recounts := counted(t, plugin, sourceOriginal, string(changedState)) - before; recounts != 0 {
		t.Errorf("the original counted %d times", recounts)
	}
}

// Default constraints apply only to pods with a service or controller that has a selector.
func TestPreFilter_asksNothing_withoutConstraintsAndOwners(t *testing.T) {
	evenkeel := &onlyB{}
	plugin, nodes := evenkeel.plugin(t, &config.EvenkeelTopologySpreadArgs{PodTopologySpreadArgs: configv1.PodTopologySpreadArgs{
		DefaultingType:     configv1.ListDefaulting,
		DefaultConstraints: []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule}},
	}})
	pod := webPod("single", "shop")
	state := framework.NewCycleState()
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSkip() {
		t.Errorf("PreFilter returned %v", status)
	}
	if status := plugin.PreScore(t.Context(), state, pod, nodes); !status.IsSkip() {
		t.Errorf("PreScore returned %v", status)
	}
	if asked := evenkeel.questions.Load(); asked != 0 {
		t.Errorf("%d questions", asked)
	}
	services := plugin.handle.SharedInformerFactory().Core().V1().Services().Informer()
	if err := services.GetIndexer().Add(&v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: v1.ServiceSpec{Selector: map[string]string{"app": "web"}}}); err != nil {
		t.Fatal(err)
	}
	if _, status := plugin.PreFilter(t.Context(), framework.NewCycleState(), pod, nodes); !status.IsSuccess() {
		t.Errorf("PreFilter returned %v", status)
	}
	if asked := evenkeel.questions.Load(); asked != 1 {
		t.Errorf("%d questions with a service", asked)
	}
}

// In Kubernetes 1.37, such a pod is scheduled together with its group.
func TestPreFilter_usesTheOriginal_ifThePodIsInASchedulingGroup(t *testing.T) {
	evenkeel := &onlyB{}
	plugin, nodes := evenkeel.plugin(t, &config.EvenkeelTopologySpreadArgs{})
	pod := incoming()
	group := "training"
	pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group}
	before := counted(t, plugin, sourceOriginal, string(podGroup))
	if _, status := plugin.PreFilter(t.Context(), framework.NewCycleState(), pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	if fallbacks := counted(t, plugin, sourceOriginal, string(podGroup)) - before; fallbacks != 1 || evenkeel.questions.Load() != 0 {
		t.Errorf("the original answered %d times, and there were %d questions", fallbacks, evenkeel.questions.Load())
	}
}

func TestPreFilter_usesTheOriginal_ifThereAreFewNodes(t *testing.T) {
	for minNodes, questions := range map[int32]int32{2: 1, 3: 0} {
		evenkeel := &onlyB{}
		plugin, nodes := evenkeel.plugin(t, &config.EvenkeelTopologySpreadArgs{MinNodes: ptr.To(minNodes)})
		before := counted(t, plugin, sourceOriginal, string(fewNodes))
		if _, status := plugin.PreFilter(t.Context(), framework.NewCycleState(), incoming(), nodes); !status.IsSuccess() {
			t.Fatal(status)
		}
		originals := counted(t, plugin, sourceOriginal, string(fewNodes)) - before
		if asked := evenkeel.questions.Load(); asked != questions || originals != 1-int(questions) {
			t.Errorf("with minNodes %d, there were %d questions, and the original answered %d times", minNodes, asked, originals)
		}
	}
}
