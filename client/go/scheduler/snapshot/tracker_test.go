package snapshot

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

var logger = klog.Background()

// server applies steps like Evenkeel does.
type server struct {
	nodes, pods map[string]*evenkeelv1.ClusterObject
	deleted     map[string]bool
	// The UIDs that a snapshot has named so far; nil without a snapshot.
	named map[string]bool
}

func newServer() *server {
	return &server{nodes: map[string]*evenkeelv1.ClusterObject{}, pods: map[string]*evenkeelv1.ClusterObject{}, deleted: map[string]bool{}}
}

func (s *server) apply(t *testing.T, steps []*evenkeelv1.SyncRequest) {
	t.Helper()
	for _, step := range steps {
		switch step := step.Step.(type) {
		case *evenkeelv1.SyncRequest_BeginSnapshot:
			s.named = map[string]bool{}
		case *evenkeelv1.SyncRequest_EndSnapshot:
			for _, objects := range []map[string]*evenkeelv1.ClusterObject{s.nodes, s.pods} {
				maps.DeleteFunc(objects, func(uid string, _ *evenkeelv1.ClusterObject) bool { return !s.named[uid] })
			}
			s.named = nil
		case *evenkeelv1.SyncRequest_Events:
			if len(step.Events.Events) > maxEvents {
				t.Fatalf("a message has %d events", len(step.Events.Events))
			}
			for _, event := range step.Events.Events {
				s.applyEvent(t, event)
			}
		}
	}
}

func (s *server) applyEvent(t *testing.T, event *evenkeelv1.ClusterEvent) {
	t.Helper()
	objects, metadata := s.pods, event.Object.GetPod().GetMetadata()
	if node := event.Object.GetNode(); node != nil {
		objects, metadata = s.nodes, node.Metadata
	}
	if metadata.Uid == "" || metadata.Name == "" {
		t.Fatalf("%v is refused", event)
	}
	if s.named != nil {
		s.named[metadata.Uid] = true
	}
	switch event.Type {
	case evenkeelv1.ClusterEvent_TYPE_DELETED:
		delete(objects, metadata.Uid)
		s.deleted[metadata.Uid] = true
	case evenkeelv1.ClusterEvent_TYPE_MODIFIED:
		if s.deleted[metadata.Uid] {
			return
		}
		fallthrough
	case evenkeelv1.ClusterEvent_TYPE_ADDED:
		delete(s.deleted, metadata.Uid)
		if event.Object.GetNode() != nil {
			maps.DeleteFunc(objects, func(_ string, other *evenkeelv1.ClusterObject) bool {
				return other.GetNode().Metadata.Name == metadata.Name
			})
		}
		objects[metadata.Uid] = event.Object
	default:
		t.Fatalf("%v is refused", event)
	}
}

// contents lists the nodes and pods. Those that the scheduler does not count are missing.
func (s *server) contents() []string {
	var found []string
	for _, object := range s.nodes {
		node := object.GetNode()
		taints := []string{}
		for _, taint := range node.GetSpec().GetTaints() {
			taints = append(taints, taint.Key+"="+taint.Value+":"+taint.Effect)
		}
		found = append(found, fmt.Sprint("node ", node.Metadata.Name, " ", node.Metadata.Uid, node.Metadata.Labels, taints))
	}
	for _, object := range s.pods {
		pod := object.GetPod()
		found = append(found, fmt.Sprint("pod ", pod.Metadata.Namespace, "/", pod.Metadata.Name, " ", pod.Metadata.Uid, pod.Metadata.Labels,
			pod.Metadata.DeletionTimestamp != nil, " on ", pod.Spec.NodeName))
	}
	slices.Sort(found)
	return found
}

func contents(snapshot []fwk.NodeInfo) []string {
	var found []string
	for _, info := range snapshot {
		node := info.Node()
		taints := []string{}
		for _, taint := range node.Spec.Taints {
			taints = append(taints, taint.Key+"="+taint.Value+":"+string(taint.Effect))
		}
		found = append(found, fmt.Sprint("node ", node.Name, " ", node.UID, node.Labels, taints))
		for _, podInfo := range info.GetPods() {
			pod := podInfo.GetPod()
			found = append(found, fmt.Sprint("pod ", pod.Namespace, "/", pod.Name, " ", pod.UID, pod.Labels, pod.DeletionTimestamp != nil,
				" on ", node.Name))
		}
	}
	slices.Sort(found)
	return found
}

