package incremental

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"testing"

	"evenkeel.io/client/go/scheduler/original"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"
)

var logger = klog.Background()

// world is a cluster in a scheduler's cache, with the plugin and the stock one.
type world struct {
	tb       testing.TB
	random   *rand.Rand
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	factory  informers.SharedInformerFactory
	plugin   *Plugin
	stock    original.Plugin
	handle   fwk.Handle

	nodes          map[string]*v1.Node
	bound, assumed map[types.UID]*v1.Pod
	made           int
}

// newWorld takes the arguments of PodTopologySpread as JSON, or nothing, and the same ones for the stock plugin.
func newWorld(tb testing.TB, seed int64, arguments string, args config.PodTopologySpreadArgs) *world {
	tb.Helper()
	metrics.Register() // The scheduler's cache reports its size.
	clients := fake.NewClientset()
	w := &world{tb: tb, random: rand.New(rand.NewSource(seed)), cache: internalcache.New(tb.Context(), nil, false),
		snapshot: internalcache.NewEmptySnapshot(), factory: informers.NewSharedInformerFactory(clients, 0),
		nodes: map[string]*v1.Node{}, bound: map[types.UID]*v1.Pod{}, assumed: map[types.UID]*v1.Pod{}}
	var err error
	w.handle, err = frameworkruntime.NewFramework(tb.Context(), nil, nil, frameworkruntime.WithSnapshotSharedLister(w.snapshot),
		frameworkruntime.WithInformerFactory(w.factory), frameworkruntime.WithClientSet(clients))
	w.must(err)
	var given runtime.Object
	if arguments != "" {
		given = &runtime.Unknown{Raw: []byte(arguments)}
	}
	plugin, err := New(tb.Context(), given, w.handle)
	w.must(err)
	w.plugin = plugin.(*Plugin)
	w.stock, err = original.New(tb.Context(), &args, w.handle)
	w.must(err)
	return w
}

func (w *world) must(err error) {
	w.tb.Helper()
	if err != nil {
		w.tb.Fatal(err)
	}
}

func (w *world) infos() []fwk.NodeInfo {
	w.tb.Helper()
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	infos, err := w.snapshot.NodeInfos().List()
	w.must(err)
	return infos
}

func (w *world) oneIn(n int) bool { return w.random.Intn(n) == 0 }

func (w *world) pick(names ...string) string { return names[w.random.Intn(len(names))] }

func anyOf[K ~string, V any](w *world, objects map[K]V) (value V, found bool) {
	if len(objects) == 0 {
		return value, false
	}
	keys := slices.Sorted(maps.Keys(objects))
	return objects[keys[w.random.Intn(len(keys))]], true
}

// putNode adds a node, or changes the labels and taints of the one with the same name.
func (w *world) putNode() {
	w.made++
	name := fmt.Sprintf("node-%d", w.random.Intn(20))
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{"pool": w.pick("1", "2", "x")}}}
	if !w.oneIn(10) {
		node.Labels[v1.LabelHostname] = name
	}
	if !w.oneIn(8) {
		node.Labels[v1.LabelTopologyZone] = w.pick("a", "b", "c", "")
	}
	if w.oneIn(2) {
		node.Labels["rack"] = fmt.Sprintf("rack-%d", w.made) // Values that come and go.
	}
	if w.oneIn(3) {
		node.Spec.Taints = []v1.Taint{{Key: "only", Value: w.pick("1", "2"), Effect: v1.TaintEffect(w.pick("NoSchedule", "NoExecute", "PreferNoSchedule"))}}
	}
	if old := w.nodes[name]; old != nil {
		w.cache.UpdateNode(logger, old, node)
	} else {
		w.cache.AddNode(logger, node)
	}
	w.nodes[name] = node
}

// removeNode leaves the pods of the node in the cache.
func (w *world) removeNode() {
	if node, found := anyOf(w, w.nodes); found && len(w.nodes) > 5 {
		delete(w.nodes, node.Name)
		w.must(w.cache.RemoveNode(logger, node))
	}
}

// newPod returns a pending pod with up to three constraints, or one to which default constraints may apply.
func (w *world) newPod() *v1.Pod {
	w.made++
	name := fmt.Sprintf("pod-%d", w.made)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Namespace: w.pick("shop", "shop", "lab"),
		Labels: map[string]string{"app": w.pick("web", "db"), "revision": w.pick("1", "2")}}}
	if w.oneIn(4) {
		pod.Spec.NodeSelector = map[string]string{"pool": w.pick("1", "2")}
	}
	if w.oneIn(4) {
		// The last value is invalid for this operator.
		pod.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{
			NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: "pool", Operator: v1.NodeSelectorOpGt, Values: []string{w.pick("0", "1", "wrong")}}}}}}}}
	}
	if w.oneIn(3) {
		pod.Spec.Tolerations = []v1.Toleration{{Key: "only", Operator: v1.TolerationOperator(w.pick("Equal", "Exists", "Gt")), Value: w.pick("1", "2")}}
		if pod.Spec.Tolerations[0].Operator == v1.TolerationOpExists {
			pod.Spec.Tolerations[0].Value = ""
		}
	}
	if w.oneIn(4) {
		pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: w.pick("ReplicaSet", "StatefulSet"), Name: "owner", Controller: ptr.To(true)}}
	}
	for range w.random.Intn(4) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, w.newConstraint())
	}
	return pod
}

