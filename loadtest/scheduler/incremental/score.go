package incremental

import (
	"context"
	"fmt"
	"math"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	scoreKey fwk.StateKey = "PreScore" + Name
	// ignored is the score of a node without all topology keys.
	ignored = -1
)

// scoreState has the scores by the position of the node.
type scoreState struct {
	layout *layout
	scores []int64
}

// Clone returns the state itself, because it does not change.
func (s *scoreState) Clone() fwk.StateData { return s }

// PreScore calculates the scores of all remaining nodes.
func (p *Plugin) PreScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	if p.isForStock(state, pod) {
		return p.Plugin.PreScore(ctx, state, pod, nodes)
	}
	demand, err := p.demandOf(pod, v1.ScheduleAnyway)
	if err != nil {
		// The stock plugin reports the same error.
		return p.Plugin.PreScore(ctx, state, pod, nodes)
	}
	if demand == nil {
		return fwk.NewStatus(fwk.Skip)
	}
	all, err := p.snapshot.NodeInfos().List()
	if err != nil {
		return fwk.AsStatus(err)
	}
	p.index.update(all)
	demand.evaluate(p.index)
	positions := make([]int, len(nodes))
	for i, node := range nodes {
		position, known := p.index.layout.positions[node.Node().Name]
		if !known {
			return fwk.AsStatus(fmt.Errorf("node %q is not in the snapshot", node.Node().Name))
		}
		positions[i] = position
	}
	// kube-scheduler's own default constraints apply to nodes without a zone, too.
	allKeys := !p.systemDefaults || len(pod.Spec.TopologySpreadConstraints) > 0
	state.Write(scoreKey, &scoreState{p.index.layout, demand.scores(p.index, positions, allKeys)})
	return nil
}

// scores returns the scores of the nodes at some positions.
func (d *demand) scores(x *index, positions []int, allKeys bool) []int64 {
	scores := make([]int64, len(x.nodes))
	// The pods of each domain of the remaining nodes; nil for host names, because each node is a domain then.
	sums := make([][]int32, len(d.constraints))
	sizes := make([]int, len(d.constraints))
	for i := range d.constraints {
		if d.constraints[i].key != v1.LabelHostname {
			sums[i] = newCounts(len(d.constraints[i].domains.ids))
		}
	}
	for _, position := range positions {
		if allKeys && !d.hasDomains(position) {
			scores[position] = ignored
			continue
		}
		for i := range d.constraints {
			if sums[i] == nil {
				sizes[i]++
			} else if id := d.constraints[i].scoredDomain(position); sums[i][id] == absent {
				sums[i][id] = 0
				sizes[i]++
			}
		}
	}
	d.forEach(x, allKeys, func(position, constraint int) {
		if sums[constraint] == nil {
			return
		}
		c := &d.constraints[constraint]
		if id := c.scoredDomain(position); sums[constraint][id] != absent {
			sums[constraint][id] += c.pods.values[position]
		}
	})
	for _, position := range positions {
		if scores[position] == ignored {
			continue
		}
		score := float64(0)
		for i := range d.constraints {
			c := &d.constraints[i]
			id := c.domains.values[position]
			if id == noDomain {
				continue
			}
			pods := c.pods.values[position]
			if sums[i] != nil {
				pods = sums[i][id]
			}
			score += float64(pods)*math.Log(float64(sizes[i]+2)) + float64(c.maxSkew-1)
		}
		scores[position] = int64(math.Round(score))
	}
	return scores
}

// scoredDomain is that of an empty value for nodes without the topology key.
func (c *constraint) scoredDomain(position int) int32 {
	return max(c.domains.values[position], emptyDomain)
}

// Score looks up the score of a node, which is not normalized.
func (p *Plugin) Score(ctx context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s := read[*scoreState](state, scoreKey)
	if s == nil {
		return p.Plugin.Score(ctx, state, pod, node)
	}
	return s.scores[s.layout.positions[node.Node().Name]], nil
}

// ScoreExtensions returns the plugin itself.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore gives the nodes with the fewest pods the highest scores, and ignored nodes none.
func (p *Plugin) NormalizeScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	if read[*scoreState](state, scoreKey) == nil {
		return p.Plugin.NormalizeScore(ctx, state, pod, scores)
	}
	lowest, highest := int64(math.MaxInt64), int64(0)
	for i := range scores {
		if scores[i].Score != ignored {
			lowest, highest = min(lowest, scores[i].Score), max(highest, scores[i].Score)
		}
	}
	for i := range scores {
		switch {
		case scores[i].Score == ignored:
			scores[i].Score = 0
		case highest == 0:
			scores[i].Score = fwk.MaxNodeScore
		default:
			scores[i].Score = fwk.MaxNodeScore * (highest + lowest - scores[i].Score) / highest
		}
	}
	return nil
}
