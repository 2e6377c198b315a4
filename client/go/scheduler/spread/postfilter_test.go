package spread

import (
	"context"
	"math/bits"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/metrics/testutil"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	stock "k8s.io/kubernetes/pkg/scheduler"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

// aheadEvenkeel always gives the same verdicts on the nodes a and b, whatever the scheduler knows.
type aheadEvenkeel struct {
	evenkeelv1.UnimplementedPlacementServer
	evenkeelv1.UnimplementedClusterStateServer
	// The nodes that pass, one bit each.
	passed byte
	// The number of calls that changed assumed pods, and of queries.
	calls, queries atomic.Int32
}

func (e *aheadEvenkeel) Filter(context.Context, *evenkeelv1.FilterRequest) (*evenkeelv1.FilterResponse, error) {
	e.queries.Add(1)
	return &evenkeelv1.FilterResponse{
		Revision: aheadRevision, NodeTableToken: "table",
		NodeTableChange: &evenkeelv1.NodeTableChange{Whole: true, Runs: []*evenkeelv1.NodeRun{{Names: []string{"a", "b"}}}},
		Answers: []*evenkeelv1.PodAnswer{{Result: &evenkeelv1.PodAnswer_Packed{Packed: &evenkeelv1.PackedAnswer{
			HardConstraintCount: 1, CandidateCount: 2, PassedCount: int32(bits.OnesCount8(e.passed)), Passed: []byte{e.passed}}}}},
	}, nil
}

var aheadRevision = &evenkeelv1.Revision{Instance: "one", Counter: 1}

func (e *aheadEvenkeel) Assume(context.Context, *evenkeelv1.AssumeRequest) (*evenkeelv1.AssumeResponse, error) {
	e.calls.Add(1)
	return &evenkeelv1.AssumeResponse{Revision: aheadRevision}, nil
}

func (e *aheadEvenkeel) Forget(context.Context, *evenkeelv1.ForgetRequest) (*evenkeelv1.ForgetResponse, error) {
	e.calls.Add(1)
	return &evenkeelv1.ForgetResponse{Revision: aheadRevision}, nil
}

// aheadCluster is a fake cluster with a whole scheduler that runs in the shipped configuration.
type aheadCluster struct {
	t         *testing.T
	client    *fake.Clientset
	scheduler *stock.Scheduler
}

// secondLook is longer than kube-scheduler may rarely leave a preempting pod pending (kubernetes#141694).
const secondLook = 6 * time.Minute

const (
	onlyB, both, none = 2, 3, 0
)

func (e *aheadEvenkeel) serve(t *testing.T) string {
	t.Helper()
	server := grpc.NewServer()
	evenkeelv1.RegisterPlacementServer(server, e)
	evenkeelv1.RegisterClusterStateServer(server, e)
	return served(t, server)
}

func runAhead(t *testing.T, evenkeel *aheadEvenkeel, pods ...*v1.Pod) *aheadCluster {
	t.Helper()
	profiles := shippedProfiles(t, evenkeel.serve(t))
	objects := []runtime.Object{aheadNode("a", "4"), aheadNode("b", "2")}
	for _, pod := range pods {
		objects = append(objects, pod)
	}
	c := &aheadCluster{t: t, client: fake.NewClientset(objects...)}
	c.client.PrependReactor("create", "pods", c.bind)
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	factory := stock.NewInformerFactory(c.client, 0)
	var err error
	if c.scheduler, err = newStock(ctx, c.client, factory, profiles); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := c.scheduler.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	go c.scheduler.Run(ctx)
	return c
}

// shippedProfiles are those of the shipped configuration, with the test's server and a long deadline.
func shippedProfiles(t *testing.T, server string) []schedulerconfig.KubeSchedulerProfile {
	t.Helper()
	shipped, err := options.LoadConfigFromFile(logger, "../kube-scheduler-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range shipped.Profiles[0].PluginConfig {
		if args, ok := plugin.Args.(*config.EvenkeelTopologySpreadArgs); ok {
			args.Server, args.Insecure = server, !strings.HasPrefix(server, "unix:")
			args.Deadline = &metav1.Duration{Duration: 10 * time.Second}
		}
	}
	return shipped.Profiles
}

// newStock creates a scheduler like the stock one.
func newStock(ctx context.Context, client *fake.Clientset, factory informers.SharedInformerFactory, profiles []schedulerconfig.KubeSchedulerProfile) (*stock.Scheduler, error) {
	recorders := profile.RecorderFactory(func(string) events.EventRecorderLogger { return &events.FakeRecorder{} })
	return stock.New(ctx, client, factory, nil, recorders, stock.WithProfiles(profiles...),
		stock.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{Name: NewFactory()}))
}

