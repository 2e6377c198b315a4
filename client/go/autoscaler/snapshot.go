// Package autoscaler is the snapshot of a cluster-autoscaler: a hypothetical cluster in which it tries what would happen
// if nodes and pods came and went. Its verbs are those of cluster-autoscaler's ClusterSnapshot, with the same meaning,
// and a server judges them in a session. See the README.
package autoscaler

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	corev1 "k8s.io/api/core/v1"
)

// Options of a Snapshot.
type Options struct {
	// CallTimeout limits each call. 0: 30 seconds.
	CallTimeout time.Duration

	// IdleTimeout is how long the session may be unused before the server ends it. 0: as long as the server allows.
	IdleTimeout time.Duration
}

// Snapshot is a hypothetical cluster, in a session of a server. It begins empty and without forks. Not safe for
// concurrent use.
//
// It keeps the nodes and pods that it was given, so GetNodeInfo and ListNodeInfos ask no one. Everything else is one or
// two calls.
//
// After a failed call, the cluster of the server could differ from what is kept. Then all verbs fail with the same error
// (see Err) until SetClusterState, SetLiveState or Clear begins another session.
type Snapshot struct {
	session session
	nodes   nodeInfos
	order   lastMatchOrder[*NodeInfo]
	failure error

	// live is set if the session began as the live state, and not empty.
	live bool

	// placed counts the UIDs that were made up.
	placed int
}

// New returns an empty snapshot. All its calls end with the context. The server must have received a cluster, because
// each session begins as the live one. Call Close in the end.
func New(ctx context.Context, connection grpc.ClientConnInterface, options Options) *Snapshot {
	return &Snapshot{
		session: session{
			ctx:        ctx,
			options:    options,
			simulation: evenkeelv1.NewSimulationClient(connection),
			placement:  evenkeelv1.NewPlacementClient(connection),
		},
		nodes: newNodeInfos(),
	}
}

// Err returns why the snapshot fails, or nil. Fork and Revert report their failures only here.
func (s *Snapshot) Err() error { return s.failure }

// Close ends the session. The snapshot is empty afterwards, and can be used again.
func (s *Snapshot) Close() error {
	err := s.session.close()
	s.nodes, s.order, s.failure, s.live = newNodeInfos(), lastMatchOrder[*NodeInfo]{}, nil, false
	return err
}

// Clear makes the snapshot empty, without forks.
func (s *Snapshot) Clear() {
	// A session that cannot be closed now will expire.
	_ = s.Close()
}

// SetClusterState replaces the whole cluster, without forks: it sends all nodes and pods. A pod is on the node of its
// spec.nodeName or, if that is empty, of its status.nominatedNodeName. Other pods are skipped. Services and controllers,
// from which default constraints take their selectors, are those of the live state.
func (s *Snapshot) SetClusterState(nodes []*corev1.Node, scheduledPods []*corev1.Pod) error {
	s.Clear()
	infos := newNodeInfosOf(nodes, scheduledPods, func(*corev1.Pod) string { return s.newUID() })
	var additions, placements []*evenkeelv1.SessionOperation
	for _, name := range infos.names {
		info := infos.byName[name]
		added, err := s.addition(info.node)
		if err != nil {
			return s.fail(err)
		}
		additions = append(additions, added...)
		for i, pod := range info.pods {
			placed, err := placement(pod, info.uids[i], name)
			if err != nil {
				return s.fail(err)
			}
			placements = append(placements, placed)
		}
	}
	if err := s.apply(append(additions, placements...)...); err != nil {
		return s.fail(err)
	}
	s.nodes = infos
	return nil
}

// SetLiveState replaces the whole cluster by the live state of the server, which is much faster than SetClusterState. The
// nodes become those given: others are removed, and missing ones are added. The pods are those of the live state; the
// given ones, by UID, only answer GetNodeInfo and ListNodeInfos. So both should come from the same informers, whose
// resource versions the freshness can demand. Nil: the current state.
func (s *Snapshot) SetLiveState(freshness *evenkeelv1.Freshness, nodes []*corev1.Node, scheduledPods []*corev1.Pod) error {
	s.Clear()
	infos := newNodeInfosOf(nodes, scheduledPods, func(pod *corev1.Pod) string { return string(pod.UID) })
	if err := s.session.open(freshness); err != nil {
		return s.fail(err)
	}
	s.live = true
	names, err := s.session.nodeNames()
	if err != nil {
		return s.fail(err)
	}
	var operations []*evenkeelv1.SessionOperation
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
		if infos.byName[name] == nil {
			operations = append(operations, removal(name))
		}
	}
	for _, name := range infos.names {
		if !known[name] {
			added, err := s.addition(infos.byName[name].node)
			if err != nil {
				return s.fail(err)
			}
			operations = append(operations, added...)
		}
	}
	if err := s.apply(operations...); err != nil {
		return s.fail(err)
	}
	s.nodes = infos
	return nil
}