func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}

// cluster changes a scheduler's cache at random.
type cluster struct {
	t        *testing.T
	random   *rand.Rand
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	nodes    map[string]*v1.Node
	bound    map[types.UID]*v1.Pod
	assumed  map[types.UID]*v1.Pod
	// Pods that were forgotten, or are bound to a node that the cache does not have.
	pending []*v1.Pod
	made    int
}

func newCluster(t *testing.T, seed int64) *cluster {
	metrics.Register() // The scheduler's cache reports its size.
	return &cluster{t: t, random: rand.New(rand.NewSource(seed)), cache: internalcache.New(t.Context(), nil, false),
		snapshot: internalcache.NewEmptySnapshot(), nodes: map[string]*v1.Node{}, bound: map[types.UID]*v1.Pod{}, assumed: map[types.UID]*v1.Pod{}}
}

func (c *cluster) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *cluster) infos() []fwk.NodeInfo {
	c.t.Helper()
	c.must(c.cache.UpdateSnapshot(logger, c.snapshot))
	infos, err := c.snapshot.NodeInfos().List()
	c.must(err)
	return infos
}

func (c *cluster) pick(names ...string) string { return names[c.random.Intn(len(names))] }

func anyOf[K ~string, V any](c *cluster, objects map[K]V) (value V, found bool) {
	if len(objects) == 0 {
		return value, false
	}
	keys := slices.Sorted(maps.Keys(objects))
	return objects[keys[c.random.Intn(len(keys))]], true
}

// newNode returns a node with another UID, zone, label or taint. The zone decides on the order of the snapshot.
func (c *cluster) newNode(name string) *v1.Node {
	c.made++
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(fmt.Sprint("node-", c.made)),
		Labels: map[string]string{v1.LabelTopologyZone: c.pick("a", "b", "c")}}}
	if c.random.Intn(3) == 0 {
		node.Spec.Taints = []v1.Taint{{Key: "only", Value: c.pick("1", "2"), Effect: v1.TaintEffectNoSchedule}}
	}
	return node
}

func (c *cluster) addNode() {
	node := c.newNode(fmt.Sprint("n", c.random.Intn(20)))
	if old := c.nodes[node.Name]; old != nil {
		if c.random.Intn(3) > 0 {
			node.UID = old.UID
		}
		c.cache.UpdateNode(logger, old, node)
	} else {
		c.cache.AddNode(logger, node)
	}
	c.nodes[node.Name] = node
}

// refreshNode replaces a node by an equal one, as heartbeats do.
func (c *cluster) refreshNode() {
	if old, found := anyOf(c, c.nodes); found {
		node := old.DeepCopy()
		c.cache.UpdateNode(logger, old, node)
		c.nodes[node.Name] = node
	}
}

// removeNode leaves the pods of the node in the cache.
func (c *cluster) removeNode() {
	if node, found := anyOf(c, c.nodes); found {
		c.must(c.cache.RemoveNode(logger, node))
		delete(c.nodes, node.Name)
	}
}

func (c *cluster) newPod() *v1.Pod {
	if len(c.pending) > 0 && c.random.Intn(2) == 0 {
		pod := c.pending[len(c.pending)-1].DeepCopy()
		c.pending = c.pending[:len(c.pending)-1]
		return pod
	}
	c.made++
	name := fmt.Sprint("p", c.made)
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: c.pick("shop", "lab"), Name: name, UID: types.UID(name),
		Labels: map[string]string{"app": c.pick("web", "db")}}}
}

// bind adds a pod that another scheduler has bound, perhaps to an unknown node.
func (c *cluster) bind() {
	pod := c.newPod()
	pod.Spec.NodeName = fmt.Sprint("n", c.random.Intn(20))
	c.must(c.cache.AddPod(logger, pod))
	c.bound[pod.UID] = pod
}

func (c *cluster) assume() {
	node, found := anyOf(c, c.nodes)
	if !found {
		return
	}
	pod := c.newPod()
	pod.Spec.NodeName = node.Name
	c.must(c.cache.AssumePod(logger, pod))
	c.assumed[pod.UID] = pod
}

