package spread

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// checkProfile refuses a profile that has the plugin at some of its points only, or the original beside it.
func checkProfile(logger klog.Logger, profile framework.Framework) error {
	listed := profile.ListPlugins()
	scores := has(listed.PreScore.Enabled, Name) || has(listed.Score.Enabled, Name)
	points := []struct {
		name    string
		enabled []config.Plugin
		needed  bool
	}{
		{"preFilter", listed.PreFilter.Enabled, true}, {"filter", listed.Filter.Enabled, true}, {"postFilter", listed.PostFilter.Enabled, true},
		{"reserve", listed.Reserve.Enabled, true}, {"preScore", listed.PreScore.Enabled, scores}, {"score", listed.Score.Enabled, scores},
	}
	used := false
	var missing, beside []string
	for _, point := range points {
		own := has(point.enabled, Name)
		used = used || own
		if !own && point.needed {
			missing = append(missing, point.name)
		}
		if has(point.enabled, names.PodTopologySpread) {
			beside = append(beside, point.name)
		}
	}
	switch {
	case !used:
		return nil
	case len(missing) > 0:
		return fmt.Errorf("profile %s: %s must be enabled at %s too, as multiPoint does", profile.ProfileName(), Name, strings.Join(missing, ", "))
	case len(beside) > 0:
		return fmt.Errorf("profile %s: %s is enabled at %s beside %s, which has it inside: disable it",
			profile.ProfileName(), names.PodTopologySpread, strings.Join(beside, ", "), Name)
	}
	preemption := at(listed.PostFilter.Enabled, names.DefaultPreemption)
	if preemption >= 0 && preemption < at(listed.PostFilter.Enabled, Name) {
		logger.Info("DefaultPreemption comes before "+Name+" at postFilter, and so may evict pods for one that only Evenkeel has refused: "+
			"list the plugins in the order of the shipped configuration", "profile", profile.ProfileName())
	}
	return nil
}

func has(enabled []config.Plugin, name string) bool { return at(enabled, name) >= 0 }

func at(enabled []config.Plugin, name string) int {
	return slices.IndexFunc(enabled, func(plugin config.Plugin) bool { return plugin.Name == name })
}
