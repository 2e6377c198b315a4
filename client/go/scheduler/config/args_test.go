package config

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	configv1 "k8s.io/kube-scheduler/config/v1"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"
)

const shippedConfig = "../kube-scheduler-config.yaml"

func load(t *testing.T, file string) *schedulerconfig.KubeSchedulerConfiguration {
	t.Helper()
	loaded, err := options.LoadConfigFromFile(klog.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}

// withArgs is the shipped configuration with other arguments of the plugin.
func withArgs(t *testing.T, args string) string {
	t.Helper()
	text, err := os.ReadFile(shippedConfig)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), "    args:\n")
	if !found {
		t.Fatal("the shipped configuration has no arguments")
	}
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(before+"    args:\n"+args), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func argsOf(t *testing.T, configuration *schedulerconfig.KubeSchedulerConfiguration) *EvenkeelTopologySpreadArgs {
	t.Helper()
	for _, plugin := range configuration.Profiles[0].PluginConfig {
		if plugin.Name == PluginName {
			args, ok := plugin.Args.(*EvenkeelTopologySpreadArgs)
			if !ok {
				t.Fatalf("the arguments are a %T", plugin.Args)
			}
			return args
		}
	}
	t.Fatal("there are no arguments")
	return nil
}

func TestShippedConfiguration_hasTheStockArguments(t *testing.T) {
	loaded := load(t, shippedConfig)
	if err := validation.ValidateKubeSchedulerConfiguration(loaded); err != nil {
		t.Fatal(err)
	}
	stock, err := latest.Default()
	if err != nil {
		t.Fatal(err)
	}
	// The other plugins have the stock scheduler's arguments.
	stockArgs := map[string]any{}
	for _, plugin := range stock.Profiles[0].PluginConfig {
		stockArgs[plugin.Name] = plugin.Args
	}
	delete(stockArgs, "PodTopologySpread")
	for _, plugin := range loaded.Profiles[0].PluginConfig {
		if plugin.Name == PluginName {
			continue
		}
		if !reflect.DeepEqual(plugin.Args, stockArgs[plugin.Name]) {
			t.Errorf("expected the arguments %+v of %s, found %+v", stockArgs[plugin.Name], plugin.Name, plugin.Args)
		}
		delete(stockArgs, plugin.Name)
	}
	if len(stockArgs) > 0 {
		t.Errorf("arguments are missing: %+v", stockArgs)
	}
	if loaded.PercentageOfNodesToScore == nil || *loaded.PercentageOfNodesToScore != *stock.PercentageOfNodesToScore {
		t.Errorf("percentageOfNodesToScore is %v", loaded.PercentageOfNodesToScore)
	}
	if err := Validate(argsOf(t, loaded)); err != nil {
		t.Error(err)
	}
}

func TestArgs_haveDefaults(t *testing.T) {
	args := argsOf(t, load(t, withArgs(t, "      server: evenkeel:7450\n      insecure: true\n")))
	want := &EvenkeelTopologySpreadArgs{
		TypeMeta:              args.TypeMeta,
		Server:                "evenkeel:7450",
		Insecure:              true,
		Mode:                  ModeEvenkeel,
		MinNodes:              ptr.To(int32(500)),
		AuditEvery:            ptr.To(int32(1000)),
		PodTopologySpreadArgs: configv1.PodTopologySpreadArgs{DefaultingType: configv1.SystemDefaulting},
	}
	if !reflect.DeepEqual(args, want) {
		t.Errorf("expected %+v, found %+v", want, args)
	}
}