func (c *cluster) forget() {
	if pod, found := anyOf(c, c.assumed); found {
		c.must(c.cache.ForgetPod(logger, pod))
		delete(c.assumed, pod.UID)
		c.pending = append(c.pending, pod)
	}
}

// confirm reports an assumed pod as bound, perhaps to another node.
func (c *cluster) confirm() {
	pod, found := anyOf(c, c.assumed)
	if !found {
		return
	}
	delete(c.assumed, pod.UID)
	pod = pod.DeepCopy()
	if c.random.Intn(4) == 0 {
		pod.Spec.NodeName = fmt.Sprint("n", c.random.Intn(20))
	}
	c.must(c.cache.AddPod(logger, pod))
	c.bound[pod.UID] = pod
}

func (c *cluster) changePod() {
	old, found := anyOf(c, c.bound)
	if !found {
		return
	}
	pod := old.DeepCopy()
	switch c.random.Intn(3) {
	case 0:
		now := metav1.NewTime(time.Now())
		pod.DeletionTimestamp = &now
	case 1:
		pod.Labels["app"] = c.pick("web", "db", "other")
	}
	c.must(c.cache.UpdatePod(logger, old, pod))
	c.bound[pod.UID] = pod
}

func (c *cluster) deletePod() {
	if pod, found := anyOf(c, c.bound); found {
		c.must(c.cache.RemovePod(logger, pod))
		delete(c.bound, pod.UID)
	}
}

func (c *cluster) change() {
	steps := []func(){c.addNode, c.addNode, c.refreshNode, c.removeNode, c.bind, c.bind, c.bind, c.assume, c.assume, c.assume,
		c.forget, c.forget, c.confirm, c.changePod, c.deletePod, c.deletePod}
	steps[c.random.Intn(len(steps))]()
}

// After any changes, Evenkeel has exactly the scheduler's snapshot, also after it was restarted.
func TestTracker_sendsExactlyTheSnapshot(t *testing.T) {
	for seed := range int64(20) {
		c, to, tracker := newCluster(t, seed), newServer(), NewTracker("test")
		tracker.maxAtOnce = 1 + c.random.Intn(40)
		compared := 0
		for range 500 {
			for range c.random.Intn(6) {
				c.change()
			}
			switch c.random.Intn(50) {
			case 0:
				tracker.Reset()
			case 1:
				tracker.Reset()
				to = newServer()
			}
			infos := c.infos()
			to.apply(t, tracker.Changes(infos))
			if !tracker.IsComplete() {
				continue
			}
			compared++
			if want, got := contents(infos), to.contents(); !slices.Equal(want, got) {
				t.Fatalf("seed %d: Evenkeel lacks\n%s\nand should not have\n%s", seed, strings.Join(without(want, got), "\n"), strings.Join(without(got, want), "\n"))
			}
			if steps := tracker.Changes(infos); len(steps) > 0 {
				t.Fatalf("seed %d: %v was sent for nothing", seed, steps)
			}
		}
		if compared < 20 {
			t.Errorf("seed %d: the snapshot was complete only %d times", seed, compared)
		}
	}
}

