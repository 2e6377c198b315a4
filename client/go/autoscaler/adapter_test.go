package autoscaler

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
)

// The types of an upstream snapshot, with the shapes of cluster-autoscaler's.
type (
	upstreamPod  struct{ pod *corev1.Pod }
	upstreamNode struct {
		node *corev1.Node
		pods []*upstreamPod
	}
	upstreamOrder interface {
		Reset([]*upstreamNode)
		At(int) int
		MarkMatch(int)
	}
	upstreamOptions struct {
		order      upstreamOrder
		acceptable func(*upstreamNode) bool
	}
	upstreamError interface {
		error
		Kind() string
	}
	upstreamErrorText string
	nothing           struct{}
)

func (p *upstreamPod) GetPod() *corev1.Pod      { return p.pod }
func (n *upstreamNode) Node() *corev1.Node      { return n.node }
func (n *upstreamNode) Pods() []*upstreamPod    { return n.pods }
func (e upstreamErrorText) Error() string       { return string(e) }
func (e upstreamErrorText) Kind() string        { return string(e) }
func (n *upstreamNode) has(name string) (i int) { return slices.IndexFunc(n.pods, named(name)) }
func named(name string) func(*upstreamPod) bool {
	return func(pod *upstreamPod) bool { return pod.pod.Name == name }
}

var errUpstreamNodeNotFound = errors.New("node not found upstream")

// upstreamSnapshot keeps what it is given. It has filters that a server does not have: they admit pods on node-b only.
type upstreamSnapshot struct {
	states []map[string]*upstreamNode
	judged int
}

func newUpstreamSnapshot() *upstreamSnapshot {
	return &upstreamSnapshot{states: []map[string]*upstreamNode{{}}}
}

func (u *upstreamSnapshot) state() map[string]*upstreamNode { return u.states[len(u.states)-1] }
func (u *upstreamSnapshot) Fork()                           { u.states = append(u.states, maps.Clone(u.state())) }
func (u *upstreamSnapshot) Revert()                         { u.states = u.states[:len(u.states)-1] }
func (u *upstreamSnapshot) Clear()                          { u.states = []map[string]*upstreamNode{{}} }
func (u *upstreamSnapshot) Commit() error {
	u.states = append(u.states[:len(u.states)-2], u.state())
	return nil
}

func (u *upstreamSnapshot) SetClusterState(nodes []*corev1.Node, pods []*corev1.Pod, _, _ *nothing) error {
	u.Clear()
	for _, node := range nodes {
		u.state()[node.Name] = &upstreamNode{node: node}
	}
	for _, pod := range pods {
		_ = u.ForceAddPod(pod, pod.Spec.NodeName)
	}
	return nil
}

func (u *upstreamSnapshot) AddNodeInfo(node *upstreamNode) error {
	u.state()[node.node.Name] = node
	return nil
}

func (u *upstreamSnapshot) RemoveNodeInfo(name string) error {
	delete(u.state(), name)
	return nil
}

func (u *upstreamSnapshot) GetNodeInfo(name string) (*upstreamNode, error) {
	if node := u.state()[name]; node != nil {
		return node, nil
	}
	return nil, errUpstreamNodeNotFound
}

func (u *upstreamSnapshot) ListNodeInfos() ([]*upstreamNode, error) {
	var nodes []*upstreamNode
	for _, name := range slices.Sorted(maps.Keys(u.state())) {
		nodes = append(nodes, u.state()[name])
	}
	return nodes, nil
}

func (u *upstreamSnapshot) ForceAddPod(pod *corev1.Pod, name string) error {
	node, err := u.GetNodeInfo(name)
	if err == nil {
		u.state()[name] = &upstreamNode{node.node, append(slices.Clip(node.pods), &upstreamPod{pod})}
	}
	return err
}

func (u *upstreamSnapshot) ForceRemovePod(_, podName, name string) error {
	node, err := u.GetNodeInfo(name)
	if err != nil || node.has(podName) < 0 {
		return fmt.Errorf("no pod %s on %s", podName, name)
	}
	u.state()[name] = &upstreamNode{node.node, slices.DeleteFunc(slices.Clone(node.pods), named(podName))}
	return nil
}