// Fork begins a fork inside the current one. Revert undoes all changes since.
func (s *Snapshot) Fork() {
	operation := &evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_Fork{Fork: &evenkeelv1.Fork{}}}
	if err := s.apply(operation); err != nil {
		_ = s.fail(err)
		return
	}
	s.nodes.fork()
}

// Revert undoes all changes since the innermost Fork, and closes it. Without a fork, it does nothing.
func (s *Snapshot) Revert() {
	if len(s.nodes.forks) == 0 {
		return
	}
	operation := &evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_Revert{Revert: &evenkeelv1.Revert{}}}
	if err := s.apply(operation); err != nil {
		_ = s.fail(err)
		return
	}
	s.nodes.revert()
}

// Commit makes the changes of the innermost fork part of what surrounds it, and closes it. Without a fork, it does
// nothing.
func (s *Snapshot) Commit() error {
	if len(s.nodes.forks) == 0 {
		return s.failure
	}
	operation := &evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_Commit{Commit: &evenkeelv1.Commit{}}}
	if err := s.apply(operation); err != nil {
		return s.fail(err)
	}
	s.nodes.commit()
	return nil
}

// AddNodeInfo adds a node with its pods, without running filters. The node keeps its name and labels.
func (s *Snapshot) AddNodeInfo(nodeInfo *NodeInfo) error {
	node := nodeInfo.node
	if s.nodes.byName[node.Name] != nil {
		return fmt.Errorf("%w: %s", ErrNodeExists, node.Name)
	}
	operations, err := s.addition(node)
	if err != nil {
		return err
	}
	if err := s.apply(operations...); err != nil {
		return err
	}
	added := NewNodeInfo(node)
	var placements []*evenkeelv1.SessionOperation
	for _, pod := range nodeInfo.pods {
		var placed *evenkeelv1.SessionOperation
		uid := s.newUID()
		if placed, err = placement(pod, uid, node.Name); err != nil {
			break
		}
		placements = append(placements, placed)
		added = added.with(pod, uid)
	}
	if err == nil {
		err = s.apply(placements...)
	}
	if err != nil {
		if removed := s.apply(removal(node.Name)); removed != nil {
			return s.fail(removed)
		}
		return err
	}
	s.nodes.set(node.Name, added)
	return nil
}

// RemoveNodeInfo removes a node and the pods on it.
func (s *Snapshot) RemoveNodeInfo(nodeName string) error {
	if _, err := s.GetNodeInfo(nodeName); err != nil {
		return err
	}
	if err := s.apply(removal(nodeName)); err != nil {
		return err
	}
	s.nodes.set(nodeName, nil)
	return nil
}

// GetNodeInfo returns a node with its pods.
func (s *Snapshot) GetNodeInfo(nodeName string) (*NodeInfo, error) {
	if s.failure != nil {
		return nil, s.failure
	}
	info := s.nodes.byName[nodeName]
	if info == nil {
		return nil, fmt.Errorf("%w: %s", ErrNodeNotFound, nodeName)
	}
	return info, nil
}

// ListNodeInfos returns all nodes with their pods, by name.
func (s *Snapshot) ListNodeInfos() ([]*NodeInfo, error) { return s.nodes.list(), s.failure }

// ForceAddPod places a pod on a node without running filters. Its spec.nodeName and its UID do not matter: pods of the
// same name can be on several nodes, but not twice on one.
func (s *Snapshot) ForceAddPod(pod *corev1.Pod, nodeName string) error {
	info, err := s.GetNodeInfo(nodeName)
	if err != nil {
		return err
	}
	if info.find(pod.Namespace, pod.Name) >= 0 {
		return fmt.Errorf("%w: %s/%s, %s", ErrPodExists, pod.Namespace, pod.Name, nodeName)
	}
	uid := s.newUID()
	operation, err := placement(pod, uid, nodeName)
	if err != nil {
		return err
	}
	if err := s.apply(operation); err != nil {
		return err
	}
	s.nodes.set(nodeName, info.with(pod, uid))
	return nil
}

// ForceRemovePod removes a pod from a node.
func (s *Snapshot) ForceRemovePod(namespace, podName, nodeName string) error {
	info, err := s.GetNodeInfo(nodeName)
	if err != nil {
		return err
	}
	at := info.find(namespace, podName)
	if at < 0 {
		return fmt.Errorf("%w: %s/%s, %s", ErrPodNotFound, namespace, podName, nodeName)
	}
	removed := &evenkeelv1.RemovePods{Pods: []*evenkeelv1.PodReference{{Uid: info.uids[at]}}}
	err = s.apply(&evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_RemovePods{RemovePods: removed}})
	// The live state may have been without the pod.
	if err != nil && !(s.live && errors.Is(err, ErrPodNotFound)) {
		return err
	}
	s.nodes.set(nodeName, info.without(at))
	return nil
}

// UnschedulePod removes a pod from a node, so that it can be scheduled elsewhere. It is ForceRemovePod, because dynamic
// resources are not simulated.
func (s *Snapshot) UnschedulePod(namespace, podName, nodeName string) error {
	return s.ForceRemovePod(namespace, podName, nodeName)
}

