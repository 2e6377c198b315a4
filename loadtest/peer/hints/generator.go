package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

const events = 30

const (
	added    = "ADDED"
	modified = "MODIFIED"
	deleted  = "DELETED"
)

// scenario is a line of the corpus.
type scenario struct {
	Name   string         `json:"name"`
	Nodes  []*corev1.Node `json:"nodes"`
	Bound  []*corev1.Pod  `json:"bound"`
	Pod    *corev1.Pod    `json:"pod"`
	Events []*event       `json:"events"`
}

// event is a change of a node or of a pod on a node.
type event struct {
	Type      string       `json:"type"`
	Node      *corev1.Node `json:"node,omitempty"`
	Pod       *corev1.Pod  `json:"pod,omitempty"`
	Hinted    bool         `json:"hinted"`
	Accepting []string     `json:"accepting,omitempty"`
}

// generator makes random objects and events. There are few of each name, label and amount, so that they meet again and again.
type generator struct {
	*rand.Rand
	made  int
	nodes map[string]*corev1.Node
	bound map[string]*corev1.Pod
}

func newGenerator(random *rand.Rand) *generator {
	return &generator{Rand: random, nodes: map[string]*corev1.Node{}, bound: map[string]*corev1.Pod{}}
}

func pick[T any](g *generator, all ...T) T {
	return all[g.IntN(len(all))]
}

// one picks a value of a map whose order does not depend on the run.
func one[T any](g *generator, all map[string]T) T {
	return all[pick(g, slices.Sorted(maps.Keys(all))...)]
}

func (g *generator) chance(percent int) bool {
	return g.IntN(100) < percent
}

func (g *generator) scenario(number int) *scenario {
	made := &scenario{Name: fmt.Sprintf("hints-%04d", number)}
	for range 1 + g.IntN(5) {
		node := g.node()
		made.Nodes = append(made.Nodes, node)
		for range g.IntN(5) {
			made.Bound = append(made.Bound, g.boundPod(node.Name))
		}
	}
	made.Pod = g.incomingPod()
	for range events {
		made.Events = append(made.Events, g.event())
	}
	return made
}

func (g *generator) event() *event {
	if len(g.nodes) == 0 || g.chance(12) {
		return &event{Type: added, Node: g.node()}
	}
	if len(g.bound) == 0 || g.chance(30) {
		return &event{Type: added, Pod: g.boundPod(one(g, g.nodes).Name)}
	}
	if g.chance(60) {
		return g.podEvent(one(g, g.bound).DeepCopy())
	}
	return g.nodeEvent(one(g, g.nodes).DeepCopy())
}

func (g *generator) podEvent(pod *corev1.Pod) *event {
	gone := true
	change := &event{Type: modified, Pod: pod}
	switch g.IntN(6) {
	case 0:
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1_800_000_000, 0).UTC()}
		gone = false
	case 1:
		pod.Status.Phase = corev1.PodSucceeded
	case 2:
		pod.Labels = map[string]string{"app": pick(g, "web", "db")}
		gone = false
	default:
		change.Type = deleted
	}
	g.bound[pod.Name] = pod
	if gone {
		delete(g.bound, pod.Name)
	}
	return change
}

func (g *generator) nodeEvent(node *corev1.Node) *event {
	g.nodes[node.Name] = node
	switch g.IntN(6) {
	case 0:
		delete(g.nodes, node.Name)
		maps.DeleteFunc(g.bound, func(_ string, pod *corev1.Pod) bool { return pod.Spec.NodeName == node.Name })
		return &event{Type: deleted, Node: node}
	case 1:
		node.Spec.Unschedulable = !node.Spec.Unschedulable
	case 2:
		node.Spec.Taints = g.taints()
	case 3:
		node.Status.Allocatable = g.allocatable()
	default:
		node.Labels = g.labels(node.Name)
	}
	return &event{Type: modified, Node: node}
}

func (g *generator) name(kind string) string {
	g.made++
	return fmt.Sprintf("%s-%d", kind, g.made)
}

func (g *generator) node() *corev1.Node {
	name := g.name("node")
	node := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{Kind: "Node", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: g.labels(name)},
		Spec:       corev1.NodeSpec{Taints: g.taints(), Unschedulable: g.chance(15)},
		Status:     corev1.NodeStatus{Allocatable: g.allocatable()},
	}
	g.nodes[name] = node
	return node
}

func (g *generator) labels(hostname string) map[string]string {
	labels := map[string]string{corev1.LabelHostname: hostname, "disk": pick(g, "ssd", "ssd", "hdd")}
	if !g.chance(10) {
		labels[corev1.LabelTopologyZone] = pick(g, "a", "b", "c")
	}
	return labels
}

func (g *generator) taints() []corev1.Taint {
	if g.chance(75) {
		return nil
	}
	return []corev1.Taint{{Key: "team", Value: "ml", Effect: pick(g, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)}}
}

func (g *generator) allocatable() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourcePods:   resource.MustParse(pick(g, "2", "4", "110")),
		corev1.ResourceCPU:    resource.MustParse(pick(g, "1", "2", "3")),
		corev1.ResourceMemory: resource.MustParse(pick(g, "1Gi", "2Gi", "4Gi")),
	}
}

func (g *generator) pod() *corev1.Pod {
	name := g.name("pod")
	container := corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(pick(g, "250m", "500m", "1")),
		corev1.ResourceMemory: resource.MustParse(pick(g, "256Mi", "512Mi", "1Gi")),
	}}}
	if g.chance(15) {
		container.Ports = []corev1.ContainerPort{{ContainerPort: 80, HostPort: pick[int32](g, 80, 443), Protocol: corev1.ProtocolTCP}}
	}
	return &corev1.Pod{
		TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pick(g, "shop", "shop", "shop", "other"), Name: name, UID: types.UID(name),
			Labels: map[string]string{"app": pick(g, "web", "web", "db")},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{container}},
	}
}

func (g *generator) boundPod(node string) *corev1.Pod {
	pod := g.pod()
	pod.Spec.NodeName = node
	g.bound[pod.Name] = pod
	return pod
}

func (g *generator) incomingPod() *corev1.Pod {
	pod := g.pod()
	pod.Namespace = "shop"
	if g.chance(20) {
		pod.Spec.Tolerations = []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists}}
	}
	if g.chance(30) {
		pod.Spec.NodeSelector = map[string]string{"disk": "hdd"}
	}
	for range pick(g, 0, 1, 1, 1, 2) {
		constraint := corev1.TopologySpreadConstraint{
			MaxSkew:           1,
			TopologyKey:       pick(g, corev1.LabelTopologyZone, corev1.LabelTopologyZone, corev1.LabelHostname),
			WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: pick(g,
				&metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				&metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
				&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}}}),
		}
		if g.chance(25) {
			constraint.MinDomains = new(int32)
			*constraint.MinDomains = 1 + g.Int32N(4)
		}
		if g.chance(25) {
			constraint.NodeTaintsPolicy = new(corev1.NodeInclusionPolicy)
			*constraint.NodeTaintsPolicy = corev1.NodeInclusionPolicyHonor
		}
		if g.chance(25) {
			constraint.NodeAffinityPolicy = new(corev1.NodeInclusionPolicy)
			*constraint.NodeAffinityPolicy = corev1.NodeInclusionPolicyIgnore
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
	}
	return pod
}