func (u *upstreamSnapshot) UnschedulePod(namespace, podName, name string) error {
	return u.ForceRemovePod(namespace, podName, name)
}

func (u *upstreamSnapshot) CheckPredicates(_ *corev1.Pod, name string) upstreamError {
	u.judged++
	if name != "node-b" {
		return upstreamErrorText("upstream")
	}
	return nil
}

func (u *upstreamSnapshot) SchedulePod(pod *corev1.Pod, name string) upstreamError {
	if err := u.CheckPredicates(pod, name); err != nil {
		return err
	}
	_ = u.ForceAddPod(pod, name)
	return nil
}

func (u *upstreamSnapshot) SchedulePodOnAnyNodeMatching(pod *corev1.Pod, _ upstreamOptions) (string, upstreamError) {
	return "node-b", u.SchedulePod(pod, "node-b")
}

// NodeInfos is a method of the upstream snapshot that the adapter does not have.
func (u *upstreamSnapshot) NodeInfos() int { return len(u.state()) }

// The interface of an upstream snapshot, and a type that has it, made as the README says.
type (
	upstreamInterface interface {
		UpstreamSnapshot[*upstreamNode, upstreamOptions, upstreamError, *nothing, *nothing]
		NodeInfos() int
	}
	composed struct {
		*Adapter[*upstreamNode, *upstreamPod, upstreamOptions, upstreamError, *nothing, *nothing]
		lister
	}
	lister struct{ *upstreamSnapshot }
)

var _ upstreamInterface = composed{}

func adapted(t *testing.T) (composed, *upstreamSnapshot) {
	t.Helper()
	upstream := newUpstreamSnapshot()
	adapter := NewAdapter(upstream, begin(t, zones("z")), Parts[*upstreamNode, upstreamOptions, upstreamError]{
		Options: func(options upstreamOptions) (NodeOrder[*upstreamNode], func(*upstreamNode) bool) {
			return options.order, options.acceptable
		},
		InternalError: func(_ *corev1.Pod, message string) upstreamError { return upstreamErrorText("internal: " + message) },
		FailingPredicate: func(_ *corev1.Pod, plugin string, reasons []string, _, _ string) upstreamError {
			return upstreamErrorText(plugin)
		},
		NoNode: func(*corev1.Pod) upstreamError { return upstreamErrorText("none") },
	})
	return composed{adapter, lister{upstream}}, upstream
}

func (u *upstreamSnapshot) podsOn() string {
	text := ""
	nodes, _ := u.ListNodeInfos()
	for _, node := range nodes {
		text += fmt.Sprintf("%s:%d ", node.node.Name, len(node.pods))
	}
	return text
}

func TestAdapter_keepsBothSnapshotsEqual_andTheServerJudges(t *testing.T) {
	snapshot, upstream := adapted(t)
	must(t, snapshot.SetClusterState(zones("a", "b"), []*corev1.Pod{web("1", "node-a")}, nil, nil))
	expect(t, snapshot.SchedulePod(web("2", ""), "node-a").Kind(), "PodTopologySpread")
	expect(t, snapshot.CheckPredicates(web("2", ""), "node-b"), nil)
	expect(t, snapshot.SchedulePod(web("2", ""), "node-b"), nil)
	snapshot.Fork()
	must(t, snapshot.AddNodeInfo(&upstreamNode{node("node-c", "c"), []*upstreamPod{{plain("daemon", "")}}}))
	snapshot.Fork()
	at, err := snapshot.SchedulePodOnAnyNodeMatching(web("3", ""), upstreamOptions{
		acceptable: func(node *upstreamNode) bool { return node.node.Name != "node-b" }})
	expect(t, err, nil)
	expect(t, at, "node-c")
	_, err = snapshot.SchedulePodOnAnyNodeMatching(web("4", ""), upstreamOptions{
		acceptable: func(*upstreamNode) bool { return false }})
	expect(t, err.Kind(), "none")
	must(t, snapshot.Commit())
	must(t, snapshot.UnschedulePod("shop", "1", "node-a"))
	must(t, snapshot.RemoveNodeInfo("node-b"))
	expectError(t, snapshot.RemoveNodeInfo("node-b"), errUpstreamNodeNotFound)
	expect(t, upstream.podsOn(), podsOn(t, snapshot.Snapshot()))
	expect(t, upstream.podsOn(), "node-a:0 node-c:2 ")
	snapshot.Revert()
	must(t, snapshot.ForceRemovePod("shop", "2", "node-b"))
	expect(t, upstream.podsOn(), podsOn(t, snapshot.Snapshot()))
	expect(t, upstream.podsOn(), "node-a:1 node-b:0 ")
	expect(t, upstream.judged, 0)
	expect(t, snapshot.NodeInfos(), 2)
	snapshot.Clear()
	expect(t, podsOn(t, snapshot.Snapshot()), "")
}

