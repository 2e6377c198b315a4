// Package profile has what the programs that record answers need of kube-scheduler's default profile.
package profile

import (
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
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
)

// Registry has the default plugins that need no other objects than the scenarios have. InterPodAffinity and ImageLocality
// score nothing here.
func Registry() frameworkruntime.Registry {
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

// Default is the default profile of kube-scheduler, with its weights and arguments, for the available plugins.
func Default(available frameworkruntime.Registry) (*config.KubeSchedulerProfile, error) {
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
