package main

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultbinder"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/imagelocality"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeports"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodeunschedulable"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/schedulinggates"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/tainttoleration"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// plugins are those whose scores are recorded.
var plugins = []string{
	names.TaintToleration, names.NodeAffinity, names.PodTopologySpread, names.NodeResourcesFit, names.NodeResourcesBalancedAllocation,
}

// registry has the default plugins that need no other objects than the scenarios have. InterPodAffinity and ImageLocality
// score nothing here.
func registry() frameworkruntime.Registry {
	gates := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	return frameworkruntime.Registry{
		names.SchedulingGates:                 frameworkruntime.FactoryAdapter(gates, schedulinggates.New),
		names.PrioritySort:                    queuesort.New,
		names.NodeUnschedulable:               frameworkruntime.FactoryAdapter(gates, nodeunschedulable.New),
		names.NodeName:                        frameworkruntime.FactoryAdapter(gates, nodename.New),
		names.TaintToleration:                 frameworkruntime.FactoryAdapter(gates, tainttoleration.New),
		names.NodeAffinity:                    frameworkruntime.FactoryAdapter(gates, nodeaffinity.New),
		names.NodePorts:                       frameworkruntime.FactoryAdapter(gates, nodeports.New),
		names.NodeResourcesFit:                frameworkruntime.FactoryAdapter(gates, noderesources.NewFit),
		names.PodTopologySpread:               frameworkruntime.FactoryAdapter(gates, podtopologyspread.New),
		names.InterPodAffinity:                frameworkruntime.FactoryAdapter(gates, interpodaffinity.New),
		names.NodeResourcesBalancedAllocation: frameworkruntime.FactoryAdapter(gates, noderesources.NewBalancedAllocation),
		names.ImageLocality:                   imagelocality.New,
		names.DefaultBinder:                   defaultbinder.New,
	}
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
	available := registry()
	profile, err := defaultProfile(available)
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
		scheduler, err := frameworkruntime.NewFramework(ctx, available, profile,
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

// defaultProfile is the default profile of kube-scheduler, with its weights and arguments, for the available plugins.
func defaultProfile(available frameworkruntime.Registry) (*config.KubeSchedulerProfile, error) {
	configuration, err := latest.Default()
	if err != nil {
		return nil, err
	}
	profile := &configuration.Profiles[0]
	profile.Plugins.MultiPoint.Enabled = slices.DeleteFunc(profile.Plugins.MultiPoint.Enabled, func(plugin config.Plugin) bool {
		return available[plugin.Name] == nil
	})
	return profile, nil
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
