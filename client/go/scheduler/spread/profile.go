package spread

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// checkProfile rejects a profile that has the plugin only at some of its extension points, or that also has the
// original.
func checkProfile(logger klog.Logger, profile framework.Framework) error {
	plugins := profile.ListPlugins()
	scores := isEnabled(plugins.PreScore.Enabled, Name) || isEnabled(plugins.Score.Enabled, Name)
	points := []struct {
		name    string
		enabled []config.Plugin
		needed  bool
	}{
		{"preFilter", plugins.PreFilter.Enabled, true}, {"filter", plugins.Filter.Enabled, true}, {"postFilter", plugins.PostFilter.Enabled, true},
		{"reserve", plugins.Reserve.Enabled, true}, {"preScore", plugins.PreScore.Enabled, scores}, {"score", plugins.Score.Enabled, scores},
	}
	used := false
	var missing, duplicates []string
	for _, point := range points {
		enabled := isEnabled(point.enabled, Name)
		used = used || enabled
		if !enabled && point.needed {
			missing = append(missing, point.name)
		}
		if isEnabled(point.enabled, names.PodTopologySpread) {
			duplicates = append(duplicates, point.name)
		}
	}
	switch {
	case !used:
		return nil
	case len(missing) > 0:
		return fmt.Errorf("profile %s: %s must also be enabled at %s; use multiPoint", profile.ProfileName(), Name, strings.Join(missing, ", "))
	case len(duplicates) > 0:
		return fmt.Errorf("profile %s: %s is enabled at %s, but %s includes it: disable it",
			profile.ProfileName(), names.PodTopologySpread, strings.Join(duplicates, ", "), Name)
	}
	preemption := indexOf(plugins.PostFilter.Enabled, names.DefaultPreemption)
	if preemption >= 0 && preemption < indexOf(plugins.PostFilter.Enabled, Name) {
		logger.Info("DefaultPreemption comes before "+Name+" at postFilter and may evict pods for a pod that only Evenkeel has rejected; "+
			"list the plugins in the order of the shipped configuration", "profile", profile.ProfileName())
	}
	return nil
}

// CheckConfiguration rejects a configuration file in which only some profiles have the plugin. A plugin knows only its
// own profile, and pods that another one has assumed would be invisible to Evenkeel.
func CheckConfiguration(logger klog.Logger, file string) error {
	configuration, err := options.LoadConfigFromFile(logger, file)
	if err != nil {
		return err
	}
	var with, without []string
	for _, profile := range configuration.Profiles {
		if isEnabled(profile.Plugins.MultiPoint.Enabled, Name) || slices.Contains(profile.Plugins.Names(), Name) {
			with = append(with, profile.SchedulerName)
		} else {
			without = append(without, profile.SchedulerName)
		}
	}
	if len(with) > 0 && len(without) > 0 {
		return fmt.Errorf("profile %s: %s must also be enabled, because profile %s has it: Evenkeel would not count the pods that are assumed here",
			strings.Join(without, ", "), Name, with[0])
	}
	return nil
}

func isEnabled(enabled []config.Plugin, name string) bool { return indexOf(enabled, name) >= 0 }

func indexOf(enabled []config.Plugin, name string) int {
	return slices.IndexFunc(enabled, func(plugin config.Plugin) bool { return plugin.Name == name })
}
