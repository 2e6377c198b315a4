package spread

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"testing"
	"time"

	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"
)

// world is a cluster in a scheduler's cache, from which the plugin feeds Evenkeel.
type world struct {
	t        *testing.T
	ctx      context.Context
	args     *config.EvenkeelTopologySpreadArgs
	random   *rand.Rand
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	factory  informers.SharedInformerFactory
	handle   fwk.Handle
	make     frameworkruntime.PluginFactory
	plugin   *Plugin
	original original.Plugin
	server   *evenkeel

	nodes   map[string]*v1.Node
	bound   map[types.UID]*v1.Pod
	assumed map[types.UID]*v1.Pod
	made    int
	// ofGroup makes cycles those of a pod group.
	ofGroup bool
}

// newWorld returns a cluster of which Evenkeel has nothing yet.
func newWorld(t *testing.T, seed int64, args *config.EvenkeelTopologySpreadArgs) *world {
	t.Helper()
	metrics.Register() // The scheduler's cache reports its size.
	w := &world{
		t: t, args: args, random: rand.New(rand.NewSource(seed)),
		server: startEvenkeel(t),
		nodes:  map[string]*v1.Node{}, bound: map[types.UID]*v1.Pod{}, assumed: map[types.UID]*v1.Pod{},
	}
	args.Server, args.Insecure = w.server.address(), true
	args.MinNodes = ptr.To(int32(0))
	config.SetDefaults(args)
	w.startScheduler()
	for range 12 {
		w.addNode()
	}
	return w
}

// startScheduler begins with an empty cache.
func (w *world) startScheduler() {
	w.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	w.t.Cleanup(stop)
	w.ctx = ctx
	w.cache = internalcache.New(w.ctx, nil, false)
	w.snapshot = internalcache.NewEmptySnapshot()
	clients := fake.NewClientset()
	w.factory = informers.NewSharedInformerFactory(clients, 0)
	handle, err := frameworkruntime.NewFramework(w.ctx, nil, nil,
		frameworkruntime.WithSnapshotSharedLister(w.snapshot), frameworkruntime.WithInformerFactory(w.factory),
		frameworkruntime.WithClientSet(clients))
	w.must(err)
	w.handle, w.make = handle, NewFactory()
	w.plugin = w.addProfile(w.args)
	originalArgs, err := w.args.Original()
	w.must(err)
	w.original, err = original.New(w.ctx, originalArgs, handle)
	w.must(err)
}

// addProfile adds another profile of the same scheduler.
func (w *world) addProfile(args *config.EvenkeelTopologySpreadArgs) *Plugin {
	w.t.Helper()
	made, err := w.make(w.ctx, args, w.handle)
	w.must(err)
	plugin := made.(*Plugin)
	// The server gets as much time as it may need on a busy machine.
	plugin.minWait = 10 * time.Second
	return plugin
}

// restartScheduler starts another scheduler, for which the assumed pods of the first are pending. The first keeps its
// stream, like a leader that does not know yet that it has lost its lease.
func (w *world) restartScheduler() {
	w.t.Helper()
	w.startScheduler()
	for _, node := range w.nodes {
		w.cache.AddNode(logger, node)
	}
	for _, pod := range w.bound {
		w.must(w.cache.AddPod(logger, pod))
	}
	clear(w.assumed)
}

// untilAnswered schedules a pod until Evenkeel answers.
func (w *world) untilAnswered() {
	w.t.Helper()
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	w.await("Evenkeel does not answer", func() bool {
		before := counted(w.t, w.plugin, sourceEvenkeel, "")
		w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
		w.cycle(w.plugin, pod, nil, nil)
		return counted(w.t, w.plugin, sourceEvenkeel, "") > before
	})
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) await(what string, is func() bool) {
	w.t.Helper()
	for started := time.Now(); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Since(started) > 30*time.Second {
			w.t.Fatal(what)
		}
	}
}

