package spread

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// checkProfile rejects a profile that has the plugin only at some of its extension points, or that also has the
// original.
func checkProfile(profile framework.Framework) error {
	plugins := profile.ListPlugins()
	scores := isEnabled(plugins.PreScore.Enabled, Name) || isEnabled(plugins.Score.Enabled, Name)
	points := []struct {
		name    string
		enabled []config.Plugin
		needed  bool
	}{
		{"preFilter", plugins.PreFilter.Enabled, true}, {"filter", plugins.Filter.Enabled, true},
		{"preScore", plugins.PreScore.Enabled, scores}, {"score", plugins.Score.Enabled, scores},
	}
	var missing, duplicates []string
	for _, point := range points {
		enabled := isEnabled(point.enabled, Name)
		if !enabled && point.needed {
			missing = append(missing, point.name)
		}
		if isEnabled(point.enabled, names.PodTopologySpread) {
			duplicates = append(duplicates, point.name)
		}
	}
	switch {
	case !scores && len(missing) == 2: // The profile does not use the plugin at all.
		return nil
	case len(missing) > 0:
		return fmt.Errorf("profile %s: %s must also be enabled at %s; use multiPoint", profile.ProfileName(), Name, strings.Join(missing, ", "))
	case len(duplicates) > 0:
		return fmt.Errorf("profile %s: %s is enabled at %s, but %s includes it: disable it",
			profile.ProfileName(), names.PodTopologySpread, strings.Join(duplicates, ", "), Name)
	}
	return nil
}

func isEnabled(enabled []config.Plugin, name string) bool {
	return slices.ContainsFunc(enabled, func(plugin config.Plugin) bool { return plugin.Name == name })
}