func TestAdapter_leavesPodsToUpstream_ifRulesAreNotJudged(t *testing.T) {
	snapshot, upstream := adapted(t)
	must(t, snapshot.SetClusterState(zones("a", "b"), nil, nil, nil))
	claiming := func(name string) *corev1.Pod {
		pod := plain(name, "")
		pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
		return pod
	}
	expect(t, snapshot.CheckPredicates(claiming("1"), "node-a").Kind(), "upstream")
	expect(t, snapshot.SchedulePod(claiming("1"), "node-a").Kind(), "upstream")
	expect(t, snapshot.SchedulePod(claiming("1"), "node-b"), nil)
	at, err := snapshot.SchedulePodOnAnyNodeMatching(claiming("2"), upstreamOptions{})
	expect(t, err, nil)
	expect(t, at, "node-b")
	expect(t, upstream.judged, 4)
	expect(t, podsOn(t, snapshot.Snapshot()), "node-a:0 node-b:2 ")
	expect(t, upstream.podsOn(), "node-a:0 node-b:2 ")
	results, failed := snapshot.SchedulePods([]*corev1.Pod{claiming("3"), plain("4", ""), claiming("5")},
		BulkOptions{Rule: evenkeelv1.PlacementRule_PLACEMENT_RULE_FIRST, NodeOrder: []string{"node-b"}})
	must(t, failed)
	expect(t, results[0].Node, "node-b")
	expect(t, results[0].Err, nil)
	expect(t, results[1].Node, "node-b")
	// Only node-a has room, which upstream does not admit.
	expect(t, results[2].Node, "")
	expectType(t, results[2].Err, UnjudgedRulesError)
	expect(t, podsOn(t, snapshot.Snapshot()), "node-a:0 node-b:4 ")
	expect(t, upstream.podsOn(), "node-a:0 node-b:4 ")
}

func TestAdapter_failsUntilTheNextState_ifTheSnapshotsDiffer(t *testing.T) {
	snapshot, upstream := adapted(t)
	must(t, snapshot.SetClusterState(zones("a"), []*corev1.Pod{plain("1", "node-a")}, nil, nil))
	must(t, upstream.ForceRemovePod("shop", "1", "node-a"))
	if err := snapshot.ForceRemovePod("shop", "1", "node-a"); err == nil {
		t.Fatal("removed a pod that one of the snapshots did not have")
	}
	if snapshot.SchedulePod(plain("2", ""), "node-a") == nil {
		t.Fatal("placed a pod although the snapshots differ")
	}
	must(t, snapshot.SetClusterState(zones("a"), nil, nil, nil))
	expect(t, snapshot.SchedulePod(plain("2", ""), "node-a"), nil)
}

func TestAdapter_beginsWithTheLiveState_ifAsked(t *testing.T) {
	snapshot, _ := adapted(t)
	feed(t, connect(t), zones("a"), []*corev1.Pod{plain("1", "node-a"), plain("2", "node-a")})
	snapshot.Live = func() *evenkeelv1.Freshness { return nil }
	must(t, snapshot.SetClusterState(zones("a"), nil, nil, nil))
	expect(t, counted(t, snapshot.Snapshot()), "node-a:2 ")
}
