package autoscaler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// NodeInfo is a node with the pods on it. It never changes: a snapshot replaces it.
type NodeInfo struct {
	node *corev1.Node
	pods []*corev1.Pod

	// uids are the UIDs of the pods in the session. Nil outside a snapshot.
	uids []string
}

// NewNodeInfo returns a node with pods. Their spec.nodeName does not matter.
func NewNodeInfo(node *corev1.Node, pods ...*corev1.Pod) *NodeInfo {
	return &NodeInfo{node: node, pods: pods}
}

// Node returns the node. It must not be modified.
func (n *NodeInfo) Node() *corev1.Node { return n.node }

// Pods returns the pods on the node. They must not be modified.
func (n *NodeInfo) Pods() []*corev1.Pod { return n.pods }

// find returns the position of a pod, or -1.
func (n *NodeInfo) find(namespace, name string) int {
	return slices.IndexFunc(n.pods, func(pod *corev1.Pod) bool { return pod.Namespace == namespace && pod.Name == name })
}

func (n *NodeInfo) with(pod *corev1.Pod, uid string) *NodeInfo {
	return &NodeInfo{n.node, append(slices.Clip(n.pods), pod), append(slices.Clip(n.uids), uid)}
}

func (n *NodeInfo) without(at int) *NodeInfo {
	return &NodeInfo{n.node, slices.Delete(slices.Clone(n.pods), at, at+1), slices.Delete(slices.Clone(n.uids), at, at+1)}
}

// nodeInfos are the nodes of a snapshot. Changes since a fork can be reverted; forks nest.
//
//	undo    [ undo | undo | … ]     one for each change since the outermost open fork, the oldest first
//	forks   [ begin | begin | … ]   for each open fork, how many there were when it began
type nodeInfos struct {
	byName map[string]*NodeInfo
	// names are those of byName, in order.
	names []string
	undo  []func()
	forks []int
}

func newNodeInfos() nodeInfos { return nodeInfos{byName: map[string]*NodeInfo{}} }

// newNodeInfosOf contains the nodes with the pods that are bound to them or nominated for them. Other pods are skipped.
func newNodeInfosOf(nodes []*corev1.Node, pods []*corev1.Pod, uid func(*corev1.Pod) string) nodeInfos {
	infos := newNodeInfos()
	for _, node := range nodes {
		infos.byName[node.Name] = NewNodeInfo(node)
		infos.names = append(infos.names, node.Name)
	}
	slices.Sort(infos.names)
	infos.names = slices.Compact(infos.names)
	for _, pod := range pods {
		name := pod.Spec.NodeName
		if name == "" {
			name = pod.Status.NominatedNodeName
		}
		if info := infos.byName[name]; info != nil {
			info.pods = append(info.pods, pod)
			info.uids = append(info.uids, uid(pod))
		}
	}
	return infos
}

func (n *nodeInfos) list() []*NodeInfo {
	all := make([]*NodeInfo, len(n.names))
	for i, name := range n.names {
		all[i] = n.byName[name]
	}
	return all
}

// set replaces what is known of a node, adds it, or removes it if info is nil.
func (n *nodeInfos) set(name string, info *NodeInfo) {
	before := n.byName[name]
	n.put(name, info)
	if len(n.forks) > 0 {
		n.undo = append(n.undo, func() { n.put(name, before) })
	}
}

func (n *nodeInfos) put(name string, info *NodeInfo) {
	at, found := slices.BinarySearch(n.names, name)
	switch {
	case info == nil && found:
		n.names = slices.Delete(n.names, at, at+1)
	case info != nil && !found:
		n.names = slices.Insert(n.names, at, name)
	}
	if info == nil {
		delete(n.byName, name)
		return
	}
	n.byName[name] = info
}

func (n *nodeInfos) fork() { n.forks = append(n.forks, len(n.undo)) }

// revert undoes what happened since the innermost fork, which must exist.
func (n *nodeInfos) revert() {
	begin := n.forks[len(n.forks)-1]
	n.forks = n.forks[:len(n.forks)-1]
	for i := len(n.undo) - 1; i >= begin; i-- {
		n.undo[i]()
	}
	n.undo = slices.Delete(n.undo, begin, len(n.undo))
}

// commit closes the innermost fork, which must exist.
func (n *nodeInfos) commit() {
	n.forks = n.forks[:len(n.forks)-1]
	if len(n.forks) == 0 {
		n.undo = nil
	}
}
