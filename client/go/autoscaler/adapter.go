package autoscaler

import (
	"errors"
	"fmt"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
)

// UpstreamNodeInfo is *framework.NodeInfo of cluster-autoscaler, whose pods are P, *framework.PodInfo.
type UpstreamNodeInfo[P UpstreamPodInfo] interface {
	Node() *corev1.Node
	Pods() []P
}

// UpstreamPodInfo is *framework.PodInfo of cluster-autoscaler.
type UpstreamPodInfo interface {
	GetPod() *corev1.Pod
}

// UpstreamSnapshot is the part of cluster-autoscaler's ClusterSnapshot that an Adapter uses. N is *framework.NodeInfo, O
// is clustersnapshot.SchedulingOptions, E is clustersnapshot.SchedulingError, D and C are the snapshots of dynamic
// resources and of CSI nodes.
type UpstreamSnapshot[N, O, E, D, C any] interface {
	Fork()
	Revert()
	Commit() error
	Clear()
	SetClusterState(nodes []*corev1.Node, scheduledPods []*corev1.Pod, dynamicResources D, csiNodes C) error
	AddNodeInfo(nodeInfo N) error
	RemoveNodeInfo(nodeName string) error
	GetNodeInfo(nodeName string) (N, error)
	ListNodeInfos() ([]N, error)
	ForceAddPod(pod *corev1.Pod, nodeName string) error
	ForceRemovePod(namespace, podName, nodeName string) error
	UnschedulePod(namespace, podName, nodeName string) error
	CheckPredicates(pod *corev1.Pod, nodeName string) E
	SchedulePod(pod *corev1.Pod, nodeName string) E
	SchedulePodOnAnyNodeMatching(pod *corev1.Pod, options O) (string, E)
}

// Parts are the constructors of cluster-autoscaler's package clustersnapshot that an Adapter needs.
type Parts[N, O, E any] struct {
	// Options takes SchedulingOptions apart. Both results may be nil.
	Options func(O) (NodeOrder[N], func(N) bool)

	// InternalError is NewSchedulingInternalError.
	InternalError func(pod *corev1.Pod, message string) E

	// FailingPredicate is NewFailingPredicateError.
	FailingPredicate func(pod *corev1.Pod, plugin string, reasons []string, unexpected, debug string) E

	// NoNode is NewNoNodesPassingPredicatesFoundError.
	NoNode func(pod *corev1.Pod) E
}

// Adapter has the methods of cluster-autoscaler's ClusterSnapshot that change a snapshot or judge pods. It keeps two
// snapshots equal: one of cluster-autoscaler, for its listers, and one of a server, which judges. If rules that the
// server does not judge could exclude a node, the pod is judged by cluster-autoscaler's snapshot. Not safe for
// concurrent use.
//
// The other methods of ClusterSnapshot must be those of the same cluster-autoscaler snapshot. See the README.
type Adapter[N UpstreamNodeInfo[P], P UpstreamPodInfo, O, E, D, C any] struct {
	// Live makes SetClusterState begin with the live state, as SetLiveState does, and returns how fresh it must be. Nil:
	// SetClusterState sends the whole cluster.
	Live func() *evenkeelv1.Freshness

	upstream UpstreamSnapshot[N, O, E, D, C]
	asked    *Snapshot
	parts    Parts[N, O, E]
	order    lastMatchOrder[N]
}

// NewAdapter returns an adapter of two empty snapshots.
func NewAdapter[N UpstreamNodeInfo[P], P UpstreamPodInfo, O, E, D, C any](
	upstream UpstreamSnapshot[N, O, E, D, C], asked *Snapshot, parts Parts[N, O, E],
) *Adapter[N, P, O, E, D, C] {
	return &Adapter[N, P, O, E, D, C]{upstream: upstream, asked: asked, parts: parts}
}

// Snapshot returns the snapshot of the server, for EstimateNodes and other verbs that change nothing.
func (a *Adapter[N, P, O, E, D, C]) Snapshot() *Snapshot { return a.asked }

