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

// maxAtOnce is about how many nodes and pods are sent at a time, about 1 MiB.
const maxAtOnce = 5000

// Tracker remembers what Evenkeel has: the nodes of the scheduler's snapshot, and their pods.
//
//	order    the nodes that were sent, in the order of the snapshot
//	byName   the same nodes, and those that the snapshot no longer has and whose removal is unsent
//	placed   the node of each pod that was sent
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
	placed map[types.UID]*node
	phase  phase
	// After how many events Changes leaves the rest to the next call.
	maxAtOnce int
	// Whether the last call of Changes has left something.
	behind bool
	// What Changes returns.
	changes changes
}

// phase is how far the snapshot was sent since the beginning or since Reset.
type phase int

const (
	unsent phase = iota
	begun
	// Evenkeel has had a whole snapshot.
	complete
)

// node is a node as Evenkeel has it, with its pods. A pod that is sent with another node is removed from the old one
// at once, although other changes of the old node may be sent later.
type node struct {
	generation int64
	object     *v1.Node
	pods       []*v1.Pod
}

// NewTracker returns a tracker for an Evenkeel that has nothing. The feeder is the name of the scheduler for
// Evenkeel.
func NewTracker(feeder string) *Tracker {
	return &Tracker{feeder: feeder, byName: map[string]*node{}, placed: map[types.UID]*node{}, maxAtOnce: maxAtOnce}
}

// Reset makes everything unsent, for another stream.
func (t *Tracker) Reset() {
	t.order, t.phase = nil, unsent
	clear(t.byName)
	clear(t.placed)
}

// IsComplete returns true if Evenkeel has the whole snapshot after the steps that Changes has returned.
func (t *Tracker) IsComplete() bool { return t.phase == complete && !t.behind }

// Names returns the names of the nodes that Changes has returned.
func (t *Tracker) Names() []string {
	names := make([]string, len(t.order))
	for i, known := range t.order {
		names[i] = known.object.Name
	}
	return names
}

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
	t.changes, t.behind = nil, false
	before := t.order
	// Written in place: a node is never put behind the place that was read last.
	t.order = t.order[:0]
	for place, info := range snapshot {
		// Mostly a node is at the same place as before and has not changed.
		if place < len(before) && before[place].generation == info.GetGeneration() {
			t.order = append(t.order, before[place])
			continue
		}
		known := t.byName[info.Node().Name]
		if (known == nil || known.generation != info.GetGeneration()) && !t.isFull() {
			known = t.update(info)
		}
		if known != nil {
			t.order = append(t.order, known)
		}
	}
	if len(t.order) < len(t.byName) {
		t.removeOthers()
	}
	steps := t.changes.steps()
	if t.phase == unsent {
		steps = slices.Insert(steps, 0, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_BeginSnapshot{
			BeginSnapshot: &evenkeelv1.BeginSnapshot{Feeder: t.feeder}}})
		t.phase = begun
	}
	if t.phase == begun && !t.behind {
		steps = append(steps, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: &evenkeelv1.EndSnapshot{}}})
		t.phase = complete
	}
	return steps
}

// isFull returns true if what is found next is left to the next call.
func (t *Tracker) isFull() bool {
	t.behind = t.behind || len(t.changes) >= t.maxAtOnce
	return t.behind
}

// removeOthers removes the nodes that the snapshot no longer has, and their pods: the scheduler does not
// count these either.
func (t *Tracker) removeOthers() {
	kept := make(map[*node]struct{}, len(t.order))
	for _, known := range t.order {
		kept[known] = struct{}{}
	}
	for name, known := range t.byName {
		if _, is := kept[known]; is || t.isFull() {
			continue
		}
		delete(t.byName, name)
		for _, pod := range known.pods {
			t.removePod(pod)
		}
		t.changes.removeNode(known.object)
	}
}

// update makes the node of that name equal to that of the snapshot.
func (t *Tracker) update(info fwk.NodeInfo) *node {
	object := info.Node()
	n := t.byName[object.Name]
	if n == nil {
		n = &node{}
		t.byName[object.Name] = n
	}
	if n.object != object && (n.object == nil || !sameNode(n.object, object)) {
		t.changes.addNode(object)
	}
	n.generation, n.object = info.GetGeneration(), object
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
			t.addPod(pod, n)
		}
		delete(old, pod.UID)
		n.pods = append(n.pods, pod)
	}
	for _, pod := range old {
		t.removePod(pod)
	}
	return n
}

func (t *Tracker) addPod(pod *v1.Pod, to *node) {
	if from := t.placed[pod.UID]; from != nil && from != to {
		from.pods = slices.DeleteFunc(from.pods, func(other *v1.Pod) bool { return other.UID == pod.UID })
	}
	t.placed[pod.UID] = to
	t.changes.addPod(pod, to.object.Name)
}

func (t *Tracker) removePod(pod *v1.Pod) {
	delete(t.placed, pod.UID)
	t.changes.removePod(pod)
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
