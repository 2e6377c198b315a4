package main

import (
	"context"
	"testing"

	"evenkeel.io/loadtest/peer/cluster"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

func node(name, zone string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: zone}}}
}

func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: node},
	}
}

func spread(when corev1.UnsatisfiableConstraintAction) *corev1.Pod {
	incoming := pod("incoming", "")
	incoming.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		MaxSkew:           1,
		TopologyKey:       corev1.LabelTopologyZone,
		WhenUnsatisfiable: when,
		LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}
	return incoming
}

// twoOneOne has three zones of one node, holding 2, 1 and 1 pods, and a node without a zone.
func twoOneOne(t *testing.T) (*peer, []fwk.NodeInfo) {
	t.Helper()
	made, err := newPeer(context.Background(), &cluster.Cluster{
		Nodes: []*corev1.Node{node("a", "a"), node("b", "b"), node("c", "c"), {ObjectMeta: metav1.ObjectMeta{Name: "nowhere"}}},
		Pods:  []*corev1.Pod{pod("1", "a"), pod("2", "a"), pod("3", "b"), pod("4", "c")},
	})
	if err != nil {
		t.Fatal(err)
	}
	all, err := made.candidates(nil)
	if err != nil {
		t.Fatal(err)
	}
	return made, all
}

func TestHardConstraintTakesTheFullZoneOut(t *testing.T) {
	peer, all := twoOneOne(t)
	said, err := peer.ask(spread(corev1.DoNotSchedule), all)
	if err != nil {
		t.Fatal(err)
	}
	want := []fwk.Code{fwk.Unschedulable, fwk.Success, fwk.Success, fwk.UnschedulableAndUnresolvable}
	for i, code := range want {
		if said.codes[i] != code {
			t.Errorf("%s: want %s, got %s", all[i].Node().Name, code, said.codes[i])
		}
	}
	if said.scores != nil {
		t.Errorf("want no scores, got %v", said.scores)
	}
}

func TestSoftConstraintScoresTheFullZoneLeast(t *testing.T) {
	peer, all := twoOneOne(t)
	said, err := peer.ask(spread(corev1.ScheduleAnyway), all)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{"a": 66, "b": 100, "c": 100, "nowhere": 0}
	if len(said.scores) != len(want) {
		t.Fatalf("want %d scores, got %v", len(want), said.scores)
	}
	for _, score := range said.scores {
		if score.Score != want[score.Name] {
			t.Errorf("%s: want %d, got %d", score.Name, want[score.Name], score.Score)
		}
	}
}

func TestCopiesCountOneAfterAnotherAndAreRemoved(t *testing.T) {
	peer, all := twoOneOne(t)
	for i, want := range []string{"b", "c", "a", "b"} {
		got, err := peer.place(spread(corev1.DoNotSchedule), i)
		if err != nil {
			t.Fatal(err)
		}
		if got != want {
			t.Errorf("copy %d: want %s, got %s", i, want, got)
		}
	}
	peer.removePlaced()
	for _, node := range all {
		for _, pod := range node.GetPods() {
			if pod.GetPod().Labels["app"] != "web" || len(pod.GetPod().Name) != 1 {
				t.Errorf("%s still has %s", node.Node().Name, pod.GetPod().Name)
			}
		}
	}
	if got, err := peer.place(spread(corev1.DoNotSchedule), 0); err != nil || got != "b" {
		t.Errorf("want b again, got %s, %v", got, err)
	}
}

func TestNoNodePasses(t *testing.T) {
	made, err := newPeer(context.Background(), &cluster.Cluster{Nodes: []*corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "nowhere"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := made.place(spread(corev1.DoNotSchedule), 0); err != nil || got != "" {
		t.Errorf("want no node, got %s, %v", got, err)
	}
}

func TestUnknownCandidateIsAnError(t *testing.T) {
	peer, _ := twoOneOne(t)
	if _, err := peer.candidates([]string{"a", "gone"}); err == nil {
		t.Error("want an error")
	}
}

func TestPercentileIsTheNearestRank(t *testing.T) {
	nanos := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for percent, want := range map[int]int64{1: 1, 50: 5, 99: 10, 100: 10} {
		if got := percentile(nanos, percent); got != want {
			t.Errorf("p%d: want %d, got %d", percent, want, got)
		}
	}
}
