package query

import (
	"encoding/json"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTrim_dropsSecrets(t *testing.T) {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"note": "secret"}},
		Spec: v1.PodSpec{
			Containers:                []v1.Container{{Name: "main", Env: []v1.EnvVar{{Name: "PASSWORD", Value: "secret"}}}},
			InitContainers:            []v1.Container{{Name: "first", Args: []string{"secret"}}},
			TopologySpreadConstraints: []v1.TopologySpreadConstraint{{TopologyKey: "zone"}},
		},
	}
	short, err := json.Marshal(Trim(pod))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(short); strings.Contains(text, "secret") || !strings.Contains(text, `"topologyKey":"zone"`) || !strings.Contains(text, `"app":"web"`) {
		t.Errorf("the log gets %s", text)
	}
	if pod.Spec.Containers == nil {
		t.Error("the pod itself was changed")
	}
}