func TestArgs_areDecoded(t *testing.T) {
	args := argsOf(t, load(t, withArgs(t, `      server: evenkeel:7450
      tls: {caFile: ca.crt, certFile: tls.crt, keyFile: tls.key, serverName: evenkeel}
      tokenFile: token
      mode: Shadow
      minNodes: 0
      minWait: 50ms
      auditEvery: 7
      replayDirectory: /var/lib/replay
      podTopologySpreadArgs:
        defaultingType: List
        defaultConstraints:
        - {maxSkew: 2, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
`)))
	if err := Validate(args); err != nil {
		t.Error(err)
	}
	want := &EvenkeelTopologySpreadArgs{
		TypeMeta:        args.TypeMeta,
		Server:          "evenkeel:7450",
		TLS:             &TLS{CAFile: "ca.crt", CertFile: "tls.crt", KeyFile: "tls.key", ServerName: "evenkeel"},
		TokenFile:       "token",
		Mode:            ModeShadow,
		MinNodes:        ptr.To(int32(0)),
		MinWait:         metav1.Duration{Duration: 50 * time.Millisecond},
		AuditEvery:      ptr.To(int32(7)),
		ReplayDirectory: "/var/lib/replay",
		PodTopologySpreadArgs: configv1.PodTopologySpreadArgs{
			DefaultingType: configv1.ListDefaulting,
			DefaultConstraints: []v1.TopologySpreadConstraint{
				{MaxSkew: 2, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule}},
		},
	}
	if !reflect.DeepEqual(args, want) {
		t.Errorf("expected %+v, found %+v", want, args)
	}
	original, err := args.Original()
	if err != nil {
		t.Fatal(err)
	}
	if original.DefaultingType != schedulerconfig.ListDefaulting || !reflect.DeepEqual(original.DefaultConstraints, want.PodTopologySpreadArgs.DefaultConstraints) {
		t.Errorf("the original gets %+v", original)
	}
	if copied := args.DeepCopyObject(); !reflect.DeepEqual(copied, args) {
		t.Errorf("the copy is %+v", copied)
	}
}

func TestArgs_withUnknownFields_areRejected(t *testing.T) {
	_, err := options.LoadConfigFromFile(klog.Background(), withArgs(t, "      server: evenkeel:7450\n      servers: 2\n"))
	if err == nil || !strings.Contains(err.Error(), `unknown field "servers"`) {
		t.Errorf("got %v", err)
	}
}

func TestValidate_namesTheField(t *testing.T) {
	for _, test := range []struct{ args, expected string }{
		{"{}", "server: Required value"},
		{"{server: 'unix:evenkeel.sock'}", "server: Invalid value: \"unix:evenkeel.sock\": the path of a socket must be absolute"},
		{"{server: 'evenkeel:7450'}", "tls: Required value: for a HOST:PORT, unless insecure is true"},
		{"{server: 'evenkeel:7450', insecure: true, tls: {}}", "insecure: Invalid value: true: contradicts tls"},
		{"{server: 'evenkeel:7450', insecure: true, tokenFile: token}", "tokenFile: Invalid value: \"token\": requires tls or a Unix socket"},
		{"{server: evenkeel}", "server: Invalid value: \"evenkeel\": must be unix:/PATH or HOST:PORT"},
		{"{server: 'evenkeel:7450', auditEvery: -1}", "auditEvery: Invalid value: -1: must be greater than or equal to 0"},
		{"{server: 'evenkeel:7450', insecure: true, minNodes: -1}", "minNodes: Invalid value: -1: must be greater than or equal to 0"},
		{"{server: 'evenkeel:7450', insecure: true, minWait: -1s}", "minWait: Invalid value: \"-1s\": must be from 0s to 1s"},
		{"{server: 'evenkeel:7450', insecure: true, minWait: 1001ms}", "minWait: Invalid value: \"1.001s\": must be from 0s to 1s"},
		{"{server: 'evenkeel:7450', mode: Both}", "mode: Unsupported value: \"Both\""},
		{"{server: 'evenkeel:7450', tls: {certFile: tls.crt}}", "certFile and keyFile must be given together"},
		{"{server: 'evenkeel:7450', podTopologySpreadArgs: {defaultingType: None}}", "podTopologySpreadArgs.defaultingType: Unsupported value"},
	} {
		args := argsOf(t, load(t, withArgs(t, "      "+test.args+"\n")))
		if err := Validate(args); err == nil || !strings.Contains(err.Error(), test.expected) {
			t.Errorf("%s: expected %q, got %v", test.args, test.expected, err)
		}
	}
	for _, args := range []string{
		"{server: 'unix:/run/evenkeel.sock', tokenFile: token}",
		"{server: '[::1]:7450', tls: {}, tokenFile: token}",
		"{server: 'evenkeel:7450', insecure: true}",
	} {
		if err := Validate(argsOf(t, load(t, withArgs(t, "      "+args+"\n")))); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

const manifest = "../../../../server/deploy/kube-scheduler.yaml"

// replayDirectory is the directory in the manifest to which different answers are written.
const replayDirectory = "/var/lib/evenkeel/replays"

func fromManifest(t *testing.T, document string, into any) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(document), into); err != nil {
		t.Fatal(err)
	}
}