// bind does what an API server does when a pod is bound.
func (c *aheadCluster) bind(action clienttesting.Action) (bool, runtime.Object, error) {
	if action.GetSubresource() != "binding" {
		return false, nil, nil
	}
	binding := action.(clienttesting.CreateAction).GetObject().(*v1.Binding)
	resources := v1.SchemeGroupVersion.WithResource("pods")
	found, err := c.client.Tracker().Get(resources, binding.Namespace, binding.Name)
	if err != nil {
		return true, nil, err
	}
	bound := found.(*v1.Pod).DeepCopy()
	bound.Spec.NodeName = binding.Target.Name
	return true, binding, c.client.Tracker().Update(resources, bound, binding.Namespace)
}

func aheadNode(name, processors string) *v1.Node {
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			v1.LabelTopologyZone: "zone-" + name, v1.LabelHostname: name}},
		Status: v1.NodeStatus{Allocatable: v1.ResourceList{
			v1.ResourceCPU: resource.MustParse(processors), v1.ResourcePods: resource.MustParse("100")}},
	}
}

// aheadPod requests one processor. If it has a node, it is running.
func aheadPod(name, app, node string, priority int32) *v1.Pod {
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name), Labels: map[string]string{"app": app}},
		Spec: v1.PodSpec{NodeName: node, Priority: &priority, SchedulerName: "default-scheduler", Containers: []v1.Container{{
			Name: "main", Resources: v1.ResourceRequirements{Requests: v1.ResourceList{v1.ResourceCPU: resource.MustParse("1")}}}}},
		Status: v1.PodStatus{StartTime: &metav1.Time{Time: time.Now()}},
	}
}

// incoming has the app web, with maxSkew 1 across zones.
func incoming() *v1.Pod {
	pod := aheadPod("incoming", "web", "", 100)
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
		MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	return pod
}

func (c *aheadCluster) pod(name string) *v1.Pod {
	pod, err := c.client.CoreV1().Pods("shop").Get(c.t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return nil
	}
	return pod
}

func (c *aheadCluster) awaitBound(node string) {
	c.t.Helper()
	c.await("bound to "+node, func(pod *v1.Pod) bool { return pod.Spec.NodeName != "" })
	if found := c.pod("incoming").Spec.NodeName; found != node {
		c.t.Errorf("the pod was bound to %s, and not to %s", found, node)
	}
}

func (c *aheadCluster) await(what string, holds func(*v1.Pod) bool) {
	c.t.Helper()
	for started := time.Now(); !holds(c.pod("incoming")); time.Sleep(time.Millisecond) {
		if time.Since(started) > secondLook {
			c.t.Fatalf("the pod is not %s: %+v", what, c.pod("incoming").Status.Conditions)
		}
	}
}

// The scheduler has room for the pod on a. Evenkeel has already received the deletion of the other pod on b, so by
// its state the pod must go to b, on which the scheduler has no room.
func TestPostFilter_evictsNothing_ifEvenkeelIsAhead(t *testing.T) {
	c := runAhead(t, &aheadEvenkeel{passed: onlyB},
		aheadPod("web-a", "web", "a", 100), aheadPod("web-b", "web", "b", 100), aheadPod("low", "batch", "b", 0), incoming())
	c.awaitBound("a")
	if c.pod("low") == nil {
		t.Error("a pod was evicted")
	}
}

