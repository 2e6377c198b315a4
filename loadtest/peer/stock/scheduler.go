package main

import (
	"context"
	"fmt"
	"slices"

	"evenkeel.io/loadtest/peer/profile"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// plugins are those whose scores are recorded.
var plugins = []string{
	names.TaintToleration, names.NodeAffinity, names.PodTopologySpread, names.NodeResourcesFit, names.NodeResourcesBalancedAllocation,
}

// play places the pods of a scenario one after another, and records scores and nodes.
func play(ctx context.Context, recorded *scenario) error {
	metrics.Register()
	// There are no watches, so fill the lister's store directly.
	factory := informers.NewSharedInformerFactory(nil, 0)
	for _, service := range recorded.Services {
		if err := factory.Core().V1().Services().Informer().GetIndexer().Add(service); err != nil {
			return err
		}
	}
	available := profile.Registry()
	standard, err := profile.Default(available)
	if err != nil {
		return err
	}
	// kube-scheduler does not watch finished pods (newPodInformer).
	bound := slices.DeleteFunc(slices.Clone(recorded.Bound), func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
	})
	for i := range recorded.Placed {
		placed := &recorded.Placed[i]
		snapshot := cache.NewSnapshot(bound, recorded.Nodes)
		scheduler, err := frameworkruntime.NewFramework(ctx, available, standard,
			frameworkruntime.WithSnapshotSharedLister(snapshot),
			frameworkruntime.WithInformerFactory(factory))
		if err != nil {
			return err
		}
		if err := placed.choose(ctx, scheduler, snapshot); err != nil {
			return fmt.Errorf("%s, %s: %w", recorded.Name, placed.Pod.Name, err)
		}
		if placed.Node != "" {
			there := placed.Pod.DeepCopy()
			there.Spec.NodeName = placed.Node
			bound = append(bound, there)
		}
	}
	return nil
}

func (p *placement) choose(ctx context.Context, scheduler framework.Framework, snapshot *cache.Snapshot) error {
	state := framework.NewCycleState()
	passed, err := filter(ctx, scheduler, snapshot, state, p.Pod)
	if err != nil || len(passed) == 0 {
		return err
	}
	if status := scheduler.RunPreScorePlugins(ctx, state, p.Pod, passed); !status.IsSuccess() {
		return status.AsError()
	}
	scored, status := scheduler.RunScorePlugins(ctx, state, p.Pod, passed)
	if !status.IsSuccess() {
		return status.AsError()
	}
	p.Scores = map[string][]int64{}
	var best int64 = -1
	for _, node := range scored {
		scores := make([]int64, len(plugins))
		var sum int64
		for _, score := range node.Scores {
			if i := slices.Index(plugins, score.Name); i >= 0 {
				scores[i] = score.Score
				sum += score.Score
			}
		}
		if sum != node.TotalScore {
			return fmt.Errorf("%s has other scores: %v", node.Name, node.Scores)
		}
		p.Scores[node.Name] = scores
		if sum > best || sum == best && node.Name < p.Node {
			best, p.Node = sum, node.Name
		}
	}
	return nil
}

func filter(ctx context.Context, scheduler framework.Framework, snapshot *cache.Snapshot, state fwk.CycleState, pod *corev1.Pod) ([]fwk.NodeInfo, error) {
	all, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	result, status, _ := scheduler.RunPreFilterPlugins(ctx, state, pod)
	if status.IsRejected() {
		return nil, nil
	}
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	var passed []fwk.NodeInfo
	for _, node := range all {
		if !result.AllNodes() && !result.NodeNames.Has(node.Node().Name) {
			continue
		}
		status := scheduler.RunFilterPlugins(ctx, state, pod, node)
		if status.IsSuccess() {
			passed = append(passed, node)
		} else if !status.IsRejected() {
			return nil, status.AsError()
		}
	}
	return passed, nil
}