func documents(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(manifest)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n---\n")
}

// The manifest of a second scheduler has the shipped plugins, another scheduler name, and shadow mode.
func TestManifest_hasTheShippedConfiguration(t *testing.T) {
	var configMap v1.ConfigMap
	fromManifest(t, documents(t)[0], &configMap)
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte(configMap.Data["config.yaml"]), 0o600); err != nil {
		t.Fatal(err)
	}
	manifest, ours := load(t, file), load(t, shippedConfig)
	if err := validation.ValidateKubeSchedulerConfiguration(manifest); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(manifest.Profiles[0].Plugins, ours.Profiles[0].Plugins) {
		t.Errorf("expected the plugins\n%+v\nfound\n%+v", ours.Profiles[0].Plugins, manifest.Profiles[0].Plugins)
	}
	want := argsOf(t, ours)
	want.Mode = ModeShadow
	want.ReplayDirectory = replayDirectory
	if got := argsOf(t, manifest); !reflect.DeepEqual(got, want) {
		t.Errorf("expected %+v, found %+v", want, got)
	}
}

// podOfManifest has the containers of the scheduler and of Evenkeel, in this order.
func podOfManifest(t *testing.T) v1.PodSpec {
	t.Helper()
	all := documents(t)
	of := slices.IndexFunc(all, func(document string) bool { return strings.Contains(document, "kind: Deployment\n") })
	if of < 0 {
		t.Fatal("no deployment")
	}
	var deployment appsv1.Deployment
	fromManifest(t, all[of], &deployment)
	return deployment.Spec.Template.Spec
}

// Evenkeel must not have the rights of the scheduler's service account.
func TestManifest_givesOnlyTheSchedulerItsToken(t *testing.T) {
	pod := podOfManifest(t)
	if mounts := pod.AutomountServiceAccountToken; mounts == nil || *mounts {
		t.Error("the token is mounted in all containers")
	}
	hasToken := func(source v1.VolumeProjection) bool { return source.ServiceAccountToken != nil }
	tokens := map[string]bool{}
	for _, volume := range pod.Volumes {
		tokens[volume.Name] = volume.Projected != nil && slices.ContainsFunc(volume.Projected.Sources, hasToken)
	}
	mounted := map[string][]string{}
	for _, container := range pod.Containers {
		for _, mount := range container.VolumeMounts {
			if tokens[mount.Name] {
				mounted[container.Name] = append(mounted[container.Name], mount.MountPath)
			}
		}
	}
	// client-go reads it there.
	want := map[string][]string{"kube-scheduler": {"/var/run/secrets/kubernetes.io/serviceaccount"}}
	if !reflect.DeepEqual(mounted, want) {
		t.Errorf("the token is mounted at %v", mounted)
	}
}

// The scheduler does not run as root, and its root file system is read-only, so it needs a volume to write to.
func TestManifest_hasAVolumeForReplays(t *testing.T) {
	pod := podOfManifest(t)
	scheduler := pod.Containers[0]
	if !*scheduler.SecurityContext.ReadOnlyRootFilesystem || !*pod.SecurityContext.RunAsNonRoot {
		t.Errorf("the scheduler has %+v, its pod %+v", scheduler.SecurityContext, pod.SecurityContext)
	}
	mounted := slices.IndexFunc(scheduler.VolumeMounts, func(mount v1.VolumeMount) bool { return mount.MountPath == replayDirectory })
	if mounted < 0 || scheduler.VolumeMounts[mounted].ReadOnly {
		t.Fatalf("no writable volume is mounted: %+v", scheduler.VolumeMounts)
	}
	volume := slices.IndexFunc(pod.Volumes, func(volume v1.Volume) bool { return volume.Name == scheduler.VolumeMounts[mounted].Name })
	if volume < 0 {
		t.Fatalf("the volume is missing: %+v", pod.Volumes)
	}
	// The pod is evicted if a volume exceeds its limit. The files may take 512 MiB.
	limit := resource.MustParse("513Mi")
	if directory := pod.Volumes[volume].EmptyDir; directory == nil || directory.SizeLimit == nil || directory.SizeLimit.Cmp(limit) < 0 {
		t.Errorf("found %+v", directory)
	}
	// An emptyDir belongs to root and to this group.
	if group := pod.SecurityContext.FSGroup; group == nil || *group == 0 {
		t.Errorf("the group is %v", group)
	}
}
