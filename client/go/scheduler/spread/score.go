package spread

import (
	"context"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PreScore asks for the scores of exactly the nodes that are left, where the pod may have soft constraints.
func (p *Plugin) PreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	s, status := read(state)
	if status != nil {
		return status
	}
	defer s.timing()()
	if !s.needs.soft {
		return fwk.NewStatus(fwk.Skip)
	}
	if s.question != nil {
		scores, reason := s.question.Score(ctx, namesOf(nodes))
		if reason == "" {
			p.countEvenkeel()
			if scores.Soft() == 0 {
				return fwk.NewStatus(fwk.Skip)
			}
			s.scores = scores
			return nil
		}
		s.fallBack(reason)
	}
	s.scoring = framework.NewCycleState()
	if s.isCompared() {
		s.alongside = p.shadow.AskScores(pod, namesOf(nodes))
	}
	status = p.original.PreScore(ctx, s.scoring, pod, nodes)
	if s.isCompared() && status.IsSkip() {
		s.alongside.Compare(nil)
	}
	return status
}

func namesOf(nodes []fwk.NodeInfo) []string {
	names := make([]string, len(nodes))
	for i, node := range nodes {
		names[i] = node.Node().Name
	}
	return names
}

// Score is Evenkeel's final score, or the original's raw one.
func (p *Plugin) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s, status := read(state)
	if status != nil {
		return 0, status
	}
	defer s.timing()()
	if s.scores == nil {
		return p.original.Score(ctx, s.scoring, pod, node)
	}
	score, known := s.scores.Of(node.Node().Name)
	if !known {
		return 0, fwk.AsStatus(fmt.Errorf("node %q was not among those to be scored", node.Node().Name))
	}
	return score, nil
}

// ScoreExtensions are this plugin.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore makes final scores of the original's. Evenkeel's are final: it was asked about exactly these nodes.
func (p *Plugin) NormalizeScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	s, status := read(state)
	if status != nil {
		return status
	}
	defer s.timing()()
	if s.scores != nil {
		return nil
	}
	status = p.original.NormalizeScore(ctx, s.scoring, pod, scores)
	if s.isCompared() && status.IsSuccess() {
		s.alongside.Compare(scores)
	}
	return status
}
