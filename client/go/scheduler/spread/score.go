package spread

import (
	"context"
	"fmt"
	"slices"
	"time"

	"evenkeel.io/client/go/scheduler/audit"
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
	defer s.measure(time.Now())
	if s.constraints.soft == 0 {
		return fwk.NewStatus(fwk.Skip)
	}
	s.remaining = nodes
	if s.question != nil {
		var err error
		await := p.server.AskScores(s.question, namesOf(nodes))
		if p.shadow {
			s.awaitScores = await
		} else if s.scores, err = await(ctx, p.timeout(&p.scheduler.preScoreTime)); err == nil {
			return nil
		} else {
			s.failed(ctx, err)
		}
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
	switch {
	case s.scores == nil:
		status = p.original.NormalizeScore(ctx, s.scoreState, pod, scores)
		if s.comparison != nil && status.IsSuccess() {
			s.comparison.Scores = slices.Clone(scores)
		}
	case s.comparison != nil:
		if originals, failure := audit.Score(ctx, p.original, framework.NewCycleState(), pod, s.remaining); failure.IsSuccess() {
			s.comparison.Scores = originals
		}
	}
	return status
}
