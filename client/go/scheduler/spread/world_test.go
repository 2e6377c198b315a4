package spread

import (
	"context"
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"sort"
	"strconv"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/original"
	"google.golang.org/protobuf/proto"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// world is a cluster that feeds a scheduler's cache and Evenkeel, with the versions that an API server would assign.
type world struct {
	t        *testing.T
	ctx      context.Context
	stop     context.CancelFunc
	args     *config.EvenkeelTopologySpreadArgs
	random   *rand.Rand
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	clients  *fake.Clientset
	factory  informers.SharedInformerFactory
	handle   fwk.Handle
	make     frameworkruntime.PluginFactory
	plugin   *Plugin
	// placing are the plugins of the profiles that place pods.
	placing  []*Plugin
	original original.Plugin
	server   *evenkeel
	stream   evenkeelv1.ClusterState_SyncClient

	// watches are those of the scheduler's informers, by resource, if these run.
	watches  map[string]*watch.FakeWatcher
	version  int
	nodes    map[string]*v1.Node
	bound    map[types.UID]*v1.Pod
	assumed  map[types.UID]*v1.Pod
	services map[string]*v1.Service
	made     int
	// ofGroup makes cycles those of a pod group.
	ofGroup bool
}

type marshaler interface {
	metav1.Object
	runtime.Object
	Marshal() ([]byte, error)
}

func newWorld(t *testing.T, seed int64, args *config.EvenkeelTopologySpreadArgs) *world {
	t.Helper()
	metrics.Register() // The scheduler's cache reports its size.
	w := &world{
		t: t, args: args, random: rand.New(rand.NewSource(seed)),
		server: startEvenkeel(t),
		nodes:  map[string]*v1.Node{}, bound: map[types.UID]*v1.Pod{}, assumed: map[types.UID]*v1.Pod{},
		services: map[string]*v1.Service{},
	}
	args.Server, args.Insecure = w.server.address(), true
	config.SetDefaults(args)
	w.startScheduler()
	if args.Mode == config.ModeShadow {
		w.watches = map[string]*watch.FakeWatcher{}
		for _, resource := range []string{"nodes", "pods", "services", "replicationcontrollers", "replicasets", "statefulsets"} {
			watched := watch.NewFakeWithChanSize(100, false)
			w.watches[resource] = watched
			w.clients.PrependWatchReactor(resource, func(clienttesting.Action) (bool, watch.Interface, error) { return true, watched, nil })
		}
		w.factory.Start(w.ctx.Done())
		w.factory.WaitForCacheSync(w.ctx.Done())
	}
	for range 12 {
		w.addNode()
	}
	w.feed()
	return w
}

// startScheduler begins with an empty cache.
func (w *world) startScheduler() {
	w.t.Helper()
	w.ctx, w.stop = context.WithCancel(context.Background())
	w.t.Cleanup(w.stop)
	w.cache = internalcache.New(w.ctx, nil, false)
	w.snapshot = internalcache.NewEmptySnapshot()
	w.clients = fake.NewClientset()
	w.factory = informers.NewSharedInformerFactory(w.clients, 0)
	handle, err := frameworkruntime.NewFramework(w.ctx, nil, nil,
		frameworkruntime.WithSnapshotSharedLister(w.snapshot), frameworkruntime.WithInformerFactory(w.factory),
		frameworkruntime.WithClientSet(w.clients))
	w.must(err)
	w.handle, w.make, w.placing = handle, NewFactory(), nil
	w.plugin = w.addProfile(w.args)
	originalArgs, err := w.args.Original()
	w.must(err)
	w.original, err = original.New(w.ctx, originalArgs, handle)
	w.must(err)
}

// addProfile adds another profile that places pods.
func (w *world) addProfile(args *config.EvenkeelTopologySpreadArgs) *Plugin {
	w.t.Helper()
	made, err := w.make(w.ctx, args, w.handle)
	w.must(err)
	w.placing = append(w.placing, made.(*Plugin))
	return made.(*Plugin)
}

// restartScheduler starts another scheduler, for which the assumed pods of the first are pending.
func (w *world) restartScheduler() {
	w.t.Helper()
	w.stop()
	w.startScheduler()
	for _, node := range w.nodes {
		w.note(node)
		w.cache.AddNode(logger, node)
	}
	for _, pod := range w.bound {
		w.note(pod)
		w.must(w.cache.AddPod(logger, pod))
	}
	for _, service := range w.services {
		w.note(service)
		w.must(w.factory.Core().V1().Services().Informer().GetIndexer().Add(service))
	}
	for _, pod := range w.assumed {
		pending := pod.DeepCopy()
		pending.Spec.NodeName = ""
		w.must(w.factory.Core().V1().Pods().Informer().GetIndexer().Add(pending))
	}
	clear(w.assumed)
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

// feed starts a stream with a snapshot of all kinds.
func (w *world) feed() {
	w.t.Helper()
	var err error
	w.stream, err = w.server.state.Sync(w.ctx)
	w.must(err)
	w.send(&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: &evenkeelv1.BeginSnapshot{Feeder: "world"}}})
	objects := &evenkeelv1.Objects{}
	for _, node := range w.nodes {
		objects.Objects = append(objects.Objects, w.object(node))
	}
	for _, pod := range w.bound {
		objects.Objects = append(objects.Objects, w.object(pod))
	}
	for _, service := range w.services {
		objects.Objects = append(objects.Objects, w.object(service))
	}
	w.send(&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_Objects{Objects: objects}})
	end := &evenkeelv1.EndSnapshot{}
	for kind := evenkeelv1.ObjectKind_OBJECT_KIND_NODE; kind <= evenkeelv1.ObjectKind_OBJECT_KIND_STATEFUL_SET; kind++ {
		end.Kinds = append(end.Kinds, &evenkeelv1.KindVersion{Kind: kind, ResourceVersion: strconv.Itoa(w.version)})
	}
	w.send(&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: end}})
}

