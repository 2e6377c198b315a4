package autoscaler

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestSchedulePod_judgesSpreadAndResources_andSaysWhichFilterExcludesTheNode(t *testing.T) {
	snapshot := of(t, zones("a", "b"), web("1", "node-a"))
	err := snapshot.SchedulePod(web("2", ""), "node-a")
	expectType(t, err, FailingPredicateError)
	expect(t, err.FailingPredicateName(), "PodTopologySpread")
	expect(t, err.Reasons()[0], "node(s) didn't match pod topology spread constraints")
	for i := range 3 {
		if err := snapshot.SchedulePod(plain(fmt.Sprintf("plain-%d", i), ""), "node-a"); err != nil {
			t.Fatal(err)
		}
	}
	err = snapshot.CheckPredicates(plain("plain-3", ""), "node-a")
	expectType(t, err, FailingPredicateError)
	expect(t, err.FailingPredicateName(), "NodeResourcesFit")
	expect(t, err.Reasons()[0], "Insufficient cpu")
	expect(t, podsOn(t, snapshot), "node-a:4 node-b:0 ")
	must(t, snapshot.UnschedulePod("shop", "plain-0", "node-a"))
	if err := snapshot.CheckPredicates(plain("plain-3", ""), "node-a"); err != nil {
		t.Fatal(err)
	}
	expect(t, podsOn(t, snapshot), "node-a:3 node-b:0 ")
}

func TestCheckPredicates_namesEachFilter(t *testing.T) {
	nodes := zones("a")
	nodes[0].Spec.Taints = []corev1.Taint{{Key: "only", Value: "x", Effect: corev1.TaintEffectNoSchedule}}
	cordoned := node("node-b", "b")
	cordoned.Spec.Unschedulable = true
	busy := plain("busy", "node-c")
	busy.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 80}}
	snapshot := of(t, append(nodes, cordoned, node("node-c", "c")), busy)
	selective := plain("selective", "")
	selective.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	port := plain("port", "")
	port.Spec.Containers[0].Ports = busy.Spec.Containers[0].Ports
	for plugin, judged := range map[string]struct {
		pod  *corev1.Pod
		node string
	}{
		"TaintToleration":   {plain("p", ""), "node-a"},
		"NodeUnschedulable": {plain("p", ""), "node-b"},
		"NodeAffinity":      {selective, "node-c"},
		"NodePorts":         {port, "node-c"},
		"NodeName":          {plain("p", "node-a"), "node-c"},
	} {
		err := snapshot.CheckPredicates(judged.pod, judged.node)
		expectType(t, err, FailingPredicateError)
		expect(t, err.FailingPredicateName(), plugin)
	}
}

