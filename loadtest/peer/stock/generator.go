package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// scenario is a line of the corpus.
type scenario struct {
	Name     string            `json:"name"`
	Nodes    []*corev1.Node    `json:"nodes"`
	Services []*corev1.Service `json:"services,omitempty"`
	Bound    []*corev1.Pod     `json:"bound"`
	Placed   []placement       `json:"placed"`
}

// placement is a pod to place, and the answer.
type placement struct {
	Pod    *corev1.Pod        `json:"pod"`
	Scores map[string][]int64 `json:"scores,omitempty"`
	Node   string             `json:"node,omitempty"`
}

// generator makes random objects. There are few of each name, label and amount, so that they meet again and again.
type generator struct {
	*rand.Rand
	pods int
}

func newGenerator(random *rand.Rand) *generator {
	return &generator{Rand: random}
}

func pick[T any](g *generator, all ...T) T {
	return all[g.IntN(len(all))]
}

func (g *generator) chance(percent int) bool {
	return g.IntN(100) < percent
}

func (g *generator) scenario(number int) *scenario {
	made := &scenario{Name: fmt.Sprintf("stock-%04d", number)}
	for i := range 2 + g.IntN(11) {
		made.Nodes = append(made.Nodes, g.node(fmt.Sprintf("node-%d", i)))
	}
	if g.chance(30) {
		made.Services = append(made.Services, &corev1.Service{
			TypeMeta:   metav1.TypeMeta{Kind: "Service", APIVersion: "v1"},
			ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "service-web"},
			Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "web"}},
		})
	}
	for range g.IntN(4 * len(made.Nodes)) {
		made.Bound = append(made.Bound, g.boundPod(pick(g, made.Nodes...).Name))
	}
	for range 3 + g.IntN(4) {
		made.Placed = append(made.Placed, placement{Pod: g.incomingPod()})
	}
	return made
}

func (g *generator) node(name string) *corev1.Node {
	node := &corev1.Node{
		TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			corev1.LabelHostname: name,
			"disk":               pick(g, "ssd", "hdd"),
			"cpus":               pick(g, "4", "8", "16"),
		}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: quantity(pick(g, "8", "110", "110"))}},
	}
	if !g.chance(8) {
		node.Labels[corev1.LabelTopologyZone] = pick(g, "a", "b", "c")
	}
	if !g.chance(5) {
		node.Status.Allocatable[corev1.ResourceCPU] = quantity(pick(g, "3920m", "4", "8", "15500m", "0"))
	}
	if !g.chance(5) {
		node.Status.Allocatable[corev1.ResourceMemory] = quantity(pick(g, "7910Mi", "8Gi", "16Gi", "16374468Ki"))
	}
	for g.chance(35) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{
			Key:    pick(g, "gpu", "team", "spot"),
			Value:  pick(g, "", "ml", "10"),
			Effect: pick(g, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoSchedule),
		})
	}
	node.Spec.Unschedulable = g.chance(4)
	return node
}

// pod is a pod without a node.
func (g *generator) pod() *corev1.Pod {
	g.pods++
	name := fmt.Sprintf("pod-%d", g.pods)
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: name, UID: types.UID(name), Labels: map[string]string{"app": pick(g, "web", "db")},
		},
	}
	for i := range 1 + g.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, g.container(fmt.Sprintf("main-%d", i)))
	}
	for i := range pick(g, 0, 0, 1, 2) {
		container := g.container(fmt.Sprintf("init-%d", i))
		if g.chance(50) {
			always := corev1.ContainerRestartPolicyAlways
			container.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if g.chance(12) {
		pod.Spec.Overhead = g.requests(50)
	}
	if g.chance(15) {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: g.requests(50)}
	}
	return pod
}

func (g *generator) container(name string) corev1.Container {
	return corev1.Container{Name: name, Resources: corev1.ResourceRequirements{Requests: g.requests(60)}}
}

// requests names each of cpu and memory with a probability; rarely with the amount 0.
func (g *generator) requests(percent int) corev1.ResourceList {
	list := corev1.ResourceList{}
	if g.chance(percent) {
		list[corev1.ResourceCPU] = quantity(pick(g, "0", "50m", "100m", "250m", "500m", "1", "1500m"))
	}
	if g.chance(percent) {
		list[corev1.ResourceMemory] = quantity(pick(g, "0", "64Mi", "200Mi", "512Mi", "1Gi", "1500M", "3Gi"))
	}
	return list
}

func quantity(text string) resource.Quantity {
	return resource.MustParse(text)
}

func (g *generator) boundPod(node string) *corev1.Pod {
	pod := g.pod()
	pod.Spec.NodeName = node
	switch {
	case g.chance(5):
		pod.Status.Phase = corev1.PodSucceeded
	case g.chance(5):
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1_800_000_000, 0).UTC()}
	case g.chance(10):
		// A resize is under way.
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			Name:               pod.Spec.Containers[0].Name,
			Resources:          &corev1.ResourceRequirements{Requests: g.requests(60)},
			AllocatedResources: g.requests(60),
		}}
	}
	return pod
}

func (g *generator) incomingPod() *corev1.Pod {
	pod := g.pod()
	for g.chance(40) {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
			Key:      pick(g, "gpu", "team", "spot"),
			Operator: pick(g, corev1.TolerationOpExists, corev1.TolerationOpEqual, corev1.TolerationOperator("")),
			Value:    pick(g, "", "ml", "10"),
			Effect:   pick(g, corev1.TaintEffect(""), corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoSchedule),
		})
	}
	if g.chance(50) {
		affinity := &corev1.NodeAffinity{}
		for range 1 + g.IntN(3) {
			affinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
				affinity.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.PreferredSchedulingTerm{Weight: int32(1 + g.IntN(100)), Preference: g.term()})
		}
		if g.chance(20) {
			affinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{g.term(), g.term()}}
		}
		pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: affinity}
	}
	for range pick(g, 0, 0, 1, 2) {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, corev1.TopologySpreadConstraint{
			MaxSkew:           int32(1 + g.IntN(3)),
			TopologyKey:       pick(g, corev1.LabelTopologyZone, corev1.LabelHostname),
			WhenUnsatisfiable: pick(g, corev1.ScheduleAnyway, corev1.ScheduleAnyway, corev1.DoNotSchedule),
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(g, "web", "db")}},
		})
	}
	return pod
}

func (g *generator) term() corev1.NodeSelectorTerm {
	if g.chance(10) {
		return corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{
			Key: metav1.ObjectNameField, Operator: pick(g, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{"node-1"},
		}}}
	}
	var term corev1.NodeSelectorTerm
	for range pick(g, 0, 1, 1, 1, 2) {
		term.MatchExpressions = append(term.MatchExpressions, pick(g,
			corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}},
			corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"ssd"}},
			corev1.NodeSelectorRequirement{Key: "cpus", Operator: corev1.NodeSelectorOpGt, Values: []string{"4"}},
			corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpExists},
			corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"a", "b"}}))
	}
	return term
}
