package main

import (
	"context"
	"fmt"
	"sync/atomic"

	"evenkeel.io/loadtest/peer/cluster"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// peer is the plugin with the cluster as its snapshot. Default constraints, feature gates and parallelism are
// kube-scheduler's defaults.
type peer struct {
	ctx          context.Context
	plugin       *podtopologyspread.PodTopologySpread
	parallelizer fwk.Parallelizer
	snapshot     *cache.Snapshot
	all          []fwk.NodeInfo
	byName       []fwk.NodeInfo
	placed       []*corev1.Pod
}

// verdict is the plugin's answer about one pod.
type verdict struct {
	// codes are the codes of the candidates, in their order.
	codes []fwk.Code
	// scores are the scores of the candidates that passed; nil if the plugin has nothing to score.
	scores fwk.NodeScoreList
}

func newPeer(ctx context.Context, c *cluster.Cluster) (*peer, error) {
	metrics.Register()
	// There are no watches, so fill the listers' stores directly.
	factory := informers.NewSharedInformerFactory(nil, 0)
	for _, service := range c.Services {
		if err := factory.Core().V1().Services().Informer().GetIndexer().Add(service); err != nil {
			return nil, err
		}
	}
	for _, set := range c.ReplicaSets {
		if err := factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(set); err != nil {
			return nil, err
		}
	}
	snapshot := cache.NewSnapshot(c.Pods, c.Nodes)
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil,
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithInformerFactory(factory))
	if err != nil {
		return nil, err
	}
	plugin, err := podtopologyspread.New(ctx,
		&config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting},
		handle,
		feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
	if err != nil {
		return nil, err
	}
	made := &peer{
		ctx:          ctx,
		plugin:       plugin.(*podtopologyspread.PodTopologySpread),
		parallelizer: handle.Parallelizer(),
		snapshot:     snapshot,
	}
	if made.all, err = snapshot.NodeInfos().List(); err != nil {
		return nil, err
	}
	names := make([]string, len(c.Nodes))
	for i, node := range c.Nodes {
		names[i] = node.Name
	}
	if made.byName, err = made.named(names); err != nil {
		return nil, err
	}
	return made, nil
}

// candidates returns the nodes with these names, or all nodes if there are no names.
func (p *peer) candidates(names []string) ([]fwk.NodeInfo, error) {
	if len(names) == 0 {
		return p.byName, nil
	}
	return p.named(names)
}

func (p *peer) named(names []string) ([]fwk.NodeInfo, error) {
	nodes := make([]fwk.NodeInfo, len(names))
	for i, name := range names {
		node, err := p.snapshot.NodeInfos().Get(name)
		if err != nil {
			return nil, err
		}
		nodes[i] = node
	}
	return nodes, nil
}

// ask runs the plugin as a scheduling cycle does: PreFilter over all nodes, Filter on the candidates, then PreScore,
// Score and NormalizeScore on those
// that passed. If the plugin returns Skip, the corresponding steps are skipped.
func (p *peer) ask(pod *corev1.Pod, candidates []fwk.NodeInfo) (verdict, error) {
	state := framework.NewCycleState()
	said := verdict{codes: make([]fwk.Code, len(candidates))}
	passed, err := p.filter(state, pod, candidates, said.codes)
	if err != nil || len(passed) == 0 {
		return said, err
	}
	said.scores, err = p.score(state, pod, passed)
	return said, err
}

func (p *peer) filter(state fwk.CycleState, pod *corev1.Pod, candidates []fwk.NodeInfo, codes []fwk.Code) ([]fwk.NodeInfo, error) {
	_, status := p.plugin.PreFilter(p.ctx, state, pod, p.all)
	if status.IsSkip() {
		return candidates, nil
	}
	if !status.IsSuccess() {
		return nil, fmt.Errorf("PreFilter: %w", status.AsError())
	}
	passed := make([]fwk.NodeInfo, len(candidates))
	var count atomic.Int32
	p.parallelizer.Until(p.ctx, len(candidates), func(i int) {
		codes[i] = p.plugin.Filter(p.ctx, state, pod, candidates[i]).Code()
		if codes[i] == fwk.Success {
			passed[count.Add(1)-1] = candidates[i]
		}
	}, metrics.Filter)
	return passed[:count.Load()], nil
}

func (p *peer) score(state fwk.CycleState, pod *corev1.Pod, passed []fwk.NodeInfo) (fwk.NodeScoreList, error) {
	status := p.plugin.PreScore(p.ctx, state, pod, passed)
	if status.IsSkip() {
		return nil, nil
	}
	if !status.IsSuccess() {
		return nil, fmt.Errorf("PreScore: %w", status.AsError())
	}
	scores := make(fwk.NodeScoreList, len(passed))
	statuses := make([]*fwk.Status, len(passed))
	p.parallelizer.Until(p.ctx, len(passed), func(i int) {
		score, status := p.plugin.Score(p.ctx, state, pod, passed[i])
		scores[i] = fwk.NodeScore{Name: passed[i].Node().Name, Score: score}
		statuses[i] = status
	}, metrics.Score)
	for i, status := range statuses {
		if !status.IsSuccess() {
			return nil, fmt.Errorf("Score of %s: %w", scores[i].Name, status.AsError())
		}
	}
	if status := p.plugin.ScoreExtensions().NormalizeScore(p.ctx, state, pod, scores); !status.IsSuccess() {
		return nil, fmt.Errorf("NormalizeScore: %w", status.AsError())
	}
	return scores, nil
}

// place places the copy of a pod with this number on the node with the best score, the first by name among equal ones,
// and returns the node's name, or nothing if no node passed.
func (p *peer) place(pod *corev1.Pod, number int) (string, error) {
	said, err := p.ask(pod, p.byName)
	if err != nil {
		return "", err
	}
	scores := make(map[string]int64, len(said.scores))
	for _, score := range said.scores {
		scores[score.Name] = score.Score
	}
	var best fwk.NodeInfo
	for i, node := range p.byName {
		name := node.Node().Name
		if said.codes[i] == fwk.Success && (best == nil || scores[name] > scores[best.Node().Name]) {
			best = node
		}
	}
	if best == nil {
		return "", nil
	}
	placed := pod.DeepCopy()
	placed.Name = fmt.Sprintf("%s-%d", pod.Name, number)
	placed.UID = types.UID(placed.Name)
	placed.Spec.NodeName = best.Node().Name
	info, err := framework.NewPodInfo(placed)
	if err != nil {
		return "", err
	}
	best.AddPodInfo(info)
	p.placed = append(p.placed, placed)
	return placed.Spec.NodeName, nil
}

// removePlaced removes all pods that were placed.
func (p *peer) removePlaced() {
	for _, pod := range p.placed {
		// The snapshot has the node, because the pod was placed on it.
		node, err := p.snapshot.NodeInfos().Get(pod.Spec.NodeName)
		if err == nil {
			err = node.RemovePod(klog.FromContext(p.ctx), pod)
		}
		if err != nil {
			panic(err)
		}
	}
	p.placed = nil
}