func TestSchedulePodOnAnyNodeMatching_beginsAfterTheLastNode_andHonorsItsOptions(t *testing.T) {
	nodes := zones("a", "b", "c", "d")
	nodes[3].Spec.Unschedulable = true
	snapshot := of(t, nodes)
	placed := func(options SchedulingOptions, name string) string {
		pod := plain(name, "")
		pod.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
		at, err := snapshot.SchedulePodOnAnyNodeMatching(pod, options)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	expect(t, placed(SchedulingOptions{}, "1"), "node-b")
	expect(t, placed(SchedulingOptions{}, "2"), "node-c")
	expect(t, placed(SchedulingOptions{}, "3"), "node-a")
	only := func(name string) func(*NodeInfo) bool {
		return func(info *NodeInfo) bool { return info.Node().Name == name }
	}
	expect(t, placed(SchedulingOptions{IsNodeAcceptable: only("node-a")}, "4"), "node-a")
	expect(t, placed(SchedulingOptions{NodeOrdering: fewest{}}, "5"), "node-b")
	_, err := snapshot.SchedulePodOnAnyNodeMatching(plain("6", ""), SchedulingOptions{IsNodeAcceptable: only("node-d")})
	expectType(t, err, NoNodesPassingPredicatesFoundError)
	expect(t, podsOn(t, snapshot), "node-a:2 node-b:2 node-c:1 node-d:0 ")
}

// fewest tries only one node: the second.
type fewest struct{}

func (fewest) Reset([]*NodeInfo) {}
func (fewest) MarkMatch(int)     {}
func (fewest) At(step int) int {
	if step == 0 {
		return 1
	}
	return -1
}

func TestSchedulePodOnAnyNodeMatching_followsSpread(t *testing.T) {
	snapshot := of(t, zones("a", "b", "c"))
	for i := range 9 {
		if _, err := snapshot.SchedulePodOnAnyNodeMatching(web(fmt.Sprint(i), ""), SchedulingOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, podsOn(t, snapshot), "node-a:3 node-b:3 node-c:3 ")
}

func TestFork_nests(t *testing.T) {
	snapshot := of(t, zones("a"), plain("1", "node-a"))
	snapshot.Fork()
	must(t, snapshot.AddNodeInfo(NewNodeInfo(node("node-b", "b"), plain("2", ""), plain("3", ""))))
	must(t, snapshot.ForceRemovePod("shop", "1", "node-a"))
	snapshot.Fork()
	must(t, snapshot.RemoveNodeInfo("node-a"))
	must(t, snapshot.ForceAddPod(plain("1", ""), "node-b"))
	expect(t, podsOn(t, snapshot), "node-b:3 ")
	snapshot.Revert()
	expect(t, podsOn(t, snapshot), "node-a:0 node-b:2 ")
	snapshot.Fork()
	must(t, snapshot.ForceRemovePod("shop", "2", "node-b"))
	must(t, snapshot.Commit())
	expect(t, podsOn(t, snapshot), "node-a:0 node-b:1 ")
	snapshot.Revert()
	expect(t, podsOn(t, snapshot), "node-a:1 ")
	snapshot.Revert()
	must(t, snapshot.Commit())
	must(t, snapshot.Err())
	expect(t, podsOn(t, snapshot), "node-a:1 ")
}

func TestClear_endsForks_andLeavesNothing(t *testing.T) {
	snapshot := of(t, zones("a", "b"), plain("1", "node-a"))
	snapshot.Fork()
	snapshot.Clear()
	expect(t, podsOn(t, snapshot), "")
	must(t, snapshot.AddNodeInfo(NewNodeInfo(node("node-a", "a"))))
	snapshot.Revert()
	expect(t, podsOn(t, snapshot), "node-a:0 ")
}

func TestSetClusterState_replacesTheLiveState_withPodsOfUnknownNodes(t *testing.T) {
	snapshot := begin(t, zones("a", "b"), plain("1", "node-a"), plain("2", "node-b"), plain("lost", "node-c"))
	nominated := plain("4", "")
	nominated.Status.NominatedNodeName = "node-c"
	must(t, snapshot.SetClusterState(zones("b", "c"), []*corev1.Pod{plain("3", "node-b"), nominated, plain("5", "node-x"), plain("6", "")}))
	expect(t, podsOn(t, snapshot), "node-b:1 node-c:1 ")
	must(t, snapshot.RemoveNodeInfo("node-b"))
	must(t, snapshot.SetClusterState(zones("a"), nil))
	expect(t, podsOn(t, snapshot), "node-a:0 ")
}

func TestSetLiveState_hasTheGivenNodes_andThePodsOfTheServer(t *testing.T) {
	live := []*corev1.Pod{plain("1", "node-a"), plain("2", "node-a"), plain("3", "node-b")}
	snapshot := begin(t, zones("a", "b"), live...)
	must(t, snapshot.SetLiveState(nil, zones("a", "c"), append(live[:1:1], plain("gone", "node-a"))))
	expect(t, counted(t, snapshot), "node-a:2 node-c:0 ")
	// The state at its beginning stays, whatever happens to the live one.
	feed(t, connect(t), zones("z"), nil)
	expect(t, counted(t, snapshot), "node-a:2 node-c:0 ")
	snapshot.Fork()
	must(t, snapshot.UnschedulePod("shop", "1", "node-a"))
	must(t, snapshot.UnschedulePod("shop", "gone", "node-a"))
	expect(t, counted(t, snapshot), "node-a:1 node-c:0 ")
	expectError(t, snapshot.UnschedulePod("shop", "2", "node-a"), ErrPodNotFound)
	snapshot.Revert()
	expect(t, counted(t, snapshot), "node-a:2 node-c:0 ")
	info, err := snapshot.GetNodeInfo("node-a")
	must(t, err)
	expect(t, len(info.Pods()), 2)
}

func TestForceAddPod_placesPodsOfOneNameOnSeveralNodes(t *testing.T) {
	snapshot := of(t, zones("a", "b"), plain("1", "node-a"))
	must(t, snapshot.ForceAddPod(plain("1", "node-a"), "node-b"))
	expect(t, podsOn(t, snapshot), "node-a:1 node-b:1 ")
	must(t, snapshot.ForceRemovePod("shop", "1", "node-a"))
	expect(t, podsOn(t, snapshot), "node-a:0 node-b:1 ")
}

func TestErrors_nameWhatIsMissingOrThere_andLeaveTheSnapshotUsable(t *testing.T) {
	snapshot := of(t, zones("a"), plain("1", "node-a"))
	expectError(t, snapshot.ForceAddPod(plain("1", ""), "node-a"), ErrPodExists)
	expectError(t, snapshot.SchedulePod(plain("1", ""), "node-a"), ErrPodExists)
	expectError(t, snapshot.ForceAddPod(plain("2", ""), "node-x"), ErrNodeNotFound)
	expectError(t, snapshot.ForceRemovePod("shop", "2", "node-a"), ErrPodNotFound)
	expectError(t, snapshot.ForceRemovePod("shop", "1", "node-x"), ErrNodeNotFound)
	expectError(t, snapshot.RemoveNodeInfo("node-x"), ErrNodeNotFound)
	expectError(t, snapshot.AddNodeInfo(NewNodeInfo(node("node-a", "b"))), ErrNodeExists)
	_, err := snapshot.GetNodeInfo("node-x")
	expectError(t, err, ErrNodeNotFound)
	unknown := snapshot.CheckPredicates(plain("2", ""), "node-x")
	expectType(t, unknown, SchedulingInternalError)
	expectError(t, unknown, ErrNodeNotFound)
	must(t, snapshot.Err())
	expect(t, podsOn(t, snapshot), "node-a:1 ")
}

func TestAddNodeInfo_addsNothing_ifAPodIsInvalid(t *testing.T) {
	snapshot := of(t, zones("a"))
	invalid := plain("2", "")
	invalid.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("-1")
	err := snapshot.AddNodeInfo(NewNodeInfo(node("node-b", "b"), plain("1", ""), invalid))
	if err == nil || !strings.Contains(err.Error(), "ERROR_REASON_INVALID_FIELD") {
		t.Fatal(err)
	}
	expect(t, podsOn(t, snapshot), "node-a:0 ")
	expectType(t, snapshot.SchedulePod(invalid, "node-a"), SchedulingInternalError)
	must(t, snapshot.Err())
}

func TestUnjudgedRules_leaveThePodUnplaced_unlessTheJudgedOnesExcludeTheNode(t *testing.T) {
	snapshot := of(t, zones("a", "b"), web("1", "node-a"))
	claiming := web("2", "")
	claiming.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	expectType(t, snapshot.SchedulePod(claiming, "node-a"), FailingPredicateError)
	err := snapshot.SchedulePod(claiming, "node-b")
	expectType(t, err, UnjudgedRulesError)
	expect(t, err.UnjudgedRules()[0], evenkeelv1.UnjudgedRule_UNJUDGED_RULE_VOLUMES)
	_, err = snapshot.SchedulePodOnAnyNodeMatching(claiming, SchedulingOptions{})
	expectType(t, err, UnjudgedRulesError)
	expect(t, podsOn(t, snapshot), "node-a:1 node-b:0 ")
	gated := web("3", "")
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
	if err := snapshot.SchedulePod(gated, "node-b"); err != nil {
		t.Fatal(err)
	}
}

func TestLostSession_failsAllVerbs_untilTheNextState(t *testing.T) {
	snapshot := of(t, zones("a"))
	snapshot.Fork()
	_, err := snapshot.session.simulation.CloseSession(context.Background(),
		&evenkeelv1.CloseSessionRequest{Session: snapshot.session.id})
	must(t, err)
	expectError(t, snapshot.CheckPredicates(plain("1", ""), "node-a"), ErrSessionLost)
	snapshot.Revert()
	expectError(t, snapshot.Err(), ErrSessionLost)
	expectError(t, snapshot.ForceAddPod(plain("1", ""), "node-a"), ErrSessionLost)
	_, err = snapshot.ListNodeInfos()
	expectError(t, err, ErrSessionLost)
	expectError(t, snapshot.Commit(), ErrSessionLost)
	must(t, snapshot.SetClusterState(zones("b"), nil))
	expect(t, podsOn(t, snapshot), "node-b:0 ")
}

func TestCancelledContext_failsAllVerbs(t *testing.T) {
	connection := connect(t)
	feed(t, connection, nil, nil)
	ctx, cancel := context.WithCancel(context.Background())
	snapshot := New(ctx, connection, Options{})
	must(t, snapshot.SetClusterState(zones("a"), nil))
	id := snapshot.session.id
	cancel()
	expectError(t, snapshot.CheckPredicates(plain("1", ""), "node-a"), context.Canceled)
	must(t, snapshot.Err()) // A question changes nothing.
	expectError(t, snapshot.ForceAddPod(plain("1", ""), "node-a"), context.Canceled)
	expectError(t, snapshot.Err(), context.Canceled)
	expectError(t, snapshot.SetClusterState(zones("a"), nil), context.Canceled)
	_, err := snapshot.session.simulation.CloseSession(context.Background(), &evenkeelv1.CloseSessionRequest{Session: id})
	must(t, err)
}

// The names of the nodes take more than the 1 MiB that an answer may contain.
func TestSchedulePodOnAnyNodeMatching_worksWithManyLongNames(t *testing.T) {
	var nodes []*corev1.Node
	for i := range 5_000 {
		nodes = append(nodes, node(fmt.Sprintf("%s-%04d", strings.Repeat("n", 230), i), "a"))
	}
	snapshot := of(t, nodes)
	last := nodes[4_999].Name
	snapshot.Fork()
	must(t, snapshot.RemoveNodeInfo(nodes[0].Name))
	at, err := snapshot.SchedulePodOnAnyNodeMatching(plain("1", ""), SchedulingOptions{
		IsNodeAcceptable: func(info *NodeInfo) bool { return info.Node().Name == last }})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, at, last)
	snapshot.Revert()
	info, found := snapshot.GetNodeInfo(last)
	must(t, found)
	expect(t, len(info.Pods()), 0)
}