// Fork begins a fork in both snapshots.
func (a *Adapter[N, P, O, E, D, C]) Fork() {
	a.asked.Fork()
	a.upstream.Fork()
}

// Revert undoes all changes since the innermost fork.
func (a *Adapter[N, P, O, E, D, C]) Revert() {
	a.asked.Revert()
	a.upstream.Revert()
}

// Commit keeps all changes since the innermost fork.
func (a *Adapter[N, P, O, E, D, C]) Commit() error {
	return a.both(a.asked.Commit(), a.upstream.Commit)
}

// Clear makes both snapshots empty.
func (a *Adapter[N, P, O, E, D, C]) Clear() {
	a.asked.Clear()
	a.upstream.Clear()
}

// SetClusterState replaces the whole cluster.
func (a *Adapter[N, P, O, E, D, C]) SetClusterState(nodes []*corev1.Node, scheduledPods []*corev1.Pod, dynamicResources D, csiNodes C) error {
	var err error
	if a.Live != nil {
		err = a.asked.SetLiveState(a.Live(), nodes, scheduledPods)
	} else {
		err = a.asked.SetClusterState(nodes, scheduledPods)
	}
	return a.both(err, func() error { return a.upstream.SetClusterState(nodes, scheduledPods, dynamicResources, csiNodes) })
}

// AddNodeInfo adds a node with its pods.
func (a *Adapter[N, P, O, E, D, C]) AddNodeInfo(nodeInfo N) error {
	var pods []*corev1.Pod
	for _, pod := range nodeInfo.Pods() {
		pods = append(pods, pod.GetPod())
	}
	err := a.asked.AddNodeInfo(NewNodeInfo(nodeInfo.Node(), pods...))
	return a.both(err, func() error { return a.upstream.AddNodeInfo(nodeInfo) })
}

// RemoveNodeInfo removes a node and the pods on it.
func (a *Adapter[N, P, O, E, D, C]) RemoveNodeInfo(nodeName string) error {
	if _, err := a.upstream.GetNodeInfo(nodeName); err != nil {
		return err // Callers compare it with clustersnapshot.ErrNodeNotFound.
	}
	return a.both(a.asked.RemoveNodeInfo(nodeName), func() error { return a.upstream.RemoveNodeInfo(nodeName) })
}

// ForceAddPod places a pod on a node without running filters.
func (a *Adapter[N, P, O, E, D, C]) ForceAddPod(pod *corev1.Pod, nodeName string) error {
	return a.both(a.asked.ForceAddPod(pod, nodeName), func() error { return a.upstream.ForceAddPod(pod, nodeName) })
}

// ForceRemovePod removes a pod from a node.
func (a *Adapter[N, P, O, E, D, C]) ForceRemovePod(namespace, podName, nodeName string) error {
	err := a.asked.ForceRemovePod(namespace, podName, nodeName)
	return a.both(err, func() error { return a.upstream.ForceRemovePod(namespace, podName, nodeName) })
}

// UnschedulePod removes a pod from a node, and releases its dynamic resources.
func (a *Adapter[N, P, O, E, D, C]) UnschedulePod(namespace, podName, nodeName string) error {
	err := a.asked.UnschedulePod(namespace, podName, nodeName)
	return a.both(err, func() error { return a.upstream.UnschedulePod(namespace, podName, nodeName) })
}

// CheckPredicates judges a pod on one node.
func (a *Adapter[N, P, O, E, D, C]) CheckPredicates(pod *corev1.Pod, nodeName string) E {
	err := a.asked.CheckPredicates(pod, nodeName)
	if isUnjudged(err) {
		return a.upstream.CheckPredicates(pod, nodeName)
	}
	return a.upstreamError(pod, err)
}

// SchedulePod places a pod on a node if all filters admit it there.
func (a *Adapter[N, P, O, E, D, C]) SchedulePod(pod *corev1.Pod, nodeName string) E {
	err := a.asked.CheckPredicates(pod, nodeName)
	if isUnjudged(err) {
		if excluded := a.upstream.SchedulePod(pod, nodeName); any(excluded) != nil {
			return excluded
		}
		return a.follow(pod, nodeName)
	}
	if err != nil {
		return a.upstreamError(pod, err)
	}
	return a.place(pod, nodeName)
}