func (w *world) pick(names ...string) string { return names[w.random.Intn(len(names))] }

func (w *world) addNode() {
	w.made++
	name := fmt.Sprintf("node-%d", w.made)
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{v1.LabelHostname: name}}}
	w.label(node)
	w.nodes[name] = node
	w.cache.AddNode(logger, node)
}

func (w *world) label(node *v1.Node) {
	delete(node.Labels, v1.LabelTopologyZone)
	if w.random.Intn(10) > 0 {
		node.Labels[v1.LabelTopologyZone] = w.pick("a", "b", "c")
	}
	node.Labels["pool"] = w.pick("x", "y")
	node.Spec.Taints = nil
	if w.random.Intn(5) == 0 {
		node.Spec.Taints = []v1.Taint{{Key: "only", Value: w.pick("1", "2"), Effect: v1.TaintEffectNoSchedule}}
	}
}

func (w *world) changeNode() {
	old := w.nodes[w.anyNode()]
	node := old.DeepCopy()
	w.label(node)
	w.nodes[node.Name] = node
	w.cache.UpdateNode(logger, old, node)
}

// removeNode removes a node, whose pods the scheduler's cache keeps.
func (w *world) removeNode() {
	name := w.anyNode()
	if len(w.nodes) < 6 {
		return
	}
	node := w.nodes[name]
	delete(w.nodes, name)
	w.must(w.cache.RemoveNode(logger, node))
}

func (w *world) anyNode() string {
	names := make([]string, 0, len(w.nodes))
	for name := range w.nodes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names[w.random.Intn(len(names))]
}

func anyOf(w *world, pods map[types.UID]*v1.Pod) *v1.Pod {
	var uids []string
	for uid := range pods {
		uids = append(uids, string(uid))
	}
	if len(uids) == 0 {
		return nil
	}
	sort.Strings(uids)
	return pods[types.UID(uids[w.random.Intn(len(uids))])]
}

// newPod returns a pending pod with up to three constraints of all kinds, or with none.
func (w *world) newPod() *v1.Pod {
	w.made++
	name := fmt.Sprintf("pod-%d", w.made)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Name: name, UID: types.UID(name), Namespace: w.pick("shop", "shop", "lab"),
		Labels:          map[string]string{"app": w.pick("web", "db"), "revision": w.pick("1", "2")},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "owner", Controller: ptr.To(true)}},
	}}
	if w.random.Intn(4) == 0 {
		pod.Spec.NodeSelector = map[string]string{"pool": w.pick("x", "y")}
	}
	if w.random.Intn(4) == 0 {
		pod.Spec.Tolerations = []v1.Toleration{{Key: "only", Operator: v1.TolerationOpEqual, Value: w.pick("1", "2")}}
	}
	for range w.random.Intn(4) {
		constraint := v1.TopologySpreadConstraint{
			MaxSkew:           int32(1 + w.random.Intn(3)),
			TopologyKey:       w.pick(v1.LabelTopologyZone, v1.LabelHostname, "pool"),
			WhenUnsatisfiable: v1.UnsatisfiableConstraintAction(w.pick(string(v1.DoNotSchedule), string(v1.ScheduleAnyway))),
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.pick("web", "db")}},
		}
		if w.random.Intn(4) == 0 {
			constraint.MatchLabelKeys = []string{"revision"}
			if w.random.Intn(2) == 0 {
				// API servers since Kubernetes 1.34 also add the value to the selector.
				constraint.LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{
					{Key: "revision", Operator: metav1.LabelSelectorOpIn, Values: []string{pod.Labels["revision"]}}}
			}
		}
		if w.random.Intn(4) == 0 && constraint.WhenUnsatisfiable == v1.DoNotSchedule {
			domains := int32(1 + w.random.Intn(5))
			constraint.MinDomains = &domains
		}
		if w.random.Intn(3) == 0 {
			policy := v1.NodeInclusionPolicy(w.pick(string(v1.NodeInclusionPolicyHonor), string(v1.NodeInclusionPolicyIgnore)))
			constraint.NodeTaintsPolicy = &policy
		}
		if w.random.Intn(3) == 0 {
			policy := v1.NodeInclusionPolicyIgnore
			constraint.NodeAffinityPolicy = &policy
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
	}
	return pod
}

