// Package snapshot finds what has changed in the scheduler's snapshot of the cluster since it was last sent to
// Evenkeel.
package snapshot

import (
	"maps"
	"slices"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// maxUnsentObjects is how many nodes and pods of an unsent snapshot are sent at a time, about 1 MiB.
const maxUnsentObjects = 5000

// Tracker remembers what Evenkeel has: the nodes of the scheduler's snapshot, and their pods.
//
//	order    the nodes that were sent, in the order of the snapshot
//	byName   the same nodes
//
// A generation identifies the state of one node, because the scheduler's cache never uses a number twice. So the same
// generation at the same place means the same node without a change. Cycles of pod groups are an exception: they
// change the snapshot and keep the generations.
//
// For use by one goroutine.
type Tracker struct {
	feeder string
	order  []*node
	byName map[string]*node
	phase  phase
	// How many unsent objects are sent at a time.
	maxUnsent int
}

// phase is how far the snapshot was sent since the beginning or since Reset.
type phase int

const (
	unsent phase = iota
	// Some nodes are unsent.
	begun
	complete
)

// node is a node as Evenkeel has it.
type node struct {
	generation int64
	object     *v1.Node
	pods       []*v1.Pod
}

// NewTracker returns a tracker for an Evenkeel that has nothing. The feeder is the name of the scheduler for
// Evenkeel.
func NewTracker(feeder string) *Tracker {
	return &Tracker{feeder: feeder, byName: map[string]*node{}, maxUnsent: maxUnsentObjects}
}

// Reset makes everything unsent, for another stream.
func (t *Tracker) Reset() {
	t.order, t.phase = nil, unsent
	clear(t.byName)
}

// IsComplete returns true if Evenkeel has the whole snapshot after the steps that Changes has returned.
func (t *Tracker) IsComplete() bool { return t.phase == complete }

// Sent returns the nodes and the pods on them that Changes has returned.
func (t *Tracker) Sent() (nodes []*v1.Node, pods []*v1.Pod) {
	for _, known := range t.order {
		nodes = append(nodes, known.object)
		pods = append(pods, known.pods...)
	}
	return nodes, pods
}

// Changes returns the steps after which Evenkeel has this snapshot. If much of it is unsent, they contain only a part
// of it, and IsComplete returns false until further calls have returned the rest. The snapshot must not be that of a
// cycle of a pod group.
func (t *Tracker) Changes(snapshot []fwk.NodeInfo) []*evenkeelv1.SyncRequest {
	changes := changes{added: map[types.UID]struct{}{}}
	if t.phase == complete && t.updateInPlace(snapshot, &changes) {
		return changes.steps()
	}
	before := t.order
	// Written in place: a node is never put behind the place that was read last.
	t.order = t.order[:0]
	left := t.maxUnsent
	for place, info := range snapshot {
		known := t.find(before, place, info)
		if known == nil {
			if t.phase != complete && left <= 0 {
				continue
			}
			left -= 1 + len(info.GetPods())
			known = &node{}
			t.byName[info.Node().Name] = known
		}
		if known.object == nil || known.generation != info.GetGeneration() {
			known.update(info, &changes)
		}
		t.order = append(t.order, known)
	}
	if len(t.order) < len(t.byName) {
		t.removeOthers(&changes)
	}
	steps := changes.steps()
	if t.phase == unsent {
		steps = slices.Insert(steps, 0, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_BeginSnapshot{
			BeginSnapshot: &evenkeelv1.BeginSnapshot{Feeder: t.feeder}}})
		t.phase = begun
	}
	if t.phase == begun && len(t.order) == len(snapshot) {
		steps = append(steps, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: &evenkeelv1.EndSnapshot{}}})
		t.phase = complete
	}
	return steps
}

// updateInPlace updates the nodes that are at the same places as before, and returns true if these are all.
func (t *Tracker) updateInPlace(snapshot []fwk.NodeInfo, changes *changes) bool {
	if len(snapshot) != len(t.order) {
		return false
	}
	for place, info := range snapshot {
		known := t.order[place]
		if known.generation == info.GetGeneration() {
			continue
		}
		if known.object.Name != info.Node().Name {
			return false
		}
		known.update(info, changes)
	}
	return true
}

// find returns the node that was sent, or nil. Mostly it is still at the same place.
func (t *Tracker) find(before []*node, place int, info fwk.NodeInfo) *node {
	if place < len(before) {
		if known := before[place]; known.generation == info.GetGeneration() || known.object.Name == info.Node().Name {
			return known
		}
	}
	return t.byName[info.Node().Name]
}

// removeOthers removes the nodes that the snapshot no longer has, and their pods: the scheduler does not
// count these either.
func (t *Tracker) removeOthers(changes *changes) {
	kept := make(map[*node]struct{}, len(t.order))
	for _, known := range t.order {
		kept[known] = struct{}{}
	}
	for name, known := range t.byName {
		if _, is := kept[known]; is {
			continue
		}
		delete(t.byName, name)
		for _, pod := range known.pods {
			changes.removePod(pod)
		}
		changes.removeNode(known.object)
	}
}

// update makes this node equal to that of the snapshot.
func (n *node) update(info fwk.NodeInfo, changes *changes) {
	object := info.Node()
	if n.object != object && (n.object == nil || !sameNode(n.object, object)) {
		changes.addNode(object)
	}
	pods := info.GetPods()
	same := 0
	for same < min(len(pods), len(n.pods)) && pods[same].GetPod() == n.pods[same] {
		same++
	}
	old := make(map[types.UID]*v1.Pod, len(n.pods)-same)
	for _, pod := range n.pods[same:] {
		old[pod.UID] = pod
	}
	clear(n.pods[same:])
	n.pods = n.pods[:same]
	for _, podInfo := range pods[same:] {
		pod := podInfo.GetPod()
		if known := old[pod.UID]; known != pod && (known == nil || !samePod(known, pod)) {
			changes.addPod(pod, object.Name)
		}
		delete(old, pod.UID)
		n.pods = append(n.pods, pod)
	}
	for _, pod := range old {
		changes.removePod(pod)
	}
	n.generation, n.object = info.GetGeneration(), object
}

// sameNode compares what is sent of two nodes with the same name.
func sameNode(a, b *v1.Node) bool {
	return a.UID == b.UID && maps.Equal(a.Labels, b.Labels) && slices.EqualFunc(a.Spec.Taints, b.Spec.Taints, func(a, b v1.Taint) bool {
		return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
	})
}

// samePod compares what is sent of two versions of a pod on a node.
func samePod(a, b *v1.Pod) bool {
	return maps.Equal(a.Labels, b.Labels) && (a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil)
}
