package autoscaler

import (
	"errors"
	"slices"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
)

// BulkOptions choose among the nodes that admit a pod.
type BulkOptions struct {
	// Rule is how a node is chosen. Unset: the best spread.
	Rule evenkeelv1.PlacementRule

	// NodeOrder has the names of the nodes that come first.
	NodeOrder []string
}

// ScheduledPod is the outcome for a pod of SchedulePods.
type ScheduledPod struct {
	// Node is empty if the pod was not placed.
	Node string

	// Err is why the pod was not placed. An UnjudgedRulesError can also come with a node: the pod was placed, but rules
	// that are not judged could exclude the node. Check them, and if necessary use ForceRemovePod.
	Err SchedulingError

	// Summary is kube-scheduler's message if no node admits the pod: "0/19 nodes are available: …."
	Summary string

	// Constraint is the hard constraint that excludes the most nodes by maxSkew, with the domain that has the global
	// minimum, and what excludes the nodes of that domain. Set only for some pods that have a summary.
	Constraint *evenkeelv1.ConstraintExplanation
}

// SchedulePods places pods one after another, each counted before the next one is judged. A pod that no node admits
// does not affect the others. Returns a result for each pod, in order.
//
// Many pods take several calls. If one fails, the pods of the calls before it stay placed, and the results are theirs.
func (s *Snapshot) SchedulePods(pods []*corev1.Pod, options BulkOptions) ([]ScheduledPod, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	items := make([]*evenkeelv1.ScheduledPods, len(pods))
	for i, pod := range pods {
		message, err := placedPod(pod, s.newUID())
		if err != nil {
			return nil, err
		}
		items[i] = &evenkeelv1.ScheduledPods{Pod: message}
	}
	var results []ScheduledPod
	for part := range inMessages(items) {
		response, err := call(&s.session, s.session.simulation.Schedule, &evenkeelv1.ScheduleRequest{
			Pods: part, Rule: options.Rule, NodeOrder: options.NodeOrder, Session: s.session.id,
		})
		if err != nil {
			return results, s.fail(err)
		}
		placements := response.Placements
		for i, item := range response.Items {
			node := ""
			if item.PlacedCount > 0 {
				node = response.Nodes[placements[0]]
				placements = placements[1:]
			}
			pod := pods[len(results)]
			results = append(results, scheduledPod(pod, node, item))
			if node == "" {
				continue
			}
			info, err := s.GetNodeInfo(node)
			if err != nil {
				return results, s.fail(err)
			}
			s.nodes.set(node, info.with(pod, part[i].Pod.Metadata.Uid))
		}
	}
	return results, nil
}

func scheduledPod(pod *corev1.Pod, node string, item *evenkeelv1.ScheduledItem) ScheduledPod {
	scheduled := ScheduledPod{Node: node, Summary: item.Summary, Constraint: item.Constraint}
	switch {
	case item.Error != nil:
		scheduled.Err = internalError(pod, itemError(item.Error))
	case node == "":
		scheduled.Err = noNodeError(pod)
	default:
		scheduled.Err = unjudgedError(pod, item.Unjudged)
	}
	return scheduled
}

// NodeGroup is a group of nodes that can grow.
type NodeGroup struct {
	// Name is unique. New nodes are named "NAME-NUMBER".
	Name string

	// Template is what each new node is like, with the pods that it has from the start. It gets its name as its label
	// kubernetes.io/hostname.
	Template *NodeInfo

	// MaxCount is how many nodes may be added. 0: 1,000.
	MaxCount int32

	// Price is what a node costs, 1 to 10,000, in any unit. It matters only with LeastCost. 0: 1.
	Price int32
}

// EstimateOptions say what EstimateNodes looks for.
type EstimateOptions struct {
	// LeastCost: the sum of the prices of new nodes is as small as possible, instead of their number.
	LeastCost bool

	// TemplateDomainsCount: the domains of the templates are eligible before a node is in them, so pods are spread over
	// the zones of all groups.
	TemplateDomainsCount bool
}

// Estimate is how many nodes pending pods need.
type Estimate struct {
	// NewNodes has the names of the new nodes of each group that grows.
	NewNodes map[string][]string

	// Placements are the nodes of the pods, in an order in which the filters admit each one after those before it, once
	// all new nodes exist.
	Placements []PodPlacement

	// Unplaced are the pods that stay pending, and why.
	Unplaced []UnplacedPods

	// Response has the bounds, and whether the estimate is optimal. Its indexes of pods are those of the argument.
	Response *evenkeelv1.EstimateNodesResponse
}

// PodPlacement is a pod and its node.
type PodPlacement struct {
	Pod  *corev1.Pod
	Node string
}

// UnplacedPods are equal pods that stay pending.
type UnplacedPods struct {
	Pods []*corev1.Pod
	Why  *evenkeelv1.UnplacedPods
}

// EstimateNodes estimates how many new nodes of all groups together pending pods need, and changes nothing. Each list of
// pods has equal ones, such as an equivalence group of cluster-autoscaler: only the first is judged. Rules that the server
// does not judge are not part of an estimate.
func (s *Snapshot) EstimateNodes(groups []NodeGroup, pods [][]*corev1.Pod, options EstimateOptions) (*Estimate, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	request := &evenkeelv1.EstimateNodesRequest{Session: s.session.id, TemplateDomainsCount: options.TemplateDomainsCount}
	if options.LeastCost {
		request.Objective = evenkeelv1.Objective_OBJECTIVE_LEAST_COST
	}
	for _, group := range groups {
		message, err := groupMessage(group)
		if err != nil {
			return nil, err
		}
		if options.LeastCost {
			message.Price = group.Price
		}
		request.Groups = append(request.Groups, message)
	}
	for _, equal := range pods {
		if len(equal) == 0 {
			return nil, errors.New("each list of pods must have a pod")
		}
		// Without a UID, so that the pod is a new one.
		message, err := placedPod(equal[0], "")
		if err != nil {
			return nil, err
		}
		request.Pods = append(request.Pods, &evenkeelv1.PendingPods{Pod: message, Count: int32(len(equal))})
	}
	response, err := call(&s.session, s.session.simulation.EstimateNodes, request)
	if err != nil {
		s.noteLoss(err)
		return nil, err
	}
	return estimateOf(response, pods), nil
}

func groupMessage(group NodeGroup) (*evenkeelv1.NodeGroup, error) {
	template, err := nodeMessage(group.Template.node)
	if err != nil {
		return nil, err
	}
	message := &evenkeelv1.NodeGroup{Name: group.Name, Template: template, MaxCount: group.MaxCount}
	for _, pod := range group.Template.pods {
		daemon, err := podMessage(pod)
		if err != nil {
			return nil, err
		}
		message.DaemonPods = append(message.DaemonPods, daemon)
	}
	return message, nil
}

func estimateOf(response *evenkeelv1.EstimateNodesResponse, pods [][]*corev1.Pod) *Estimate {
	estimate := &Estimate{NewNodes: map[string][]string{}, Response: response}
	for _, group := range response.NewNodes {
		estimate.NewNodes[group.Group] = group.Names
	}
	left := slices.Clone(pods)
	for _, step := range response.Steps {
		estimate.Placements = append(estimate.Placements, PodPlacement{left[step.Pods][0], step.Node})
		left[step.Pods] = left[step.Pods][1:]
	}
	for _, unplaced := range response.Unplaced {
		estimate.Unplaced = append(estimate.Unplaced, UnplacedPods{left[unplaced.Pods], unplaced})
	}
	return estimate
}
