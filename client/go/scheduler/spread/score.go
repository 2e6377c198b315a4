package spread

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PreScore asks for the scores of exactly the remaining nodes if the pod may have soft constraints.
func (p *Plugin) PreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	s, status := readState(state)
	if status != nil {
		return status
	}
	defer s.startTimer()()
	if !s.constraints.soft {
		return fwk.NewStatus(fwk.Skip)
	}
	if s.question != nil {
		scores, err := p.server.Score(ctx, s.question, namesOf(nodes), p.scheduler.preScoreTime.timeout(p.scheduler.minTimeout))
		if err == nil {
			p.countEvenkeel()
			s.scores = scores
			return nil
		}
		s.failed(ctx, err)
	}
	s.scoreState = framework.NewCycleState()
	began := time.Now()
	status = p.original.PreScore(ctx, s.scoreState, pod, nodes)
	if status.IsSuccess() {
		p.scheduler.preScoreTime.record(time.Since(began))
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

// Score returns Evenkeel's final score, or the original's raw one.
func (p *Plugin) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s, status := readState(state)
	if status != nil {
		return 0, status
	}
	defer s.startTimer()()
	if s.scores == nil {
		return p.original.Score(ctx, s.scoreState, pod, node)
	}
	score, known := s.scores.For(node.Node().Name)
	if !known {
		return 0, fwk.AsStatus(fmt.Errorf("Evenkeel did not score node %q", node.Node().Name))
	}
	return score, nil
}

// ScoreExtensions returns the plugin itself.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore normalizes the original's scores. Evenkeel's are final, because it scored exactly these nodes.
func (p *Plugin) NormalizeScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	s, status := readState(state)
	if status != nil {
		return status
	}
	defer s.startTimer()()
	if s.scores != nil {
		return nil
	}
	return p.original.NormalizeScore(ctx, s.scoreState, pod, scores)
}