// bind makes another scheduler bind a pod.
func (w *world) bind() {
	pod := w.newPod()
	pod.Spec.NodeName = w.anyNode()
	w.bound[pod.UID] = pod
	w.must(w.cache.AddPod(logger, pod))
}

func (w *world) deletePod() {
	pod := anyOf(w, w.bound)
	if pod == nil {
		return
	}
	delete(w.bound, pod.UID)
	w.must(w.cache.RemovePod(logger, pod))
}

// changePod makes a pod terminate, or gives it other labels.
func (w *world) changePod() {
	old := anyOf(w, w.bound)
	if old == nil {
		return
	}
	pod := old.DeepCopy()
	if w.random.Intn(2) == 0 {
		now := metav1.NewTime(time.Now().Truncate(time.Second))
		pod.DeletionTimestamp = &now
	} else {
		pod.Labels["app"] = w.pick("web", "db", "other")
	}
	w.bound[pod.UID] = pod
	w.must(w.cache.UpdatePod(logger, old, pod))
}

func (w *world) changeService() { w.addService(w.pick("one", "two"), w.pick("web", "db")) }

// addService adds a service, or replaces the one with the same name.
func (w *world) addService(name, app string) {
	w.must(w.factory.Core().V1().Services().Informer().GetIndexer().Add(&v1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)},
		Spec:       v1.ServiceSpec{Selector: map[string]string{"app": app}},
	}))
}

// addController adds the controller that all pods have, even those that its selector does not match.
func (w *world) addController(app string) {
	w.must(w.factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "owner"},
		Spec:       appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
	}))
}

// reserve makes the scheduler assume a pod.
func (w *world) reserve(pod *v1.Pod, node string) {
	placed := pod.DeepCopy()
	placed.Spec.NodeName = node
	w.must(w.cache.AssumePod(logger, placed))
	w.assumed[placed.UID] = placed
}

func (w *world) unreserve() {
	pod := anyOf(w, w.assumed)
	if pod == nil {
		return
	}
	delete(w.assumed, pod.UID)
	w.must(w.cache.ForgetPod(logger, pod))
}

// confirm makes the watch show an assumed pod bound.
func (w *world) confirm() {
	pod := anyOf(w, w.assumed)
	if pod == nil {
		return
	}
	delete(w.assumed, pod.UID)
	seen := pod.DeepCopy()
	w.bound[seen.UID] = seen
	w.must(w.cache.AddPod(logger, seen))
}

// change makes one random change.
func (w *world) change() {
	w.t.Helper()
	switch w.random.Intn(16) {
	case 0:
		w.addNode()
	case 1:
		w.removeNode()
	case 2, 3:
		w.changeNode()
	case 4, 5:
		w.deletePod()
	case 6, 7:
		w.changePod()
	case 8:
		w.changeService()
	case 9:
		w.unreserve()
	case 10, 11:
		w.confirm()
	default:
		w.bind()
	}
}

// outcome is everything that a plugin returns in a cycle.
type outcome struct {
	preFilter string
	verdicts  map[string]string
	changed   map[string]string
	preScore  string
	scores    map[string]int64
}

func statusText(status *fwk.Status) string {
	if status == nil {
		return "Success []"
	}
	return fmt.Sprintf("%s %v", status.Code(), status.Reasons())
}

