// Package chart renders the Helm chart of server/deploy, as Helm does, and checks the result:
//
//	go test . [-update]
//
// testdata/objects has the objects for each file of testdata/values; -update writes them. Other tests read them.
package chart

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/yaml"
)

const chartDirectory = "../../deploy/helm"

var (
	update = flag.Bool("update", false, "write the objects")
	files  = []string{"default.yaml", "everything.yaml", "fed.yaml"}
)

// render returns the objects of the chart, sorted by template. It is an error if the values do not match the schema.
func render(t *testing.T, values map[string]any) ([]string, error) {
	t.Helper()
	chart, err := loader.LoadDir(chartDirectory)
	if err != nil {
		t.Fatal(err)
	}
	release := common.ReleaseOptions{Name: "evenkeel", Namespace: "evenkeel", Revision: 1, IsInstall: true}
	all, err := util.ToRenderValues(chart, values, release, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	templates, err := engine.Engine{Strict: true}.Render(chart, all)
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range templates {
		if strings.HasSuffix(name, ".yaml") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var objects []string
	for _, name := range names {
		for _, object := range strings.Split(templates[name], "\n---\n") {
			if object = strings.TrimSpace(object); object != "" {
				objects = append(objects, object+"\n")
			}
		}
	}
	return objects, nil
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	values := map[string]any{}
	if err := yaml.UnmarshalStrict([]byte(text), &values); err != nil {
		t.Fatal(err)
	}
	return values
}

// objects renders the chart with a file of values.
func objects(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "values", file))
	if err != nil {
		t.Fatal(err)
	}
	all, err := render(t, parse(t, string(text)))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return all
}

// kinds are the kinds of objects that a file of values renders, sorted.
func kinds(t *testing.T, file string) []string {
	t.Helper()
	var found []string
	for _, object := range objects(t, file) {
		found = append(found, parse(t, object)["kind"].(string))
	}
	slices.Sort(found)
	return found
}

func deployment(t *testing.T, file string) appsv1.Deployment {
	t.Helper()
	for _, object := range objects(t, file) {
		if strings.Contains(object, "\nkind: Deployment\n") {
			var parsed appsv1.Deployment
			if err := yaml.UnmarshalStrict([]byte(object), &parsed); err != nil {
				t.Fatal(err)
			}
			return parsed
		}
	}
	t.Fatal("there is no deployment")
	return appsv1.Deployment{}
}

func TestObjects_areThoseThatTheValuesAskFor(t *testing.T) {
	for file, expected := range map[string][]string{
		"default.yaml": {"ClusterRole", "ClusterRoleBinding", "Deployment", "NetworkPolicy",
			"PodDisruptionBudget", "Service", "ServiceAccount"},
		"fed.yaml": {"Deployment", "Service"},
		"everything.yaml": {"ClusterRole", "ClusterRole", "ClusterRoleBinding", "ClusterRoleBinding",
			"ClusterRoleBinding", "ConfigMap", "Deployment", "NetworkPolicy", "PodDisruptionBudget", "Service", "Service",
			"ServiceAccount", "ValidatingWebhookConfiguration"},
	} {
		if found := kinds(t, file); !slices.Equal(found, expected) {
			t.Errorf("%s: expected %v, found %v", file, expected, found)
		}
	}
}

func TestPod_isNotRoot_cannotWrite_andHasATokenOnlyIfItFollowsAnApiServer(t *testing.T) {
	for _, file := range files {
		pod := deployment(t, file).Spec.Template.Spec
		container := pod.Containers[0]
		follows := slices.Contains(container.Args, "--kube")
		if *pod.AutomountServiceAccountToken != follows || follows == (file == "fed.yaml") {
			t.Errorf("%s: --kube is %v, and there is a token: %v", file, follows, *pod.AutomountServiceAccountToken)
		}
		if !*pod.SecurityContext.RunAsNonRoot || !*container.SecurityContext.ReadOnlyRootFilesystem ||
			*container.SecurityContext.AllowPrivilegeEscalation || container.SecurityContext.Capabilities.Drop[0] != "ALL" {
			t.Errorf("%s: %v %v", file, pod.SecurityContext, container.SecurityContext)
		}
		if container.ReadinessProbe == nil || container.LivenessProbe == nil {
			t.Errorf("%s: a probe is missing", file)
		}
		if stop := *pod.TerminationGracePeriodSeconds; stop <= 5+20 {
			t.Errorf("%s: the pod is killed after %d s, before --lame-duck and --stop-within are over", file, stop)
		}
	}
}

// A constraint that does not count its own pods limits nothing.
func TestConstraints_countThePodsOfTheRelease(t *testing.T) {
	for _, file := range []string{"default.yaml", "everything.yaml"} {
		deployed := deployment(t, file)
		template := deployed.Spec.Template
		if len(template.Spec.TopologySpreadConstraints) == 0 {
			t.Errorf("%s: no constraint", file)
		}
		for _, constraint := range template.Spec.TopologySpreadConstraints {
			for key, value := range constraint.LabelSelector.MatchLabels {
				if template.Labels[key] != value {
					t.Errorf("%s: %s=%s is not a label of the pods", file, key, value)
				}
			}
			if len(constraint.LabelSelector.MatchLabels) == 0 {
				t.Errorf("%s: %s has no selector", file, constraint.TopologyKey)
			}
		}
	}
}

func TestValues_thatCannotWork_areRejected(t *testing.T) {
	const image = "image: {repository: registry.example/evenkeel}\n"
	for values, expected := range map[string]string{
		"{}":                                                "image.repository is required",
		image + "replica: 3":                                "'replica'",
		image + "replicas: 0":                               "/replicas",
		image + "replicas: two":                             "/replicas",
		"image: {digest: 'sha256:0'}":                       "/image/digest",
		image + "tls: {secret: ''}":                         "needs tls.secret, or insecure: true",
		image + "tls: {clientCa: false}":                    "callers must be authenticated",
		image + "access: {rules: [{may: [all]}]}":           "/access/rules/0/may/0",
		image + "insecure: true":                            "insecure excludes tls.secret",
		image + "kube: false\nprovisioningClass: a.example": "provisioningClass needs kube: true",
		image + "kubeTokens: {audience: evenkeel}":          "kubeTokens.audience needs access.rules",
	} {
		if _, err := render(t, parse(t, values)); err == nil || !strings.Contains(err.Error(), expected) {
			t.Errorf("%s: expected %q, found %v", values, expected, err)
		}
	}
}

func TestObjects_areThoseThatOtherTestsRead(t *testing.T) {
	for _, file := range files {
		kept := filepath.Join("testdata", "objects", file)
		text := strings.Join(objects(t, file), "---\n")
		if *update {
			if err := os.WriteFile(kept, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if found, err := os.ReadFile(kept); err != nil || string(found) != text {
			t.Errorf("%s differs (run go test . -update): %v", kept, err)
		}
	}
}
