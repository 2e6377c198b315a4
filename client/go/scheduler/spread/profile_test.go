package spread

import (
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	stock "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

func TestProfile_isRejected_ifThePluginCannotWorkInIt(t *testing.T) {
	original := []config.Plugin{{Name: names.PodTopologySpread, Weight: 2}}
	own := []config.Plugin{{Name: Name}}
	for name, test := range map[string]struct {
		change   func(*config.Plugins)
		expected string
		warning  string
	}{
		"as shipped": {func(*config.Plugins) {}, "", ""},
		"with the original enabled too": {func(plugins *config.Plugins) {
			plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, original...)
		}, "profile default-scheduler: PodTopologySpread is enabled at preFilter, filter, preScore, score, but EvenkeelTopologySpread includes it: disable it", ""},
		"with the original's scores enabled too": {func(plugins *config.Plugins) {
			plugins.Score.Enabled = original
		}, "PodTopologySpread is enabled at score, but EvenkeelTopologySpread", ""},
		"without Reserve": {func(plugins *config.Plugins) {
			plugins.Reserve.Disabled = own
		}, "profile default-scheduler: EvenkeelTopologySpread must also be enabled at reserve; use multiPoint", ""},
		"with half of the scores": {func(plugins *config.Plugins) {
			plugins.PreScore.Disabled = own
		}, "EvenkeelTopologySpread must also be enabled at preScore", ""},
		"without scores": {func(plugins *config.Plugins) {
			plugins.PreScore.Disabled, plugins.Score.Disabled = own, own
		}, "", ""},
		"at no point": {func(plugins *config.Plugins) {
			for i := range plugins.MultiPoint.Enabled {
				if plugin := &plugins.MultiPoint.Enabled[i]; plugin.Name == Name {
					plugin.Name = names.PodTopologySpread
				}
			}
		}, "", ""},
		"behind preemption": {func(plugins *config.Plugins) {
			var others []config.Plugin
			for _, plugin := range plugins.MultiPoint.Enabled {
				if plugin.Name != Name {
					others = append(others, plugin)
				}
			}
			plugins.MultiPoint.Enabled = append(others, config.Plugin{Name: Name, Weight: 2})
		}, "", "DefaultPreemption comes before EvenkeelTopologySpread at postFilter"},
	} {
		t.Run(name, func(t *testing.T) {
			profiles := shippedProfiles(t, "unix:/run/evenkeel.sock")
			test.change(profiles[0].Plugins)
			profiles[0].PluginConfig = append(profiles[0].PluginConfig, config.PluginConfig{
				Name: names.PodTopologySpread, Args: &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting}})
			client := fake.NewClientset()
			log := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
			_, err := newStock(klog.NewContext(t.Context(), log), client, stock.NewInformerFactory(client, 0), profiles)
			if test.expected == "" && err != nil || test.expected != "" && (err == nil || !strings.Contains(err.Error(), test.expected)) {
				t.Errorf("got %v", err)
			}
			text := log.GetSink().(ktesting.Underlier).GetBuffer().String()
			if warns := strings.Contains(text, "comes before"); warns != (test.warning != "") || !strings.Contains(text, test.warning) {
				t.Errorf("the log is %s", text)
			}
		})
	}
}
