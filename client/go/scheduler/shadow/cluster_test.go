package shadow

import (
	"maps"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func unbound(name, uid string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(uid)}}
}

// A StatefulSet reuses the name of a deleted pod, so the assumption about the first one no longer counts.
func TestCluster_countsAssumedPodsByUIDAndNotByName(t *testing.T) {
	states := map[evenkeelv1.ObjectKind]*state{
		evenkeelv1.ObjectKind_OBJECT_KIND_NODE: {objects: map[string]metav1.Object{"/one": node("one", 1)}},
		evenkeelv1.ObjectKind_OBJECT_KIND_POD: {
			objects: map[string]metav1.Object{"shop/web-0": unbound("web-0", "second"), "shop/web-1": unbound("web-1", "there")},
			later:   map[types.UID]bool{"later": true},
		},
	}
	assumed := map[string]*evenkeelv1.AssumedPod{}
	for uid, name := range map[string]string{"first": "web-0", "there": "web-1", "later": "web-2", "gone": "web-2"} {
		assumed[uid] = &evenkeelv1.AssumedPod{
			Pod: &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Name: name, Uid: uid}}, Node: "one"}
	}
	counted := map[types.UID]bool{}
	for _, pod := range newCluster(states, assumed, "shop").Pods {
		counted[pod.UID] = true
	}
	if len(counted) != 2 || !counted["there"] || !counted["later"] {
		t.Errorf("%v are counted", counted)
	}
}

// Evenkeel counts an assumed pod with the labels that its watch has shown, and a terminating pod not at all.
func TestCluster_countsAssumedPodsWithTheirLatestLabels(t *testing.T) {
	changed, deleted := unbound("changed", "changed"), unbound("deleted", "deleted")
	changed.Labels = map[string]string{"app": "db"}
	deleted.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	states := map[evenkeelv1.ObjectKind]*state{
		evenkeelv1.ObjectKind_OBJECT_KIND_NODE: {objects: map[string]metav1.Object{"/one": node("one", 1)}},
		evenkeelv1.ObjectKind_OBJECT_KIND_POD: {
			objects: map[string]metav1.Object{"shop/changed": changed, "shop/deleted": deleted},
			later:   map[types.UID]bool{"later": true},
		},
	}
	assumed := map[string]*evenkeelv1.AssumedPod{}
	for _, name := range []string{"changed", "deleted", "later"} {
		assumed[name] = &evenkeelv1.AssumedPod{
			Pod: &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{
				Namespace: "shop", Name: name, Uid: name, Labels: map[string]string{"app": "web"}}},
			Node: "one",
		}
	}
	counted := map[types.UID]string{}
	for _, pod := range newCluster(states, assumed, "shop").Pods {
		counted[pod.UID] = pod.Labels["app"]
	}
	if expected := map[types.UID]string{"changed": "db", "later": "web"}; !maps.Equal(counted, expected) {
		t.Errorf("expected %v, counted %v", expected, counted)
	}
}
