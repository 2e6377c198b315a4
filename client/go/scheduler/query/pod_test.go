package query

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestReduced_dropsSecrets(t *testing.T) {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", Labels: map[string]string{"app": "web"}, Annotations: map[string]string{"note": "secret"}},
		Spec: v1.PodSpec{
			Containers:                []v1.Container{{Name: "main", Env: []v1.EnvVar{{Name: "PASSWORD", Value: "secret"}}}},
			InitContainers:            []v1.Container{{Name: "first", Args: []string{"secret"}}},
			TopologySpreadConstraints: []v1.TopologySpreadConstraint{{TopologyKey: "zone"}},
		},
	}
	short, err := json.Marshal(Reduced(pod))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(short); strings.Contains(text, "secret") || !strings.Contains(text, `"topologyKey":"zone"`) || !strings.Contains(text, `"app":"web"`) {
		t.Errorf("Evenkeel gets %s", text)
	}
	if pod.Spec.Containers == nil {
		t.Error("the pod itself was changed")
	}
}

// A pod in which everything that is sent has all its fields: none of them may be one that Evenkeel does not know.
func TestDecode_knowsAllFields(t *testing.T) {
	pod := &v1.Pod{}
	fill(reflect.ValueOf(&pod.Spec.Tolerations).Elem())
	fill(reflect.ValueOf(&pod.Spec.TopologySpreadConstraints).Elem())
	pod.Spec.Affinity = &v1.Affinity{}
	fill(reflect.ValueOf(&pod.Spec.Affinity.NodeAffinity).Elem())
	message, err := toProto(pod)
	if err != nil {
		t.Fatal(err)
	}
	if got := message.Spec.TopologySpreadConstraints[0].GetMinDomains(); got == 0 {
		t.Error("the fields were not filled")
	}
}

// A newer version of Kubernetes adds a field to a constraint.
func TestDecode_rejectsOtherFields(t *testing.T) {
	pod := &v1.Pod{Spec: v1.PodSpec{TopologySpreadConstraints: []v1.TopologySpreadConstraint{{TopologyKey: "zone"}}}}
	message, err := toProto(pod)
	if err != nil {
		t.Fatal(err)
	}
	future := protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1)
	message.Spec.TopologySpreadConstraints[0].ProtoReflect().SetUnknown(future)
	bytes, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	_, err = decode(bytes)
	if err == nil || !strings.Contains(err.Error(), "topologySpreadConstraints[0]") && !strings.Contains(err.Error(), "topology_spread_constraints[0]") {
		t.Errorf("got %v", err)
	}
}

// fill sets a value, and all that it contains, to something that is not empty.
func fill(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(value.Elem())
	case reflect.Struct:
		for i := range value.NumField() {
			fill(value.Field(i))
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 1, 1))
		fill(value.Index(0))
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		key, element := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		fill(key)
		fill(element)
		value.SetMapIndex(key, element)
	case reflect.String:
		value.SetString("a")
	case reflect.Bool:
		value.SetBool(true)
	default:
		value.SetInt(1)
	}
}