// cycle runs a plugin like the framework does. Nodes that another plugin rejects are not scored.
func (w *world) cycle(plugin original.Plugin, pod *v1.Pod, takenOut map[string]bool, adds map[string]*v1.Pod) outcome {
	w.t.Helper()
	nodes, err := w.snapshot.NodeInfos().List()
	w.must(err)
	state := framework.NewCycleState()
	if w.ofGroup {
		state.SetPodGroupSchedulingCycle(framework.NewCycleState())
	}
	result := outcome{verdicts: map[string]string{}, changed: map[string]string{}, scores: map[string]int64{}}
	_, status := plugin.PreFilter(w.ctx, state, pod, nodes)
	result.preFilter = statusText(status)
	var left []fwk.NodeInfo
	for _, node := range nodes {
		verdict := (*fwk.Status)(nil)
		if !status.IsSkip() {
			verdict = plugin.Filter(w.ctx, state, pod, node)
			result.verdicts[node.Node().Name] = statusText(verdict)
			result.changed[node.Node().Name] = w.whatIf(plugin, state, pod, node, adds)
		}
		if verdict.IsSuccess() && !takenOut[node.Node().Name] {
			left = append(left, node)
		}
	}
	if len(left) == 0 {
		return result
	}
	status = plugin.PreScore(w.ctx, state, pod, left)
	result.preScore = statusText(status)
	if !status.IsSuccess() {
		return result
	}
	scores := make(fwk.NodeScoreList, len(left))
	for i, node := range left {
		score, status := plugin.Score(w.ctx, state, pod, node)
		if !status.IsSuccess() {
			w.t.Fatal(status)
		}
		scores[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	if status := plugin.NormalizeScore(w.ctx, state, pod, scores); !status.IsSuccess() {
		w.t.Fatal(status)
	}
	for _, score := range scores {
		result.scores[score.Name] = score.Score
	}
	return result
}

// whatIf adds a nominated pod to the node, or removes its pods, in a clone of the state, as preemption does.
func (w *world) whatIf(plugin original.Plugin, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, adds map[string]*v1.Pod) string {
	w.t.Helper()
	clone := state.Clone()
	added, adding := adds[node.Node().Name]
	if !adding {
		return ""
	}
	if added == nil {
		for _, removed := range node.GetPods() {
			if status := plugin.RemovePod(w.ctx, clone, pod, removed, node); !status.IsSuccess() {
				w.t.Fatal(status)
			}
		}
		return statusText(plugin.Filter(w.ctx, clone.Clone(), pod, node))
	}
	info, err := framework.NewPodInfo(added)
	w.must(err)
	if status := plugin.AddPod(w.ctx, clone, pod, info, node); !status.IsSuccess() {
		w.t.Fatal(status)
	}
	return statusText(plugin.Filter(w.ctx, clone, pod, node))
}

// compare evaluates a new pod with both plugins, and reserves it if there is room.
func (w *world) compare() {
	w.t.Helper()
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	pod := w.newPod()
	takenOut, adds := map[string]bool{}, map[string]*v1.Pod{}
	for name := range w.nodes {
		takenOut[name] = w.random.Intn(4) == 0
		if w.random.Intn(8) == 0 {
			adds[name] = w.newPod()
		} else if w.random.Intn(8) == 0 {
			adds[name] = nil
		}
	}
	want := w.cycle(w.original, pod, takenOut, adds)
	got := w.cycle(w.plugin, pod, takenOut, adds)
	if fmt.Sprint(want) != fmt.Sprint(got) {
		w.t.Fatalf("pod %+v\nthe original says\n%v\nthe plugin says\n%v", pod, want, got)
	}
	var possible []string
	for name := range w.nodes {
		if verdict, found := want.verdicts[name]; !found || verdict == statusText(nil) {
			possible = append(possible, name)
		}
	}
	slices.Sort(possible)
	if len(possible) > 0 && w.random.Intn(3) > 0 {
		w.reserve(pod, possible[w.random.Intn(len(possible))])
	}
}

var logger = klog.Background()