// SchedulePodOnAnyNodeMatching places a pod on the first acceptable node on which all filters admit it.
func (a *Adapter[N, P, O, E, D, C]) SchedulePodOnAnyNodeMatching(pod *corev1.Pod, options O) (string, E) {
	passes, err := a.asked.NodesPassing(pod)
	if isUnjudged(err) {
		nodeName, excluded := a.upstream.SchedulePodOnAnyNodeMatching(pod, options)
		if any(excluded) != nil {
			return "", excluded
		}
		return nodeName, a.follow(pod, nodeName)
	}
	if err != nil {
		return "", a.upstreamError(pod, err)
	}
	nodes, listed := a.upstream.ListNodeInfos()
	if listed != nil {
		return "", a.parts.InternalError(pod, listed.Error())
	}
	order, acceptable := a.parts.Options(options)
	if order == nil {
		order = &a.order
	}
	node, found := firstPassing(nodes, order, passes, acceptable)
	if !found {
		return "", a.parts.NoNode(pod)
	}
	return node.Node().Name, a.place(pod, node.Node().Name)
}

// SchedulePods places pods one after another in both snapshots, as SchedulePods of Snapshot does. If rules are not judged
// for a pod, it is placed only if cluster-autoscaler's snapshot admits it on the chosen node; the pods after it are judged
// as if it were there.
func (a *Adapter[N, P, O, E, D, C]) SchedulePods(pods []*corev1.Pod, options BulkOptions) ([]ScheduledPod, error) {
	results, err := a.asked.SchedulePods(pods, options)
	for i := range results {
		pod, result := pods[i], &results[i]
		switch {
		case result.Node == "":
		case isUnjudged(result.Err):
			if any(a.upstream.SchedulePod(pod, result.Node)) != nil {
				err = errors.Join(err, a.asked.ForceRemovePod(pod.Namespace, pod.Name, result.Node))
				result.Node = ""
				continue
			}
			result.Err = nil
		default:
			err = errors.Join(err, a.both(nil, func() error { return a.upstream.ForceAddPod(pod, result.Node) }))
		}
	}
	return results, err
}

// place adds a pod that the server has judged to both snapshots.
func (a *Adapter[N, P, O, E, D, C]) place(pod *corev1.Pod, nodeName string) E {
	if err := a.ForceAddPod(pod, nodeName); err != nil {
		return a.parts.InternalError(pod, err.Error())
	}
	var placed E
	return placed
}

// follow adds a pod that cluster-autoscaler's snapshot has placed to the server's.
func (a *Adapter[N, P, O, E, D, C]) follow(pod *corev1.Pod, nodeName string) E {
	var placed E
	if err := a.asked.ForceAddPod(pod, nodeName); err != nil {
		_ = a.asked.fail(fmt.Errorf("the snapshots differ: %w", err))
		return a.parts.InternalError(pod, err.Error())
	}
	return placed
}

// both makes a change in cluster-autoscaler's snapshot if it has been made in the server's.
func (a *Adapter[N, P, O, E, D, C]) both(asked error, upstream func() error) error {
	if asked != nil {
		return asked
	}
	err := upstream()
	if err != nil {
		_ = a.asked.fail(fmt.Errorf("the snapshots differ: %w", err))
	}
	return err
}

func isUnjudged(err SchedulingError) bool { return err != nil && err.Type() == UnjudgedRulesError }

// upstreamError is the error of cluster-autoscaler, or nil.
func (a *Adapter[N, P, O, E, D, C]) upstreamError(pod *corev1.Pod, err SchedulingError) E {
	if err == nil {
		var none E
		return none
	}
	switch err.Type() {
	case FailingPredicateError:
		return a.parts.FailingPredicate(pod, err.FailingPredicateName(), err.FailingPredicateReasons(), "", "")
	case NoNodesPassingPredicatesFoundError:
		return a.parts.NoNode(pod)
	default:
		return a.parts.InternalError(pod, err.Error())
	}
}
