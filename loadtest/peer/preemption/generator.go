package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// scenario is a line of the corpus.
type scenario struct {
	Name       string                          `json:"name"`
	Nodes      []*corev1.Node                  `json:"nodes"`
	Bound      []*corev1.Pod                   `json:"bound"`
	Budgets    []*policyv1.PodDisruptionBudget `json:"budgets,omitempty"`
	Pod        *corev1.Pod                     `json:"pod"`
	Outcome    string                          `json:"outcome"`
	Candidates []candidate                     `json:"candidates,omitempty"`
	Message    string                          `json:"message,omitempty"`
}

// candidate is a node with the names of the pods to remove from it.
type candidate struct {
	Node       string   `json:"node"`
	Victims    []string `json:"victims"`
	Violations int64    `json:"violations"`
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
	made := &scenario{Name: fmt.Sprintf("preemption-%04d", number)}
	for i := range 2 + g.IntN(7) {
		made.Nodes = append(made.Nodes, g.node(fmt.Sprintf("node-%d", i)))
	}
	for _, node := range made.Nodes {
		taken := map[string]bool{}
		for i := range 1 + g.IntN(9) {
			pod := g.boundPod(node.Name, i == 0)
			// No scheduler lets two pods of a node have the same port; kube-scheduler forgets it when one of them is removed.
			if container := &pod.Spec.Containers[0]; len(container.Ports) > 0 {
				port := fmt.Sprint(container.Ports[0].HostPort, container.Ports[0].Protocol)
				if taken[port] {
					container.Ports = nil
				}
				taken[port] = true
			}
			made.Bound = append(made.Bound, pod)
		}
	}
	for i := range pick(g, 0, 0, 1, 2, 3) {
		made.Budgets = append(made.Budgets, g.budget(fmt.Sprintf("budget-%d", i), made.Bound))
	}
	made.Pod = g.incomingPod(made.Nodes)
	return made
}

func (g *generator) node(name string) *corev1.Node {
	node := &corev1.Node{
		TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			corev1.LabelHostname: name,
			"disk":               pick(g, "ssd", "ssd", "hdd"),
		}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourcePods:   resource.MustParse(pick(g, "4", "8", "110")),
			corev1.ResourceCPU:    resource.MustParse(pick(g, "1", "2", "3")),
			corev1.ResourceMemory: resource.MustParse(pick(g, "2Gi", "4Gi", "8Gi")),
		}},
	}
	if !g.chance(6) {
		node.Labels[corev1.LabelTopologyZone] = pick(g, "a", "b", "c")
	}
	if g.chance(15) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "team", Value: "ml", Effect: corev1.TaintEffectNoSchedule})
	}
	node.Spec.Unschedulable = g.chance(5)
	return node
}

// pod is a pod without a node.
func (g *generator) pod() *corev1.Pod {
	g.pods++
	name := fmt.Sprintf("pod-%d", g.pods)
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pick(g, "shop", "shop", "shop", "shop", "other"), Name: name, UID: types.UID(name),
			Labels: map[string]string{"app": pick(g, "web", "db")},
		},
	}
	if g.chance(5) {
		pod.Labels = nil
	}
	container := corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{}}}
	if g.chance(80) {
		container.Resources.Requests[corev1.ResourceCPU] = resource.MustParse(pick(g, "100m", "250m", "500m", "1"))
	}
	if g.chance(60) {
		container.Resources.Requests[corev1.ResourceMemory] = resource.MustParse(pick(g, "256Mi", "512Mi", "1Gi", "2Gi"))
	}
	if g.chance(20) {
		container.Ports = []corev1.ContainerPort{{
			ContainerPort: 80, HostPort: pick[int32](g, 80, 443), Protocol: pick(g, corev1.ProtocolTCP, corev1.ProtocolUDP),
			HostIP: pick(g, "", "", "10.0.0.1", "10.0.0.2"),
		}}
	}
	pod.Spec.Containers = []corev1.Container{container}
	return pod
}