// Evenkeel has received a pod on b, so the next one may go to a, on which a pod of low priority is in its way. The
// scheduler has not received it. Once it has, it must preempt: of the plugins that rejected the pod by both states,
// none would retry it.
func TestPostFilter_retriesThePod_whenTheSchedulerCatchesUp(t *testing.T) {
	pod := incoming()
	pod.Spec.Containers[0].Resources.Requests[v1.ResourceCPU] = resource.MustParse("2")
	pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
			TopologyKey: v1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "batch"}}}}}}
	c := runAhead(t, &aheadEvenkeel{passed: both},
		aheadPod("web-a", "web", "a", 100), aheadPod("low", "batch", "a", 0), aheadPod("other", "other", "b", 100), pod)
	c.await("refused by the scheduler's own state", func(pod *v1.Pod) bool {
		return len(pod.Status.Conditions) > 0 && strings.Contains(pod.Status.Conditions[0].Message, "didn't match pod topology spread constraints")
	})
	if _, err := c.client.CoreV1().Pods("shop").Create(t.Context(), aheadPod("web-b", "web", "b", 100), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	c.awaitBound("a")
	if c.pod("low") != nil {
		t.Error("the pod of low priority is still there")
	}
}

// If the two agree, or differ only on a node that is full anyway, preemption proceeds at once.
func TestPostFilter_allowsPreemption_unlessARelevantVerdictDiffers(t *testing.T) {
	for name, test := range map[string]struct {
		evenkeel *aheadEvenkeel
		again    int
	}{
		"they agree": {&aheadEvenkeel{passed: onlyB}, 0},
		// Once that node has room, the difference counts.
		"they differ on a full node": {&aheadEvenkeel{passed: none}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := retriedPods(t)
			c := runAhead(t, test.evenkeel,
				aheadPod("web-a", "web", "a", 100), aheadPod("other", "other", "b", 100), aheadPod("low", "batch", "b", 0), incoming())
			c.awaitBound("b")
			if c.pod("low") != nil {
				t.Error("the pod of low priority is still there")
			}
			if retried := retriedPods(t) - before; retried != test.again {
				t.Errorf("it was retried %d times", retried)
			}
		})
	}
}

// countedAgain is the number of retried pods that the original alone evaluated.
func retriedPods(t *testing.T) int {
	t.Helper()
	value, err := testutil.GetCounterMetricValue(answers.WithLabelValues("default-scheduler", sourceOriginal, string(wasAhead)))
	if err != nil {
		t.Fatal(err)
	}
	return int(value)
}

// newTestPlugin returns a plugin of a scheduler without informers that run.
func newTestPlugin(t *testing.T, evenkeel *aheadEvenkeel, args *config.EvenkeelTopologySpreadArgs, snapshot *internalcache.Snapshot) *Plugin {
	t.Helper()
	metrics.Register() // The original reports how many goroutines it uses.
	client := fake.NewClientset()
	handle, err := frameworkruntime.NewFramework(t.Context(), nil, nil, frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithInformerFactory(informers.NewSharedInformerFactory(client, 0)), frameworkruntime.WithClientSet(client))
	if err != nil {
		t.Fatal(err)
	}
	args.Server, args.Insecure = evenkeel.serve(t), true
	config.SetDefaults(args)
	made, err := NewFactory()(t.Context(), args, handle)
	if err != nil {
		t.Fatal(err)
	}
	return made.(*Plugin)
}

// The cycle of a pod group reserves and unreserves its pods. Those that stay are reserved again.
func TestReserve_ignoresHypotheticalPlacements(t *testing.T) {
	evenkeel := &aheadEvenkeel{}
	plugin := newTestPlugin(t, evenkeel, longDeadlineArgs(), internalcache.NewEmptySnapshot())
	alone, inGroup := framework.NewCycleState(), framework.NewCycleState()
	inGroup.SetPodGroupSchedulingCycle(framework.NewCycleState())
	first, second := aheadPod("first", "web", "", 0), aheadPod("second", "web", "", 0)
	await := func() {
		t.Helper()
		if _, err := plugin.client.Assumptions.Await(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	plugin.Reserve(t.Context(), inGroup, first, "a")
	await()
	plugin.Unreserve(t.Context(), inGroup, first, "a")
	await()
	if sent := evenkeel.calls.Load(); sent != 0 {
		t.Errorf("%d calls sent a hypothetical pod", sent)
	}
	plugin.Reserve(t.Context(), alone, second, "a")
	await()
	plugin.Unreserve(t.Context(), alone, second, "a")
	await()
	if sent := evenkeel.calls.Load(); sent != 2 {
		t.Errorf("%d calls sent a placed pod", sent)
	}
}
