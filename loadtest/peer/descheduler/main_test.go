package main

import (
	"context"
	"fmt"
	"testing"

	"evenkeel.io/loadtest/peer/cluster"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// zones has a zone of two nodes for each count, with as many pods on the first of them.
func zones(counts ...int) *cluster.Cluster {
	made := &cluster.Cluster{}
	controller := true
	for zone, count := range counts {
		for i := range 2 {
			name := fmt.Sprintf("%d-%d", zone, i)
			made.Nodes = append(made.Nodes, &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
					corev1.LabelTopologyZone: fmt.Sprint(zone), corev1.LabelHostname: name,
				}},
				Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("9")}},
			})
		}
		for range count {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: "shop", Name: fmt.Sprint("web-", len(made.Pods)), Labels: map[string]string{"app": "web"},
					OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", UID: "web", Controller: &controller}},
				},
				Spec: corev1.PodSpec{NodeName: fmt.Sprintf("%d-0", zone)},
			}
			for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelHostname} {
				pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
					MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.DoNotSchedule,
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				})
			}
			made.Pods = append(made.Pods, pod)
		}
	}
	return made
}

func TestBalance_runsUntilTheConstraintsAreSatisfied(t *testing.T) {
	objects := zones(6, 0, 0)
	balanced, err := balance(context.Background(), objects, 100)
	if err != nil {
		t.Fatal(err)
	}
	last := balanced.Runs[len(balanced.Runs)-1]
	if len(balanced.Runs) < 2 || last.Evictions != 0 {
		t.Errorf("the runs were %v", balanced.Runs)
	}
	perNode := map[string]int{}
	for _, pod := range objects.Pods {
		node, moved := balanced.Nodes[pod.Name]
		if !moved {
			node = pod.Spec.NodeName
		}
		perNode[node]++
	}
	for node, count := range perNode {
		if count != 1 {
			t.Errorf("%s has %d pods", node, count)
		}
	}
}

func TestBalance_stopsAfterTheLastRun(t *testing.T) {
	balanced, err := balance(context.Background(), zones(6, 0, 0), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(balanced.Runs) != 1 || balanced.Runs[0].Evictions == 0 {
		t.Errorf("the runs were %v", balanced.Runs)
	}
}

func TestScheduler_takesTheSmallestDomainThatIsAdmitted_andNoneWithoutRoom(t *testing.T) {
	objects := zones(2, 1, 1)
	scheduler := newScheduler(objects)
	pod := objects.Pods[0]
	scheduler.remove(pod)
	if node := scheduler.place(pod); node != "0-1" {
		t.Errorf("placed on %q", node)
	}
	full := newScheduler(zones(1, 1, 1))
	for _, node := range full.nodes {
		node.Status.Allocatable[corev1.ResourcePods] = resource.MustParse("0")
	}
	if node := full.place(pod); node != "" {
		t.Errorf("placed on %q", node)
	}
}