// CheckPredicates judges a pod on one node. It returns nil if all filters admit the pod.
func (s *Snapshot) CheckPredicates(pod *corev1.Pod, nodeName string) SchedulingError {
	if _, err := s.GetNodeInfo(nodeName); err != nil {
		return internalError(pod, err)
	}
	err := s.session.verdict(pod, nodeName)
	s.noteLoss(err)
	return err
}

// SchedulePod places a pod on a node if all filters admit it there.
func (s *Snapshot) SchedulePod(pod *corev1.Pod, nodeName string) SchedulingError {
	if err := s.CheckPredicates(pod, nodeName); err != nil {
		return err
	}
	if err := s.ForceAddPod(pod, nodeName); err != nil {
		return internalError(pod, err)
	}
	return nil
}

// SchedulePodOnAnyNodeMatching places a pod on the first acceptable node on which all filters admit it, and returns the
// node. Cordoned nodes are not acceptable.
func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *corev1.Pod, options SchedulingOptions) (string, SchedulingError) {
	passes, err := s.NodesPassing(pod)
	if err != nil {
		return "", err
	}
	order := options.NodeOrdering
	if order == nil {
		order = &s.order
	}
	info, found := firstPassing(s.nodes.list(), order, passes, options.IsNodeAcceptable)
	if !found {
		return "", noNodeError(pod)
	}
	if err := s.ForceAddPod(pod, info.node.Name); err != nil {
		return "", internalError(pod, err)
	}
	return info.node.Name, nil
}

// NodesPassing judges a pod on all nodes, in one call. It returns a function that returns true for the names of those
// on which all filters admit the pod.
func (s *Snapshot) NodesPassing(pod *corev1.Pod) (func(nodeName string) bool, SchedulingError) {
	if err := s.ready(); err != nil {
		return nil, internalError(pod, err)
	}
	passes, err := s.session.passing(pod)
	s.noteLoss(err)
	return passes, err
}

// ready opens an empty session if none is open.
func (s *Snapshot) ready() error {
	if s.failure != nil || s.session.id != "" {
		return s.failure
	}
	if err := s.session.open(nil); err != nil {
		return err
	}
	names, err := s.session.nodeNames()
	if err != nil {
		return s.fail(err)
	}
	var removals []*evenkeelv1.SessionOperation
	for _, name := range names {
		removals = append(removals, removal(name))
	}
	if err := s.apply(removals...); err != nil {
		return s.fail(err)
	}
	return nil
}

// apply makes operations. If it fails because some are rejected, the others are made all the same.
func (s *Snapshot) apply(operations ...*evenkeelv1.SessionOperation) error {
	if len(operations) == 0 {
		return s.failure
	}
	if err := s.ready(); err != nil {
		return err
	}
	results, err := s.session.change(operations)
	if err != nil {
		return s.fail(err)
	}
	for _, result := range results {
		if rejected := result.GetError(); rejected != nil {
			return itemError(rejected)
		}
	}
	return nil
}

func (s *Snapshot) fail(err error) error {
	if s.failure == nil {
		s.failure = err
	}
	return err
}

// noteLoss makes the snapshot fail if a question failed because the session is lost.
func (s *Snapshot) noteLoss(err error) {
	if errors.Is(err, ErrSessionLost) {
		_ = s.fail(err)
	}
}

func (s *Snapshot) newUID() string {
	s.placed++
	return "autoscaler-" + strconv.Itoa(s.placed)
}

// addition is what adds an empty node. Pods of the live state can be bound to a name that no node has. So that they do
// not appear in a cluster that began empty, a node of that name is added and removed first, which removes them.
func (s *Snapshot) addition(node *corev1.Node) ([]*evenkeelv1.SessionOperation, error) {
	message, err := nodeMessage(node)
	if err != nil {
		return nil, err
	}
	added := func(node *evenkeelv1.Node) *evenkeelv1.SessionOperation {
		return &evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_AddNodes{AddNodes: &evenkeelv1.AddNodes{Template: node}}}
	}
	if s.live {
		return []*evenkeelv1.SessionOperation{added(message)}, nil
	}
	bare := &evenkeelv1.Node{Metadata: &evenkeelv1.ObjectMeta{Name: node.Name}}
	return []*evenkeelv1.SessionOperation{added(bare), removal(node.Name), added(message)}, nil
}

func removal(node string) *evenkeelv1.SessionOperation {
	return &evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_RemoveNode{RemoveNode: &evenkeelv1.RemoveNode{Node: node}}}
}

func placement(pod *corev1.Pod, uid, node string) (*evenkeelv1.SessionOperation, error) {
	message, err := placedPod(pod, uid)
	if err != nil {
		return nil, err
	}
	placed := &evenkeelv1.PlacePod{Subject: &evenkeelv1.PlacePod_Pod{Pod: message}, Node: node}
	return &evenkeelv1.SessionOperation{Operation: &evenkeelv1.SessionOperation_PlacePod{PlacePod: placed}}, nil
}
