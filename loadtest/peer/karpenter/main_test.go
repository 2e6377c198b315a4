package main

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func templates(zones ...string) []*corev1.Node {
	made := make([]*corev1.Node, len(zones))
	for i, zone := range zones {
		made[i] = &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "type-" + zone, Labels: map[string]string{corev1.LabelTopologyZone: zone}},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourcePods: resource.MustParse("30"),
			}},
		}
	}
	return made
}

func pending(keys ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Labels: map[string]string{"app": "web"}}}
	for _, key := range keys {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		})
	}
	return pod
}

func TestSolve_usesFullNodes_ifOnlyZonesCount(t *testing.T) {
	solved, err := solve(templates("a", "b", "c"), copies(pending(corev1.LabelTopologyZone), 90), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if solved.Placed != 90 || solved.Nodes != 3 || !solved.Finished {
		t.Errorf("solved %+v", solved)
	}
}

func TestSolve_stopsAtTheLimit(t *testing.T) {
	keys := []string{corev1.LabelTopologyZone, corev1.LabelHostname}
	solved, err := solve(templates("a", "b", "c"), copies(pending(keys...), 10_000), 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	if solved.Finished || solved.Placed >= 10_000 {
		t.Errorf("solved %+v", solved)
	}
}
