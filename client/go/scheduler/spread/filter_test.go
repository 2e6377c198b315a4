package spread

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// A pod of another namespace, nominated or evicted, cannot change the verdicts.
func TestAddAndRemovePod_keepEvenkeelsVerdicts_ifThePodIsInAnotherNamespace(t *testing.T) {
	snapshot := internalcache.NewSnapshot(nil, []*v1.Node{aheadNode("a", "4"), aheadNode("b", "4")})
	plugin := newTestPlugin(t, &aheadEvenkeel{passed: onlyB}, longDeadlineArgs(), snapshot)
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	pod, state := incoming(), framework.NewCycleState()
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	other := aheadPod("other", "web", "", 100)
	other.Namespace = "lab"
	info, err := framework.NewPodInfo(other)
	if err != nil {
		t.Fatal(err)
	}
	before := counted(t, sourceOriginal, string(changedState))
	for _, node := range nodes {
		clone := state.Clone()
		if status := plugin.AddPod(t.Context(), clone, pod, info, node); !status.IsSuccess() {
			t.Fatal(status)
		}
		if status := plugin.RemovePod(t.Context(), clone, pod, info, node); !status.IsSuccess() {
			t.Fatal(status)
		}
		if passed := plugin.Filter(t.Context(), clone, pod, node).IsSuccess(); passed != (node.Node().Name == "b") {
			t.Errorf("node %s passed: %t", node.Node().Name, passed)
		}
	}
	if recounts := counted(t, sourceOriginal, string(changedState)) - before; recounts != 0 {
		t.Errorf("the original counted %d times", recounts)
	}
}

// Default constraints apply only to pods with a service or controller that has a selector.
func TestPreFilter_queriesNothing_withoutConstraintsAndOwners(t *testing.T) {
	args := longDeadlineArgs()
	args.PodTopologySpreadArgs = configv1.PodTopologySpreadArgs{
		DefaultingType: configv1.ListDefaulting,
		DefaultConstraints: []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule},
			{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway},
		},
	}
	snapshot := internalcache.NewSnapshot(nil, []*v1.Node{aheadNode("a", "4"), aheadNode("b", "4")})
	evenkeel := &aheadEvenkeel{passed: onlyB}
	plugin := newTestPlugin(t, evenkeel, args, snapshot)
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	pod := aheadPod("single", "web", "", 0)
	state := framework.NewCycleState()
	if _, status := plugin.PreFilter(t.Context(), state, pod, nodes); !status.IsSkip() {
		t.Errorf("PreFilter returned %v", status)
	}
	if status := plugin.PreScore(t.Context(), state, pod, nodes); !status.IsSkip() {
		t.Errorf("PreScore returned %v", status)
	}
	if queries := evenkeel.queries.Load(); queries != 0 {
		t.Errorf("%d queries", queries)
	}
	services := plugin.handle.SharedInformerFactory().Core().V1().Services().Informer()
	if err := services.GetIndexer().Add(&v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"},
		Spec: v1.ServiceSpec{Selector: map[string]string{"app": "web"}}}); err != nil {
		t.Fatal(err)
	}
	if _, status := plugin.PreFilter(t.Context(), framework.NewCycleState(), pod, nodes); !status.IsSuccess() {
		t.Errorf("PreFilter returned %v", status)
	}
	if queries := evenkeel.queries.Load(); queries != 1 {
		t.Errorf("%d queries with a service", queries)
	}
}

// In Kubernetes 1.37, such a pod is scheduled together with its group.
func TestPreFilter_usesTheOriginal_ifThePodIsInASchedulingGroup(t *testing.T) {
	snapshot := internalcache.NewSnapshot(nil, []*v1.Node{aheadNode("a", "4"), aheadNode("b", "4")})
	evenkeel := &aheadEvenkeel{passed: onlyB}
	plugin := newTestPlugin(t, evenkeel, longDeadlineArgs(), snapshot)
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		t.Fatal(err)
	}
	pod := incoming()
	group := "training"
	pod.Spec.SchedulingGroup = &v1.PodSchedulingGroup{PodGroupName: &group}
	before := counted(t, sourceOriginal, string(podGroup))
	if _, status := plugin.PreFilter(t.Context(), framework.NewCycleState(), pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	if fallbacks := counted(t, sourceOriginal, string(podGroup)) - before; fallbacks != 1 || evenkeel.queries.Load() != 0 {
		t.Errorf("the original answered %d times, and there were %d queries", fallbacks, evenkeel.queries.Load())
	}
}