// boundPod has another start time than all others, unless it has not started: then kube-scheduler uses the time of each comparison, so
// that two such pods on a node would have no order.
func (g *generator) boundPod(node string, mayBeNew bool) *corev1.Pod {
	pod := g.pod()
	pod.Spec.NodeName = node
	if !g.chance(10) {
		pod.Spec.Priority = new(int32)
		*pod.Spec.Priority = pick[int32](g, -10, 0, 0, 5, 5, 10, 100, 2000)
	}
	if !mayBeNew || g.chance(50) {
		started := metav1.Unix(1_700_000_000+int64(g.Perm(1_000)[0])*1_000+int64(g.pods), 0)
		pod.Status.StartTime = &started
	}
	switch {
	case g.chance(5):
		pod.Status.Phase = corev1.PodSucceeded
	case g.chance(15):
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1_800_000_000, 0).UTC()}
		if g.chance(70) {
			pod.Status.Conditions = []corev1.PodCondition{
				{Type: corev1.PodReady, Status: corev1.ConditionFalse},
				{
					Type: corev1.DisruptionTarget, Status: pick(g, corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse),
					Reason: pick(g, corev1.PodReasonPreemptionByScheduler, corev1.PodReasonPreemptionByScheduler, "EvictionByEvictionAPI"),
				},
			}
		}
	}
	return pod
}

func (g *generator) budget(name string, pods []*corev1.Pod) *policyv1.PodDisruptionBudget {
	budget := &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{Kind: "PodDisruptionBudget", APIVersion: "policy/v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: pick(g, "shop", "shop", "other"), Name: name, UID: types.UID(name)},
		Spec: policyv1.PodDisruptionBudgetSpec{Selector: pick(g,
			&metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
			&metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
			&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}}},
			&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "none", Operator: metav1.LabelSelectorOpDoesNotExist}}},
			&metav1.LabelSelector{},
			nil)},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: pick[int32](g, 0, 0, 1, 2)},
	}
	if len(pods) > 0 && g.chance(40) {
		budget.Status.DisruptedPods = map[string]metav1.Time{pick(g, pods...).Name: metav1.Unix(1_799_999_990, 0)}
	}
	return budget
}

func (g *generator) incomingPod(nodes []*corev1.Node) *corev1.Pod {
	pod := g.pod()
	pod.Namespace = "shop"
	pod.Spec.Priority = new(int32)
	*pod.Spec.Priority = pick[int32](g, 0, 7, 50, 1000, 5000, 5000)
	if g.chance(75) {
		pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse(pick(g, "1", "2", "3"))
	}
	if g.chance(50) {
		pod.Spec.Tolerations = []corev1.Toleration{{Key: "team", Operator: corev1.TolerationOpExists}}
	}
	if g.chance(15) {
		pod.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	}
	for range pick(g, 0, 1, 1, 2) {
		constraint := corev1.TopologySpreadConstraint{
			MaxSkew:           int32(1 + g.IntN(2)),
			TopologyKey:       pick(g, corev1.LabelTopologyZone, corev1.LabelTopologyZone, corev1.LabelHostname),
			WhenUnsatisfiable: pick(g, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			LabelSelector: pick(g,
				&metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				&metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
				&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "app", Operator: metav1.LabelSelectorOpExists}}},
				&metav1.LabelSelector{},
				nil),
			NodeTaintsPolicy: pick(g, nil, new(corev1.NodeInclusionPolicy)),
		}
		if constraint.NodeTaintsPolicy != nil {
			*constraint.NodeTaintsPolicy = corev1.NodeInclusionPolicyHonor
		}
		if constraint.WhenUnsatisfiable == corev1.DoNotSchedule && g.chance(25) {
			constraint.MinDomains = new(int32)
			*constraint.MinDomains = 1 + g.Int32N(4)
		}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
	}
	if g.chance(3) {
		pod.Spec.PreemptionPolicy = new(corev1.PreemptionPolicy)
		*pod.Spec.PreemptionPolicy = corev1.PreemptNever
	}
	if g.chance(25) {
		pod.Status.NominatedNodeName = pick(g, nodes...).Name
	}
	return pod
}
