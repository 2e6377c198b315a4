package shadow

import (
	"context"
	"fmt"
	"sort"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/ask"
	"evenkeel.io/client/go/scheduler/original"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// skipped stands for what the original says of no node in particular: that nothing is in force for the pod.
const skipped = "*"

// sayings are verdicts or scores by node, in words that can be compared.
type sayings map[string]string

// bareNode is all that the original's Filter looks at. The scheduler's own snapshot changes with the next cycle.
type bareNode struct {
	fwk.NodeInfo
	node *v1.Node
}

func (n *bareNode) Node() *v1.Node { return n.node }

// verdictsOf lets the original judge nodes by a state of its own.
func verdictsOf(ctx context.Context, plugin original.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []*v1.Node) sayings {
	said := sayings{}
	bare := &bareNode{}
	for _, bare.node = range nodes {
		said[bare.node.Name] = plugin.Filter(ctx, state, pod, bare).Code().String()
	}
	return said
}

// areVerdictsEqual judges nodes as verdictsOf does, and makes nothing of them where Evenkeel says the same of all: a
// scheduler's memory is large, so that each byte that is made costs it much time to look through later.
func areVerdictsEqual(ctx context.Context, plugin original.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []*v1.Node, answer *ask.Verdicts) bool {
	if state == nil || answer.Hard() == 0 {
		return state == nil && answer.Hard() == 0
	}
	bare := &bareNode{}
	for _, bare.node = range nodes {
		said, known := answer.Of(bare.node)
		if !known || verdicts[said] != plugin.Filter(ctx, state, pod, bare).Code() {
			return false
		}
	}
	return true
}

// areScoresEqual compares final scores; nil stands for no soft constraint in force.
func areScoresEqual(scores fwk.NodeScoreList, answer *ask.Scores) bool {
	if scores == nil || answer.Soft() == 0 {
		return scores == nil && answer.Soft() == 0
	}
	for _, score := range scores {
		if said, known := answer.Of(score.Name); !known || said != score.Score {
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

// answeredVerdicts are Evenkeel's on these nodes, also where the original judges none because it knows of no constraint.
func answeredVerdicts(answer *ask.Verdicts, nodes []*v1.Node) sayings {
	if answer.Hard() == 0 {
		return sayings{skipped: skipped}
	}
	said := sayings{}
	for _, node := range nodes {
		said[node.Name] = "unknown node"
		if code, known := answer.Named(node.Name); known {
			said[node.Name] = verdicts[code].String()
		}
	}
	return said
}

func answeredScores(scores *ask.Scores, nodes []string) sayings {
	if scores.Soft() == 0 {
		return sayings{skipped: skipped}
	}
	said := sayings{}
	for _, node := range nodes {
		said[node] = "not scored"
		if score, known := scores.Of(node); known {
			said[node] = fmt.Sprint(score)
		}
	}
	return said
}

// filter judges all nodes of a cluster.
func (c *court) filter(ctx context.Context, pod *v1.Pod, cluster *Cluster) (sayings, error) {
	nodes, err := c.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	state := framework.NewCycleState()
	_, status := c.plugin.PreFilter(ctx, state, pod, nodes)
	if status.IsSkip() {
		return sayings{skipped: skipped}, nil
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	return verdictsOf(ctx, c.plugin, state, pod, cluster.Nodes), nil
}

// score scores exactly these nodes of a cluster.
func (c *court) score(ctx context.Context, pod *v1.Pod, names []string) (sayings, error) {
	var nodes []fwk.NodeInfo
	for _, name := range names {
		node, err := c.snapshot.NodeInfos().Get(name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errOtherNodes, err)
		}
		nodes = append(nodes, node)
	}
	state := framework.NewCycleState()
	status := c.plugin.PreScore(ctx, state, pod, nodes)
	if status.IsSkip() {
		return sayings{skipped: skipped}, nil
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
	return scoresOf(scores), nil
}

func scoresOf(scores fwk.NodeScoreList) sayings {
	said := sayings{}
	for _, score := range scores {
		said[score.Name] = fmt.Sprint(score.Score)
	}
	return said
}

// disputed lists the nodes of which two say different things.
func disputed(original, evenkeel sayings) []string {
	var nodes []string
	for node, said := range original {
		if evenkeel[node] != said {
			nodes = append(nodes, node)
		}
	}
	for node := range evenkeel {
		if _, judged := original[node]; !judged {
			nodes = append(nodes, node)
		}
	}
	sort.Strings(nodes)
	return nodes
}

// differences says what each says of the nodes about which they disagree.
func differences(original, evenkeel sayings) []string {
	var found []string
	for _, node := range disputed(original, evenkeel) {
		found = append(found, fmt.Sprintf("%s: PodTopologySpread %q, Evenkeel %q", node, original[node], evenkeel[node]))
	}
	return found
}
