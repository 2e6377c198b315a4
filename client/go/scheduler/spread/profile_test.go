package spread

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	stock "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
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
			plugins.PostFilter.Enabled = nil
			for i := range plugins.MultiPoint.Enabled {
				if plugin := &plugins.MultiPoint.Enabled[i]; plugin.Name == Name {
					plugin.Name = names.PodTopologySpread
				}
			}
		}, "", ""},
		"behind preemption": {func(plugins *config.Plugins) {
			plugins.PostFilter.Enabled = nil
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

// pluginsOf returns the plugins of the only profile, by extension point.
func pluginsOf(t *testing.T, profiles []config.KubeSchedulerProfile) map[string][]config.Plugin {
	t.Helper()
	client := fake.NewClientset()
	scheduler, err := newStock(t.Context(), client, stock.NewInformerFactory(client, 0), profiles)
	if err != nil {
		t.Fatal(err)
	}
	points := map[string][]config.Plugin{}
	all := reflect.ValueOf(*scheduler.Profiles["default-scheduler"].ListPlugins())
	for _, point := range reflect.VisibleFields(all.Type()) {
		points[point.Name] = all.FieldByIndex(point.Index).Interface().(config.PluginSet).Enabled
	}
	return points
}

// New defaults of a later kube-scheduler apply without a change of the shipped configuration.
func TestShippedConfiguration_hasTheStockPlugins_exceptForTheOriginal(t *testing.T) {
	defaults, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	want, got := pluginsOf(t, defaults.Profiles), pluginsOf(t, shippedProfiles(t, "unix:/run/evenkeel.sock"))
	for point := range want {
		// These two come last, in the stock order.
		for _, name := range []string{names.PodTopologySpread, names.InterPodAffinity} {
			if at := indexOf(want[point], name); at >= 0 {
				moved := want[point][at]
				if name == names.PodTopologySpread {
					moved.Name = Name
				}
				want[point] = append(slices.Delete(want[point], at, at+1), moved)
			}
		}
	}
	own := config.Plugin{Name: Name}
	want["Reserve"] = append(want["Reserve"], own)
	want["PostFilter"] = append([]config.Plugin{own}, want["PostFilter"]...)
	if !reflect.DeepEqual(want, got) {
		t.Errorf("expected\n%v\nfound\n%v", want, got)
	}
}

func TestCheckConfiguration_rejectsAProfileWithoutThePlugin(t *testing.T) {
	shipped, err := os.ReadFile("../kube-scheduler-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	check := func(more string) error {
		file := filepath.Join(t.TempDir(), "config.yaml")
		if err := os.WriteFile(file, append(shipped, more...), 0o600); err != nil {
			t.Fatal(err)
		}
		return CheckConfiguration(logger, file)
	}
	if err := check(""); err != nil {
		t.Error(err)
	}
	const plugin = `
  plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}]
      enabled: [{name: EvenkeelTopologySpread}]
  pluginConfig:
  - name: EvenkeelTopologySpread
    args: {server: 'unix:/run/evenkeel.sock'}
`
	if err := check("- schedulerName: batch" + plugin); err != nil {
		t.Error(err)
	}
	for _, other := range []string{"- schedulerName: batch\n", `- schedulerName: batch
  plugins:
    multiPoint:
      disabled: [{name: PodTopologySpread}]
`} {
		if err := check(other); err == nil || !strings.Contains(err.Error(), "profile batch: EvenkeelTopologySpread must also be enabled") {
			t.Errorf("got %v", err)
		}
	}
}