// During many cycles without constraints nothing is sent. Then the changes must not delay a single cycle.
func TestTracker_sendsManyChangesInParts(t *testing.T) {
	const nodes, podsPerNode, atOnce = 100, 100, 1000
	c, to, tracker := newCluster(t, 3), newServer(), NewTracker("test")
	for i := range nodes {
		node := c.newNode(fmt.Sprint("n", i))
		c.nodes[node.Name] = node
		c.cache.AddNode(logger, node)
		for range podsPerNode {
			pod := c.newPod()
			pod.Spec.NodeName = node.Name
			c.must(c.cache.AddPod(logger, pod))
			c.bound[pod.UID] = pod
		}
	}
	for !tracker.IsComplete() {
		to.apply(t, tracker.Changes(c.infos()))
	}
	tracker.maxAtOnce = atOnce
	// sent counts the calls until all is sent.
	sent := func() (calls int) {
		for infos := c.infos(); calls == 0 || !tracker.IsComplete(); calls++ {
			steps := tracker.Changes(infos)
			events := 0
			for _, step := range steps {
				events += len(step.GetEvents().GetEvents())
			}
			if events > atOnce+podsPerNode {
				t.Errorf("%d events at once", events)
			}
			to.apply(t, steps)
		}
		if want, got := contents(c.infos()), to.contents(); !slices.Equal(want, got) {
			t.Errorf("Evenkeel lacks %d objects and has %d others", len(without(want, got)), len(without(got, want)))
		}
		return calls
	}
	for uid, old := range c.bound {
		pod := old.DeepCopy()
		pod.Labels["app"] = "changed"
		c.must(c.cache.UpdatePod(logger, old, pod))
		c.bound[uid] = pod
	}
	if calls := sent(); calls < 9 || calls > 11 {
		t.Errorf("changed pods were sent in %d parts", calls)
	}
	for i := range nodes / 2 {
		c.must(c.cache.RemoveNode(logger, c.nodes[fmt.Sprint("n", i)]))
	}
	if calls := sent(); calls < 5 || calls > 6 {
		t.Errorf("removed nodes were sent in %d parts", calls)
	}
}

func TestTracker_sendsAnUnsentSnapshotInParts(t *testing.T) {
	c, to, tracker := newCluster(t, 1), newServer(), NewTracker("test")
	for i := range 10 {
		node := c.newNode(fmt.Sprint("n", i))
		c.nodes[node.Name] = node
		c.cache.AddNode(logger, node)
	}
	for range 300 {
		c.assume()
	}
	tracker.maxAtOnce = 100
	calls := 0
	for ; !tracker.IsComplete(); calls++ {
		to.apply(t, tracker.Changes(c.infos()))
		c.changePod()
	}
	if calls < 3 || calls > 4 {
		t.Errorf("the snapshot was sent in %d parts", calls)
	}
	if want, got := contents(c.infos()), to.contents(); !slices.Equal(want, got) {
		t.Errorf("the snapshot is %v, Evenkeel has %v", want, got)
	}
}

// Only what the answers depend on is sent: heartbeats and the confirmation of assumed pods change nothing.
func TestTracker_sendsNothing_ifOnlyOtherFieldsChange(t *testing.T) {
	c, tracker := newCluster(t, 2), NewTracker("test")
	for range 100 {
		c.change()
	}
	for !tracker.IsComplete() {
		tracker.Changes(c.infos())
	}
	for range 20 {
		c.refreshNode()
		if pod, found := anyOf(c, c.assumed); found {
			delete(c.assumed, pod.UID)
			c.must(c.cache.AddPod(logger, pod.DeepCopy()))
		}
	}
	if steps := tracker.Changes(c.infos()); len(steps) > 0 {
		t.Errorf("%v was sent", steps)
	}
}

func BenchmarkTracker(b *testing.B) {
	metrics.Register()
	for _, changed := range []int{0, 1, 100, 5000} {
		b.Run(fmt.Sprintf("%d of 5000 nodes changed", changed), func(b *testing.B) {
			cache, snapshot, tracker := internalcache.New(b.Context(), nil, false), internalcache.NewEmptySnapshot(), NewTracker("test")
			for i := range 5000 {
				cache.AddNode(logger, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%04d", i), UID: types.UID(fmt.Sprint(i)),
					Labels: map[string]string{v1.LabelTopologyZone: fmt.Sprint("zone-", i%3)}}})
			}
			made := 0
			add := func(node int) {
				made++
				name := fmt.Sprint("pod-", made)
				_ = cache.AddPod(logger, &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name),
					Labels: map[string]string{"app": "web"}}, Spec: v1.PodSpec{NodeName: fmt.Sprintf("node-%04d", node)}})
			}
			for i := range 150_000 {
				add(i % 5000)
			}
			infos := func() []fwk.NodeInfo {
				_ = cache.UpdateSnapshot(logger, snapshot)
				infos, _ := snapshot.NodeInfos().List()
				return infos
			}
			for !tracker.IsComplete() {
				tracker.Changes(infos())
			}
			for b.Loop() {
				b.StopTimer()
				for i := range changed {
					add((made + i) % 5000)
				}
				list := infos()
				b.StartTimer()
				tracker.Changes(list)
			}
		})
	}
}
