// Package incremental is PodTopologySpread with an index in its process: it keeps how many pods match a selector on
// each node, and counts again only on nodes whose generation has changed. It shows how much of what Evenkeel gains
// kube-scheduler could gain alone. Its answers are equal to those of the stock plugin.
package incremental

import (
	"context"
	"errors"

	"evenkeel.io/client/go/scheduler/original"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalv1 "k8s.io/kubernetes/pkg/scheduler/apis/config/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Name is the name of the plugin in a KubeSchedulerConfiguration.
const Name = "IncrementalTopologySpread"

// Plugin answers from an index. If generations do not show what has changed, the stock plugin answers: its state is in
// the cycle state then, and the plugin's own is not. Events and signatures are always those of the stock plugin.
type Plugin struct {
	original.Plugin
	snapshot fwk.SharedLister
	features feature.Features
	index    *index

	// Default constraints, and what their selector is made of.
	defaults               []v1.TopologySpreadConstraint
	systemDefaults         bool
	services               corelisters.ServiceLister
	replicationControllers corelisters.ReplicationControllerLister
	replicaSets            appslisters.ReplicaSetLister
	statefulSets           appslisters.StatefulSetLister
}

var _ original.Plugin = (*Plugin)(nil)

// New takes the arguments of PodTopologySpread.
func New(ctx context.Context, arguments runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	var given configv1.PodTopologySpreadArgs
	if err := frameworkruntime.DecodeInto(arguments, &given); err != nil {
		return nil, err
	}
	internalv1.SetDefaults_PodTopologySpreadArgs(&given)
	args := &config.PodTopologySpreadArgs{}
	if err := internalv1.GetPluginArgConversionScheme().Convert(&given, args, nil); err != nil {
		return nil, err
	}
	stock, err := original.New(ctx, args, handle)
	if err != nil {
		return nil, err
	}
	factory := handle.SharedInformerFactory()
	if factory == nil {
		return nil, errors.New("SharedInformerFactory is nil")
	}
	plugin := &Plugin{
		Plugin:                 stock,
		snapshot:               handle.SnapshotSharedLister(),
		features:               original.Features(),
		index:                  newIndex(),
		defaults:               args.DefaultConstraints,
		systemDefaults:         args.DefaultingType == config.SystemDefaulting,
		services:               factory.Core().V1().Services().Lister(),
		replicationControllers: factory.Core().V1().ReplicationControllers().Lister(),
		replicaSets:            factory.Apps().V1().ReplicaSets().Lister(),
		statefulSets:           factory.Apps().V1().StatefulSets().Lister(),
	}
	if plugin.systemDefaults {
		plugin.defaults = systemConstraints
	}
	return plugin, nil
}

// Name returns the name of the plugin.
func (p *Plugin) Name() string { return Name }

// isForStock returns whether the stock plugin answers. In the cycles of pod groups, the scheduler changes its snapshot
// without changing generations.
func (p *Plugin) isForStock(state fwk.CycleState, pod *v1.Pod) bool {
	return state.IsPodGroupSchedulingCycle() || pod.Spec.SchedulingGroup != nil ||
		!p.features.EnableNodeInclusionPolicyInPodTopologySpread
}
