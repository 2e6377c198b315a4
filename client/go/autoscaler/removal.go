package autoscaler

import (
	"fmt"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
)

// RemovalOptions say how nodes are removed.
type RemovalOptions struct {
	BulkOptions

	// Together: each node is judged after those before it that can be removed are gone, and their pods are on their new
	// nodes. Otherwise each is judged by itself.
	Together bool

	// GoneAtOnce: a node is gone before its pods are placed. Otherwise it is empty and tainted until then, as in
	// cluster-autoscaler.
	GoneAtOnce bool
}

// NodeRemoval is whether a node can be removed.
type NodeRemoval struct {
	Node string

	// Err is set if the node could not be judged. ErrNodeNotFound: the snapshot does not have it. ErrPodNotFound: a pod of
	// the live state is not among those that SetLiveState was given.
	Err error

	// Removable is whether no pod prevents the removal, and all pods that would have to move find a node.
	Removable bool

	// ExceedsDisruptionBudget is whether more pods would move than one of their PodDisruptionBudgets allows to evict now.
	ExceedsDisruptionBudget bool

	// DisruptionBudgetsUnknown is whether PodDisruptionBudgets are not respected, because the server has no state of them.
	DisruptionBudgetsUnknown bool

	// Moves are the pods that would move, in the order in which they are placed, with their new nodes. Empty if the node
	// is not removable.
	Moves []PodPlacement

	// Blocking are the pods that prevent the removal by themselves or, if there are none, the first that finds no node.
	Blocking []BlockingPod

	// Unjudged are rules that could exclude nodes for the pods that would move, but were not judged. Check them before
	// the node is removed.
	Unjudged []evenkeelv1.UnjudgedRule
}

// BlockingPod is a pod that prevents a removal, and why.
type BlockingPod struct {
	Pod *corev1.Pod
	Why *evenkeelv1.BlockingPod
}

// SimulateRemoval judges whether nodes can be removed, in one call, and changes nothing. Returns a result for each node,
// in order; each must be named once. The pods that must move, and those that prevent a removal, are found by
// cluster-autoscaler's rules for its default options. PodDisruptionBudgets are those that the server had when the session
// was opened.
func (s *Snapshot) SimulateRemoval(nodes []string, options RemovalOptions) ([]NodeRemoval, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	response, err := call(&s.session, s.session.simulation.SimulateRemoval, &evenkeelv1.SimulateRemovalRequest{
		Nodes: nodes, Together: options.Together, GoneAtOnce: options.GoneAtOnce,
		Rule: options.Rule, NodeOrder: options.NodeOrder, Session: s.session.id,
	})
	if err != nil {
		s.noteLoss(err)
		return nil, err
	}
	pods := s.podsByUID(nodes)
	removals := make([]NodeRemoval, len(nodes))
	for i, judged := range response.Removals {
		removals[i] = nodeRemoval(nodes[i], judged, response.Destinations, pods)
		removals[i].DisruptionBudgetsUnknown = response.DisruptionBudgetsUnknown
	}
	return removals, nil
}

func nodeRemoval(node string, judged *evenkeelv1.NodeRemoval, destinations []string, pods map[string]*corev1.Pod) NodeRemoval {
	if judged.Error != nil {
		return NodeRemoval{Node: node, Err: itemError(judged.Error)}
	}
	removal := NodeRemoval{
		Node: node, Removable: judged.Removable, Unjudged: judged.Unjudged,
		ExceedsDisruptionBudget: judged.ExceedsDisruptionBudget,
	}
	for i, reference := range judged.Pods {
		pod := pods[reference.Uid]
		if pod == nil {
			return NodeRemoval{Node: node, Err: unknownPod(reference)}
		}
		removal.Moves = append(removal.Moves, PodPlacement{pod, destinations[judged.PodDestinations[i]]})
	}
	for _, why := range judged.BlockingPods {
		pod := pods[why.Pod.GetUid()]
		if pod == nil {
			return NodeRemoval{Node: node, Err: unknownPod(why.Pod)}
		}
		removal.Blocking = append(removal.Blocking, BlockingPod{pod, why})
	}
	return removal
}

func unknownPod(pod *evenkeelv1.PodReference) error {
	return fmt.Errorf("%w: only the server has %s/%s", ErrPodNotFound, pod.GetNamespace(), pod.GetName())
}

// podsByUID returns the pods of nodes by their UIDs in the session.
func (s *Snapshot) podsByUID(nodes []string) map[string]*corev1.Pod {
	pods := map[string]*corev1.Pod{}
	for _, name := range nodes {
		if info := s.nodes.byName[name]; info != nil {
			for i, uid := range info.uids {
				pods[uid] = info.pods[i]
			}
		}
	}
	return pods
}