func (w *world) newConstraint() v1.TopologySpreadConstraint {
	constraint := v1.TopologySpreadConstraint{
		MaxSkew:           int32(1 + w.random.Intn(3)),
		TopologyKey:       w.pick(v1.LabelTopologyZone, v1.LabelTopologyZone, v1.LabelHostname, "pool", "rack"),
		WhenUnsatisfiable: v1.UnsatisfiableConstraintAction(w.pick(string(v1.DoNotSchedule), string(v1.ScheduleAnyway))),
	}
	switch w.random.Intn(12) {
	case 0: // Matches nothing.
	case 1:
		constraint.LabelSelector = &metav1.LabelSelector{}
	case 2:
		constraint.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "app", Operator: metav1.LabelSelectorOperator(w.pick("In", "NotIn")), Values: []string{"web", "other"}}}}
	default:
		constraint.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": w.pick("web", "db")}}
	}
	if w.oneIn(3) {
		constraint.MatchLabelKeys = []string{"revision", "missing"}
	}
	if w.oneIn(4) && constraint.WhenUnsatisfiable == v1.DoNotSchedule {
		constraint.MinDomains = ptr.To(int32(1 + w.random.Intn(5)))
	}
	if w.oneIn(2) {
		constraint.NodeTaintsPolicy = ptr.To(v1.NodeInclusionPolicy(w.pick("Honor", "Ignore")))
	}
	if w.oneIn(2) {
		constraint.NodeAffinityPolicy = ptr.To(v1.NodeInclusionPolicy(w.pick("Honor", "Ignore")))
	}
	if w.oneIn(200) {
		constraint.LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: "Invalid"}}}
	}
	return constraint
}

// bind makes another scheduler bind a pod.
func (w *world) bind() {
	if node, found := anyOf(w, w.nodes); found {
		pod := w.newPod()
		pod.Spec.NodeName = node.Name
		w.bound[pod.UID] = pod
		w.must(w.cache.AddPod(logger, pod))
	}
}

func (w *world) deletePod() {
	if pod, found := anyOf(w, w.bound); found {
		delete(w.bound, pod.UID)
		w.must(w.cache.RemovePod(logger, pod))
	}
}

// changePod makes a pod terminate, or gives it other labels.
func (w *world) changePod() {
	old, found := anyOf(w, w.bound)
	if !found {
		return
	}
	pod := old.DeepCopy()
	if w.oneIn(2) {
		pod.DeletionTimestamp = ptr.To(metav1.Now())
	} else {
		pod.Labels["app"] = w.pick("web", "db", "other")
	}
	w.bound[pod.UID] = pod
	w.must(w.cache.UpdatePod(logger, old, pod))
}

func (w *world) assume(pod *v1.Pod, node string) {
	placed := pod.DeepCopy()
	placed.Spec.NodeName = node
	w.must(w.cache.AssumePod(logger, placed))
	w.assumed[placed.UID] = placed
}

func (w *world) forget() {
	if pod, found := anyOf(w, w.assumed); found {
		delete(w.assumed, pod.UID)
		w.must(w.cache.ForgetPod(logger, pod))
	}
}

// confirm makes the watch show an assumed pod bound.
func (w *world) confirm() {
	if pod, found := anyOf(w, w.assumed); found {
		delete(w.assumed, pod.UID)
		w.bound[pod.UID] = pod.DeepCopy()
		w.must(w.cache.AddPod(logger, w.bound[pod.UID]))
	}
}

// changeOwners changes what the selectors of default constraints are made of.
func (w *world) changeOwners() {
	selector := map[string]string{"app": w.pick("web", "db")}
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "owner"}
	switch w.random.Intn(3) {
	case 0:
		w.must(w.factory.Core().V1().Services().Informer().GetIndexer().Add(&v1.Service{ObjectMeta: meta, Spec: v1.ServiceSpec{Selector: selector}}))
	case 1:
		w.must(w.factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(
			&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: selector}}}))
	default:
		w.must(w.factory.Apps().V1().StatefulSets().Informer().GetIndexer().Add(
			&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: &metav1.LabelSelector{MatchLabels: selector}}}))
	}
}

// change makes one random change.
func (w *world) change() {
	changes := []func(){w.putNode, w.putNode, w.removeNode, w.bind, w.bind, w.bind, w.bind, w.bind, w.deletePod, w.deletePod,
		w.changePod, w.changePod, w.forget, w.confirm, w.confirm, w.changeOwners}
	changes[w.random.Intn(len(changes))]()
}
