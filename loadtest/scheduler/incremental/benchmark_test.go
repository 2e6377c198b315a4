package incremental

import (
	"fmt"
	"testing"

	"evenkeel.io/client/go/scheduler/original"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

const (
	nodesOfBenchmark = 5_000
	podsOfBenchmark  = 100_000
	apps             = 50
	// As many feasible nodes as kube-scheduler looks for among 5,000.
	filtered = 500
)

func podOf(app, number int, action v1.UnsatisfiableConstraintAction) *v1.Pod {
	name, labels := fmt.Sprint("pod-", number), map[string]string{"app": fmt.Sprint("app-", app)}
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name), Labels: labels}}
	for _, key := range []string{v1.LabelTopologyZone, v1.LabelHostname} {
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, v1.TopologySpreadConstraint{
			MaxSkew: 2, TopologyKey: key, WhenUnsatisfiable: action, LabelSelector: &metav1.LabelSelector{MatchLabels: labels}})
	}
	return pod
}

// BenchmarkPlugin shows what the calls of a scheduling cycle take after the pod of the cycle before was assumed.
func BenchmarkPlugin(b *testing.B) {
	w := newWorld(b, 1, "", config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting})
	for i := range nodesOfBenchmark {
		name := fmt.Sprintf("node-%04d", i)
		w.cache.AddNode(logger, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name),
			Labels: map[string]string{v1.LabelHostname: name, v1.LabelTopologyZone: fmt.Sprint("zone-", i%3)}}})
	}
	assume := func(app, node int, action v1.UnsatisfiableConstraintAction) {
		w.made++
		w.assume(podOf(app, w.made, action), fmt.Sprintf("node-%04d", node%nodesOfBenchmark))
	}
	for i := range podsOfBenchmark {
		assume(w.random.Intn(apps), i, v1.DoNotSchedule)
	}
	for _, action := range []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway} {
		for name, plugin := range map[string]original.Plugin{"stock": w.stock, "incremental": w.plugin} {
			b.Run(fmt.Sprint(action, "/", name), func(b *testing.B) {
				for app := range apps {
					w.callAll(plugin, podOf(app, 0, action), w.infos())
				}
				app := 0
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					assume(app%apps, w.random.Intn(nodesOfBenchmark), action)
					app++
					nodes, pod := w.infos(), podOf(app%apps, 0, action)
					b.StartTimer()
					w.callAll(plugin, pod, nodes)
				}
			})
		}
	}
}

// callAll makes the calls of one cycle.
func (w *world) callAll(plugin original.Plugin, pod *v1.Pod, nodes []fwk.NodeInfo) {
	ctx, state, some := w.tb.Context(), framework.NewCycleState(), nodes[:filtered]
	if _, status := plugin.PreFilter(ctx, state, pod, nodes); !status.IsSkip() {
		for _, node := range some {
			plugin.Filter(ctx, state, pod, node)
		}
	}
	if status := plugin.PreScore(ctx, state, pod, some); status.IsSkip() {
		return
	}
	scores := make(fwk.NodeScoreList, len(some))
	for i, node := range some {
		scores[i].Score, _ = plugin.Score(ctx, state, pod, node)
	}
	plugin.NormalizeScore(ctx, state, pod, scores)
}