func (w *world) send(request *evenkeelv1.SyncRequest) {
	w.t.Helper()
	w.must(w.stream.Send(request))
	response, err := w.stream.Recv()
	w.must(err)
	if len(response.Refusals) > 0 {
		w.t.Fatalf("refused: %v", response.Refusals[0])
	}
}

func (w *world) object(object marshaler) *evenkeelv1.ClusterObject {
	w.t.Helper()
	bytes, err := object.Marshal()
	w.must(err)
	written := &evenkeelv1.ClusterObject{}
	var into proto.Message
	switch object.(type) {
	case *v1.Node:
		node := &evenkeelv1.Node{}
		written.Object, into = &evenkeelv1.ClusterObject_Node{Node: node}, node
	case *v1.Pod:
		pod := &evenkeelv1.Pod{}
		written.Object, into = &evenkeelv1.ClusterObject_Pod{Pod: pod}, pod
	case *v1.Service:
		service := &evenkeelv1.Service{}
		written.Object, into = &evenkeelv1.ClusterObject_Service{Service: service}, service
	}
	w.must(proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(bytes, into))
	return written
}

// stamp gives an object the version of a change that the scheduler's informers have seen.
func (w *world) stamp(object marshaler) {
	w.version++
	object.SetResourceVersion(strconv.Itoa(w.version))
	if w.watches == nil {
		w.note(object)
	}
}

func (w *world) note(object marshaler) {
	kind := evenkeelv1.ObjectKind_OBJECT_KIND_POD
	switch object.(type) {
	case *v1.Node:
		kind = evenkeelv1.ObjectKind_OBJECT_KIND_NODE
	case *v1.Service:
		kind = evenkeelv1.ObjectKind_OBJECT_KIND_SERVICE
	}
	w.plugin.client.ResourceVersions.Record(kind, object)
}

// sendEvent sends a change to Evenkeel. It does nothing before the first snapshot and while Evenkeel is down.
func (w *world) sendEvent(typ evenkeelv1.ClusterEvent_Type, object marshaler) {
	w.t.Helper()
	if w.watches != nil {
		w.inform(typ, object.DeepCopyObject())
	}
	if w.stream == nil {
		return
	}
	w.send(&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_Events{Events: &evenkeelv1.Events{
		Events: []*evenkeelv1.ClusterEvent{{Type: typ, Object: w.object(object)}}}}})
}

// inform sends a change to the scheduler's informers like an API server does: a deletion has its own version.
func (w *world) inform(typ evenkeelv1.ClusterEvent_Type, object runtime.Object) {
	w.t.Helper()
	watched := w.watches["pods"]
	switch object.(type) {
	case *v1.Node:
		watched = w.watches["nodes"]
	case *v1.Service:
		watched = w.watches["services"]
	}
	switch typ {
	case evenkeelv1.ClusterEvent_TYPE_ADDED:
		watched.Add(object)
	case evenkeelv1.ClusterEvent_TYPE_DELETED:
		watched.Delete(object)
	default:
		watched.Modify(object)
	}
}

// bookmark sends a bookmark to the informers of all kinds.
func (w *world) bookmark() {
	version := metav1.ObjectMeta{ResourceVersion: strconv.Itoa(w.version)}
	for resource, object := range map[string]runtime.Object{
		"nodes": &v1.Node{ObjectMeta: version}, "pods": &v1.Pod{ObjectMeta: version}, "services": &v1.Service{ObjectMeta: version},
		"replicationcontrollers": &v1.ReplicationController{ObjectMeta: version},
		"replicasets":            &appsv1.ReplicaSet{ObjectMeta: version}, "statefulsets": &appsv1.StatefulSet{ObjectMeta: version},
	} {
		w.watches[resource].Action(watch.Bookmark, object)
	}
}

func (w *world) addNode() {
	w.made++
	name := fmt.Sprintf("node-%d", w.made)
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{v1.LabelHostname: name}}}
	w.label(node)
	w.stamp(node)
	w.nodes[name] = node
	w.cache.AddNode(logger, node)
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_ADDED, node)
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
	w.stamp(node)
	w.nodes[node.Name] = node
	w.cache.UpdateNode(logger, old, node)
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_MODIFIED, node)
}

