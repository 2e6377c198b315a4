package shadow

import (
	"context"
	"fmt"
	"sort"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// noConstraint is used in place of a node if no constraint is in force for the pod.
const noConstraint = "*"

// results are verdicts or scores by node, as comparable text.
type results map[string]string

// bareNode is all that the original's Filter uses. The scheduler's own snapshot changes with the next cycle.
type bareNode struct {
	fwk.NodeInfo
	node *v1.Node
}

func (n *bareNode) Node() *v1.Node { return n.node }

// filterResults lets the original evaluate nodes with the given state.
func filterResults(ctx context.Context, plugin original.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []*v1.Node) results {
	found := results{}
	bare := &bareNode{}
	for _, bare.node = range nodes {
		found[bare.node.Name] = plugin.Filter(ctx, state, pod, bare).Code().String()
	}
	return found
}

// areVerdictsEqual compares like filterResults does, but without allocating if all are equal, because garbage is
// expensive with a scheduler's large heap.
func areVerdictsEqual(ctx context.Context, plugin original.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []*v1.Node, answer *query.Verdicts) bool {
	if state == nil || answer.HardCount() == 0 {
		return state == nil && answer.HardCount() == 0
	}
	bare := &bareNode{}
	for _, bare.node = range nodes {
		code, known := answer.For(bare.node)
		if !known || verdicts[code] != plugin.Filter(ctx, state, pod, bare).Code() {
			return false
		}
	}
	return true
}

// areScoresEqual compares final scores; nil means that no soft constraint is in force.
func areScoresEqual(scores fwk.NodeScoreList, answer *query.Scores) bool {
	if scores == nil || answer.SoftCount() == 0 {
		return scores == nil && answer.SoftCount() == 0
	}
	for _, score := range scores {
		if found, known := answer.For(score.Name); !known || found != score.Score {
			return false
		}
	}
	return true
}

var verdicts = map[evenkeelv1.NodeCode]fwk.Code{
	evenkeelv1.NodeCode_NODE_CODE_SUCCESS:                        fwk.Success,
	evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE:                  fwk.Unschedulable,
	evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE: fwk.UnschedulableAndUnresolvable,
}

// evenkeelVerdicts are Evenkeel's results for these nodes, even if the original evaluates none because it finds no
// constraint.
func evenkeelVerdicts(answer *query.Verdicts, nodes []*v1.Node) results {
	if answer.HardCount() == 0 {
		return results{noConstraint: noConstraint}
	}
	found := results{}
	for _, node := range nodes {
		found[node.Name] = "unknown node"
		if code, known := answer.ForName(node.Name); known {
			found[node.Name] = verdicts[code].String()
		}
	}
	return found
}

func evenkeelScores(scores *query.Scores, nodes []string) results {
	if scores.SoftCount() == 0 {
		return results{noConstraint: noConstraint}
	}
	found := results{}
	for _, node := range nodes {
		found[node] = "not scored"
		if score, known := scores.For(node); known {
			found[node] = fmt.Sprint(score)
		}
	}
	return found
}

// filter evaluates all nodes of a cluster.
func (c *evaluator) filter(ctx context.Context, pod *v1.Pod, cluster *Cluster) (results, error) {
	nodes, err := c.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	_, status := c.plugin.PreFilter(ctx, state, pod, nodes)
	if status.IsSkip() {
		return results{noConstraint: noConstraint}, nil
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	return filterResults(ctx, c.plugin, state, pod, cluster.Nodes), nil
}

// score scores exactly these nodes of a cluster.
func (c *evaluator) score(ctx context.Context, pod *v1.Pod, names []string) (results, error) {
	var nodes []fwk.NodeInfo
	for _, name := range names {
		node, err := c.snapshot.NodeInfos().Get(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNodeMissing, err)
		}
		nodes = append(nodes, node)
	}
	state := framework.NewCycleState()
	status := c.plugin.PreScore(ctx, state, pod, nodes)
	if status.IsSkip() {
		return results{noConstraint: noConstraint}, nil
	}
	scores := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		if status.IsSuccess() {
			scores[i].Name = node.Node().Name
			scores[i].Score, status = c.plugin.Score(ctx, state, pod, node)
		}
	}
	if status.IsSuccess() {
		status = c.plugin.NormalizeScore(ctx, state, pod, scores)
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	return scoreResults(scores), nil
}

func scoreResults(scores fwk.NodeScoreList) results {
	found := results{}
	for _, score := range scores {
		found[score.Name] = fmt.Sprint(score.Score)
	}
	return found
}

// differingNodes lists the nodes with different results.
func differingNodes(original, evenkeel results) []string {
	var nodes []string
	for node, result := range original {
		if evenkeel[node] != result {
			nodes = append(nodes, node)
		}
	}
	for node := range evenkeel {
		if _, found := original[node]; !found {
			nodes = append(nodes, node)
		}
	}
	sort.Strings(nodes)
	return nodes
}

// differences describes both results for each node that differs.
func differences(original, evenkeel results) []string {
	var found []string
	for _, node := range differingNodes(original, evenkeel) {
		found = append(found, fmt.Sprintf("%s: PodTopologySpread %q, Evenkeel %q", node, original[node], evenkeel[node]))
	}
	return found
}
