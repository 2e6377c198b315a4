package spread

import (
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	ownconfig "evenkeel.io/client/go/scheduler/config"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	stock "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

func TestProfile_isRejected_ifThePluginCannotWorkInIt(t *testing.T) {
	original := []config.Plugin{{Name: names.PodTopologySpread, Weight: 2}}
	own := []config.Plugin{{Name: Name}}
	for name, test := range map[string]struct {
		change   func(*config.Plugins)
		expected string
	}{
		"as shipped": {func(*config.Plugins) {}, ""},
		"with the original enabled too": {func(plugins *config.Plugins) {
			plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, original...)
		}, "profile default-scheduler: PodTopologySpread is enabled at preFilter, filter, preScore, score, but EvenkeelTopologySpread includes it: disable it"},
		"with the original's scores enabled too": {func(plugins *config.Plugins) {
			plugins.Score.Enabled = original
		}, "PodTopologySpread is enabled at score, but EvenkeelTopologySpread"},
		"without Filter": {func(plugins *config.Plugins) {
			plugins.Filter.Disabled = own
		}, "profile default-scheduler: EvenkeelTopologySpread must also be enabled at filter; use multiPoint"},
		"with half of the scores": {func(plugins *config.Plugins) {
			plugins.PreScore.Disabled = own
		}, "EvenkeelTopologySpread must also be enabled at preScore"},
		"without scores": {func(plugins *config.Plugins) {
			plugins.PreScore.Disabled, plugins.Score.Disabled = own, own
		}, ""},
		"at no point": {func(plugins *config.Plugins) {
			for i := range plugins.MultiPoint.Enabled {
				if plugin := &plugins.MultiPoint.Enabled[i]; plugin.Name == Name {
					plugin.Name = names.PodTopologySpread
				}
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			profiles := shippedProfiles(t, "unix:/run/evenkeel.sock")
			test.change(profiles[0].Plugins)
			profiles[0].PluginConfig = append(profiles[0].PluginConfig, config.PluginConfig{
				Name: names.PodTopologySpread, Args: &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting}})
			client := fake.NewClientset()
			_, err := newStock(t.Context(), client, stock.NewInformerFactory(client, 0), profiles)
			if test.expected == "" && err != nil || test.expected != "" && (err == nil || !strings.Contains(err.Error(), test.expected)) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Two streams of one scheduler would take the feed of a server from each other.
func TestProfiles_areRejected_ifTheyHaveOneServerWithDifferentCredentials(t *testing.T) {
	token := t.TempDir() + "/token"
	if err := os.WriteFile(token, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		tokenFile, expected string
	}{
		"same":  {"", ""},
		"other": {token, `server: Invalid value: "unix:/run/evenkeel.sock": all profiles with this server must have the same tls and tokenFile`},
	} {
		t.Run(name, func(t *testing.T) {
			second := shippedProfiles(t, "unix:/run/evenkeel.sock")[0]
			second.SchedulerName = "second"
			for _, plugin := range second.PluginConfig {
				if args, ok := plugin.Args.(*ownconfig.EvenkeelTopologySpreadArgs); ok {
					args.TokenFile = test.tokenFile
				}
			}
			client := fake.NewClientset()
			_, err := newStock(t.Context(), client, stock.NewInformerFactory(client, 0), append(shippedProfiles(t, "unix:/run/evenkeel.sock"), second))
			if test.expected == "" && err != nil || test.expected != "" && (err == nil || !strings.Contains(err.Error(), test.expected)) {
				t.Errorf("got %v", err)
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
			if at := slices.IndexFunc(want[point], func(plugin config.Plugin) bool { return plugin.Name == name }); at >= 0 {
				moved := want[point][at]
				if name == names.PodTopologySpread {
					moved.Name = Name
				}
				want[point] = append(slices.Delete(want[point], at, at+1), moved)
			}
		}
	}
	if !reflect.DeepEqual(want, got) {
		t.Errorf("expected\n%v\nfound\n%v", want, got)
	}
}

// shippedProfiles are those of the shipped configuration, with another server.
func shippedProfiles(t *testing.T, server string) []config.KubeSchedulerProfile {
	t.Helper()
	shipped, err := options.LoadConfigFromFile(logger, "../kube-scheduler-config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, plugin := range shipped.Profiles[0].PluginConfig {
		if args, ok := plugin.Args.(*ownconfig.EvenkeelTopologySpreadArgs); ok {
			args.Server = server
		}
	}
	return shipped.Profiles
}

// newStock creates a scheduler like the stock one.
func newStock(ctx context.Context, client *fake.Clientset, factory informers.SharedInformerFactory, profiles []config.KubeSchedulerProfile) (*stock.Scheduler, error) {
	recorders := profile.RecorderFactory(func(string) events.EventRecorderLogger { return &events.FakeRecorder{} })
	return stock.New(ctx, client, factory, nil, recorders, stock.WithProfiles(profiles...),
		stock.WithFrameworkOutOfTreeRegistry(frameworkruntime.Registry{Name: NewFactory()}))
}