// removeNode removes a node without pods: both the scheduler's cache and Evenkeel keep pods of removed nodes.
func (w *world) removeNode() {
	name := w.anyNode()
	if len(w.nodes) < 6 {
		return
	}
	node := w.nodes[name].DeepCopy()
	w.stamp(node)
	delete(w.nodes, name)
	w.must(w.cache.RemoveNode(logger, node))
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_DELETED, node)
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
		Labels: map[string]string{"app": w.pick("web", "db"), "revision": w.pick("1", "2")},
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
	w.stamp(pod)
	w.bound[pod.UID] = pod
	w.must(w.cache.AddPod(logger, pod))
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_ADDED, pod)
}

func (w *world) deletePod() {
	pod := anyOf(w, w.bound)
	if pod == nil {
		return
	}
	gone := pod.DeepCopy()
	w.stamp(gone)
	delete(w.bound, pod.UID)
	w.must(w.cache.RemovePod(logger, pod))
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_DELETED, gone)
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
	w.stamp(pod)
	w.bound[pod.UID] = pod
	w.must(w.cache.UpdatePod(logger, old, pod))
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_MODIFIED, pod)
}

func (w *world) changeService() { w.addService(w.pick("one", "two"), w.pick("web", "db")) }

// addService adds a service, or replaces the one with the same name.
func (w *world) addService(name, app string) {
	service := &v1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name)},
		Spec:       v1.ServiceSpec{Selector: map[string]string{"app": app}},
	}
	w.stamp(service)
	w.services[name] = service
	if w.watches == nil {
		w.must(w.factory.Core().V1().Services().Informer().GetIndexer().Add(service))
	}
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_MODIFIED, service)
	for w.watches != nil {
		listed, err := w.factory.Core().V1().Services().Lister().Services(service.Namespace).Get(name)
		if err == nil && listed.ResourceVersion == service.ResourceVersion {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// reserve places a pod like a scheduling cycle does.
func (w *world) reserve(pod *v1.Pod, node string) {
	placed := pod.DeepCopy()
	placed.Spec.NodeName = node
	w.must(w.cache.AssumePod(logger, placed))
	by := w.placing[w.random.Intn(len(w.placing))]
	state := framework.NewCycleState()
	if w.random.Intn(2) == 0 {
		// The queries of its cycle come first.
		nodes, err := w.snapshot.NodeInfos().List()
		w.must(err)
		by.PreFilter(w.ctx, state, pod, nodes)
	}
	if status := by.Reserve(w.ctx, state, placed, node); !status.IsSuccess() {
		w.t.Fatal(status)
	}
	w.assumed[placed.UID] = placed
}

func (w *world) unreserve() {
	pod := anyOf(w, w.assumed)
	if pod == nil {
		return
	}
	delete(w.assumed, pod.UID)
	w.plugin.Unreserve(w.ctx, framework.NewCycleState(), pod, pod.Spec.NodeName)
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
	w.stamp(seen)
	w.bound[seen.UID] = seen
	w.must(w.cache.AddPod(logger, seen))
	for _, link := range w.plugin.scheduler.links {
		link.Assumptions.Bound(string(seen.UID))
	}
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_MODIFIED, seen)
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

type judge interface {
	fwk.PreFilterPlugin
	fwk.PreFilterExtensions
	fwk.FilterPlugin
	fwk.PreScorePlugin
	fwk.ScorePlugin
	fwk.ScoreExtensions
}

func statusText(status *fwk.Status) string {
	if status == nil {
		return "Success []"
	}
	return fmt.Sprintf("%s %v", status.Code(), status.Reasons())
}

// cycle runs a plugin like the framework does. Nodes that another plugin rejects are not scored.
func (w *world) cycle(plugin judge, pod *v1.Pod, takenOut map[string]bool, adds map[string]*v1.Pod) outcome {
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
func (w *world) whatIf(plugin judge, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo, adds map[string]*v1.Pod) string {
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
		if w.watches != nil {
			// The object of a scheduled pod has been published and may still be compared, so only a copy is changed.
			pod = pod.DeepCopy()
			w.stamp(pod)
			w.sendEvent(evenkeelv1.ClusterEvent_TYPE_ADDED, pod)
		}
		w.reserve(pod, possible[w.random.Intn(len(possible))])
	}
}

var (
	logger = klog.Background()
	status = &evenkeelv1.GetStatusRequest{}
)

func (w *world) awaitAssumptions() error {
	ctx, cancel := context.WithTimeout(w.ctx, 10*time.Second)
	defer cancel()
	_, err := w.plugin.client.Assumptions.Await(ctx)
	for errors.Is(err, assumption.ErrUnacknowledged) && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
		_, err = w.plugin.client.Assumptions.Await(ctx)
	}
	return err
}
