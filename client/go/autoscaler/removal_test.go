package autoscaler

import (
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// replicated gives a pod a controller that would create it again.
func replicated(pod *corev1.Pod) *corev1.Pod {
	controls := true
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", Controller: &controls}}
	return pod
}

func TestSimulateRemoval_saysWherePodsGo_andChangesNothing(t *testing.T) {
	snapshot := of(t, zones("a", "b", "c"), replicated(plain("1", "node-a")), replicated(plain("2", "node-b")))
	removals, err := snapshot.SimulateRemoval([]string{"node-a", "absent"}, RemovalOptions{})
	must(t, err)
	expect(t, removals[0].Removable, true)
	expect(t, removals[0].Moves[0].Pod.Name+" "+removals[0].Moves[0].Node, "1 node-b")
	expect(t, removals[1].Removable, false)
	expectError(t, removals[1].Err, ErrNodeNotFound)
	expect(t, podsOn(t, snapshot), "node-a:1 node-b:1 node-c:0 ")
}

func TestSimulateRemoval_together_takesRoomOnce_andMovesPodsAgain(t *testing.T) {
	snapshot := of(t, zones("a", "b", "c"), replicated(plain("1", "node-a")))
	nodes := []string{"node-a", "node-b", "node-c"}
	removals, err := snapshot.SimulateRemoval(nodes, RemovalOptions{Together: true})
	must(t, err)
	// The pod of a goes to b, then to c, which cannot go because no node is left.
	expect(t, removals[0].Moves[0].Node, "node-b")
	expect(t, removals[1].Moves[0].Pod.Name+" "+removals[1].Moves[0].Node, "1 node-c")
	expect(t, removals[2].Removable, false)
	expect(t, removals[2].Blocking[0].Why.Reason, evenkeelv1.BlockingReason_BLOCKING_REASON_NO_NODE)
	expect(t, removals[2].Blocking[0].Pod.Name, "1")
	byItself, err := snapshot.SimulateRemoval(nodes, RemovalOptions{})
	must(t, err)
	expect(t, byItself[2].Removable, true)
}

func TestSimulateRemoval_keepsAnEmptyDomain_unlessItIsGoneAtOnce(t *testing.T) {
	snapshot := of(t, zones("a", "b"), replicated(web("1", "node-a")), replicated(web("2", "node-b")))
	removals, err := snapshot.SimulateRemoval([]string{"node-a"}, RemovalOptions{})
	must(t, err)
	expect(t, removals[0].Removable, false)
	expect(t, removals[0].Blocking[0].Why.Constraint.Constraint.TopologyKey, corev1.LabelTopologyZone)
	removals, err = snapshot.SimulateRemoval([]string{"node-a"}, RemovalOptions{GoneAtOnce: true})
	must(t, err)
	expect(t, removals[0].Removable, true)
}

func TestSimulateRemoval_followsTheAnnotationsOfPods(t *testing.T) {
	annotated := func(name, key, value string) *corev1.Pod {
		pod := plain(name, "node-a")
		pod.Annotations[key] = value
		return pod
	}
	kept := annotated("kept", "cluster-autoscaler.kubernetes.io/safe-to-evict", "false")
	snapshot := of(t, zones("a", "b"), replicated(kept), annotated("mirror", corev1.MirrorPodAnnotationKey, "h"),
		annotated("moved", "cluster-autoscaler.kubernetes.io/safe-to-evict", "true"))
	removals, err := snapshot.SimulateRemoval([]string{"node-a"}, RemovalOptions{})
	must(t, err)
	expect(t, len(removals[0].Blocking), 1)
	expect(t, removals[0].Blocking[0].Pod, kept)
	expect(t, removals[0].Blocking[0].Why.Reason, evenkeelv1.BlockingReason_BLOCKING_REASON_NOT_SAFE_TO_EVICT)
}

func TestSimulateRemoval_ofTheLiveState_namesThePodsThatWereGiven(t *testing.T) {
	pods := []*corev1.Pod{replicated(plain("1", "node-a")), replicated(plain("2", "node-b"))}
	snapshot := begin(t, zones("a", "b", "c"), pods...)
	must(t, snapshot.SetLiveState(nil, zones("a", "b", "c"), pods[:1]))
	removals, err := snapshot.SimulateRemoval([]string{"node-a", "node-b"}, RemovalOptions{})
	must(t, err)
	expect(t, removals[0].Moves[0].Pod, pods[0])
	expectError(t, removals[1].Err, ErrPodNotFound)
}
