package autoscaler

import (
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestSchedulePods_countsEachPodBeforeTheNext_andSaysWhyOneHasNoNode(t *testing.T) {
	snapshot := of(t, zones("a", "b"), plain("1", "node-b"))
	results, err := snapshot.SchedulePods(webs(9), BulkOptions{})
	must(t, err)
	expect(t, podsOn(t, snapshot), "node-a:4 node-b:4 ")
	expect(t, results[0].Node, "node-a")
	expectType(t, results[8].Err, NoNodesPassingPredicatesFoundError)
	expect(t, results[8].Summary, "0/2 nodes are available: 2 Insufficient cpu.")
	must(t, snapshot.UnschedulePod("shop", "web-0", "node-a"))
	expect(t, podsOn(t, snapshot), "node-a:3 node-b:4 ")
}

func TestSchedulePods_takesTheFirstNodeInOrder_ifAsked(t *testing.T) {
	snapshot := of(t, zones("a", "b"))
	pods := []*corev1.Pod{plain("1", ""), plain("2", "")}
	results, err := snapshot.SchedulePods(pods, BulkOptions{
		Rule: evenkeelv1.PlacementRule_PLACEMENT_RULE_FIRST, NodeOrder: []string{"node-b"}})
	must(t, err)
	expect(t, results[0].Node+results[1].Node, "node-bnode-b")
}

func TestSchedulePods_takesTheNodeThatThePodPrefers_ifAsked(t *testing.T) {
	snapshot := of(t, zones("a", "b"))
	choosy := plain("1", "")
	choosy.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 1,
			Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"b"}}}}}}}}
	results, err := snapshot.SchedulePods([]*corev1.Pod{choosy}, BulkOptions{
		Rule: evenkeelv1.PlacementRule_PLACEMENT_RULE_STOCK})
	must(t, err)
	expect(t, results[0].Node, "node-b")
}

func TestSchedulePods_placesAndReports_ifRulesAreNotJudged(t *testing.T) {
	snapshot := of(t, zones("a"))
	claiming := plain("1", "")
	claiming.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}}}
	results, err := snapshot.SchedulePods([]*corev1.Pod{claiming}, BulkOptions{})
	must(t, err)
	expect(t, results[0].Node, "node-a")
	expectType(t, results[0].Err, UnjudgedRulesError)
}

func TestSchedulePods_takesSeveralCalls_forManyPods(t *testing.T) {
	large := node("node-a", "a")
	large.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("5000"), corev1.ResourcePods: resource.MustParse("5000")}
	snapshot := of(t, []*corev1.Node{large})
	results, err := snapshot.SchedulePods(webs(maxMessageItems+1), BulkOptions{})
	must(t, err)
	expect(t, len(results), maxMessageItems+1)
	expect(t, podsOn(t, snapshot), "node-a:2001 ")
}

func TestEstimateNodes_considersAllGroupsTogether_andChangesNothing(t *testing.T) {
	snapshot := of(t, zones("a"), plain("1", "node-a"), plain("2", "node-a"), plain("3", "node-a"))
	daemon := plain("daemon", "")
	daemon.Labels = nil
	groups := []NodeGroup{
		{Name: "b", Template: NewNodeInfo(node("template", "b"), daemon)},
		{Name: "c", Template: NewNodeInfo(node("template", "c"), daemon), MaxCount: 1},
	}
	pods := webs(9)
	estimate, err := snapshot.EstimateNodes(groups, [][]*corev1.Pod{pods, {oversized()}}, EstimateOptions{TemplateDomainsCount: true})
	must(t, err)
	// The zones take 4 pods each. Zone a has 3, and room for one; a node of b takes 3.
	expect(t, len(estimate.NewNodes["b"]), 2)
	expect(t, estimate.NewNodes["c"][0], "c-1")
	on := map[string]int{}
	for _, placement := range estimate.Placements {
		on[placement.Node]++
	}
	expect(t, on["node-a"], 1)
	expect(t, on["c-1"], 3)
	expect(t, on["b-1"]+on["b-2"], 4)
	left := 0
	for _, unplaced := range estimate.Unplaced {
		left += int(unplaced.Why.Count)
		expect(t, len(unplaced.Pods), int(unplaced.Why.Count))
	}
	expect(t, len(estimate.Placements)+left, 10)
	expect(t, podsOn(t, snapshot), "node-a:3 ")
}

// oversized is a pod that no node takes.
func oversized() *corev1.Pod {
	pod := plain("oversized", "")
	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("100")
	return pod
}

func TestEstimateNodes_prefersCheapNodes_ifAsked(t *testing.T) {
	snapshot := of(t, nil)
	large := node("template", "a")
	large.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("8")
	groups := []NodeGroup{
		{Name: "small", Template: NewNodeInfo(node("template", "a")), Price: 2},
		{Name: "large", Template: NewNodeInfo(large), Price: 10},
	}
	pods := [][]*corev1.Pod{{plain("1", ""), plain("2", ""), plain("3", ""), plain("4", ""), plain("5", "")}}
	fewest, err := snapshot.EstimateNodes(groups, pods, EstimateOptions{})
	must(t, err)
	expect(t, len(fewest.NewNodes["large"]), 1)
	cheapest, err := snapshot.EstimateNodes(groups, pods, EstimateOptions{LeastCost: true})
	must(t, err)
	expect(t, len(cheapest.NewNodes["small"]), 2)
	expect(t, cheapest.Response.Price, 4)
	if _, err := snapshot.EstimateNodes(groups, [][]*corev1.Pod{{}}, EstimateOptions{}); err == nil {
		t.Fatal("an empty list of pods was accepted")
	}
}
