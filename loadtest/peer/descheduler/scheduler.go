package main

import (
	"math"
	"slices"

	"evenkeel.io/loadtest/peer/cluster"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// scheduler places pods one after another, each on a node that the hard constraints admit and that has room for another pod.
// Of these, it takes one in the smallest domain of the first constraint, of these one in the smallest domain of the next, of
// these the one with the fewest pods, and of these the first one. All nodes are eligible and have each topology key, and a
// constraint counts the pods that have it.
type scheduler struct {
	nodes   []*corev1.Node
	numbers map[string]int
	// pods is how many pods each node has.
	pods []int
	// domains has, by topology key, the number of the domain of each node.
	domains map[string][]int
	// counts has the number of pods in each domain.
	counts map[group][]int
}

// group is the pods that a constraint counts, by topology key.
type group struct {
	namespace, selector, key string
}

func groupOf(pod *corev1.Pod, constraint *corev1.TopologySpreadConstraint) group {
	return group{pod.Namespace, metav1.FormatLabelSelector(constraint.LabelSelector), constraint.TopologyKey}
}

func newScheduler(objects *cluster.Cluster) *scheduler {
	s := &scheduler{
		nodes:   objects.Nodes,
		numbers: map[string]int{},
		pods:    make([]int, len(objects.Nodes)),
		domains: map[string][]int{},
		counts:  map[group][]int{},
	}
	for number, node := range s.nodes {
		s.numbers[node.Name] = number
	}
	for _, pod := range objects.Pods {
		s.change(pod, s.numbers[pod.Spec.NodeName], 1)
	}
	return s
}

// remove forgets a pod that is on a node.
func (s *scheduler) remove(pod *corev1.Pod) {
	s.change(pod, s.numbers[pod.Spec.NodeName], -1)
}

// place returns the name of the pod's new node, or nothing if no node takes it.
func (s *scheduler) place(pod *corev1.Pod) string {
	constraints := pod.Spec.TopologySpreadConstraints
	counts := make([][]int, len(constraints))
	domains := make([][]int, len(constraints))
	limits := make([]int, len(constraints))
	for i := range constraints {
		domains[i] = s.domainsOf(constraints[i].TopologyKey)
		counts[i] = s.countsOf(groupOf(pod, &constraints[i]))
		limits[i] = math.MaxInt
		if constraints[i].WhenUnsatisfiable == corev1.DoNotSchedule {
			limits[i] = slices.Min(counts[i]) + int(constraints[i].MaxSkew) - 1
		}
	}
	best := -1
	for number, node := range s.nodes {
		if int64(s.pods[number]) >= node.Status.Allocatable.Pods().Value() {
			continue
		}
		admitted, order := true, 0
		for i := range constraints {
			count := counts[i][domains[i][number]]
			if count > limits[i] {
				admitted = false
				break
			}
			if order == 0 && best >= 0 {
				order = count - counts[i][domains[i][best]]
			}
		}
		if !admitted {
			continue
		}
		if best < 0 || order < 0 || order == 0 && s.pods[number] < s.pods[best] {
			best = number
		}
	}
	if best < 0 {
		return ""
	}
	s.change(pod, best, 1)
	return s.nodes[best].Name
}

func (s *scheduler) change(pod *corev1.Pod, node, by int) {
	s.pods[node] += by
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		s.countsOf(groupOf(pod, constraint))[s.domainsOf(constraint.TopologyKey)[node]] += by
	}
}

func (s *scheduler) domainsOf(key string) []int {
	domains, known := s.domains[key]
	if !known {
		numbers := map[string]int{}
		for _, node := range s.nodes {
			value := node.Labels[key]
			if _, seen := numbers[value]; !seen {
				numbers[value] = len(numbers)
			}
			domains = append(domains, numbers[value])
		}
		s.domains[key] = domains
	}
	return domains
}

func (s *scheduler) countsOf(of group) []int {
	counts, known := s.counts[of]
	if !known {
		counts = make([]int, slices.Max(s.domainsOf(of.key))+1)
		s.counts[of] = counts
	}
	return counts
}
