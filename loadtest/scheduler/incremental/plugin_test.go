package incremental

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"

	"evenkeel.io/client/go/scheduler/original"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/utils/lru"
)

// answers are everything that a plugin returns in a cycle, in the order of the calls.
type answers struct {
	texts    []string
	verdicts int
}

func (a *answers) status(call, node string, status *fwk.Status) *fwk.Status {
	if call == "Filter" {
		a.verdicts++
	}
	a.texts = append(a.texts, fmt.Sprint(call, " ", node, " ", status.Code(), " ", status.Message()))
	return status
}

// cycle is one scheduling cycle of a pod.
type cycle struct {
	pod     *v1.Pod
	ofGroup bool
	// Nodes that another plugin rejects.
	rejected map[string]bool
	// Pods that are added to a node and removed again in a clone of the state, after its own pods were removed.
	added map[string]fwk.PodInfo
}

func (w *world) newCycle() cycle {
	c := cycle{pod: w.newPod(), ofGroup: w.oneIn(20), rejected: map[string]bool{}, added: map[string]fwk.PodInfo{}}
	for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
		c.rejected[name] = w.oneIn(4)
		if w.oneIn(4) {
			info, err := framework.NewPodInfo(w.newPod())
			w.must(err)
			c.added[name] = info
		}
	}
	return c
}

// run calls a plugin like the framework does.
func (c *cycle) run(w *world, plugin original.Plugin, nodes []fwk.NodeInfo) answers {
	ctx, state, said := w.tb.Context(), framework.NewCycleState(), answers{}
	if c.ofGroup {
		state.SetPodGroupSchedulingCycle(framework.NewCycleState())
	}
	_, preFilter := plugin.PreFilter(ctx, state, c.pod, nodes)
	said.status("PreFilter", "", preFilter)
	if preFilter.Code() == fwk.Error {
		return said
	}
	var left []fwk.NodeInfo
	for _, node := range nodes {
		name := node.Node().Name
		if !preFilter.IsSkip() {
			status := said.status("Filter", name, plugin.Filter(ctx, state, c.pod, node))
			c.whatIf(w, plugin, state.Clone(), node, nodes[0], &said)
			if !status.IsSuccess() {
				continue
			}
		}
		if !c.rejected[name] {
			left = append(left, node)
		}
	}
	if len(left) == 0 || !said.status("PreScore", "", plugin.PreScore(ctx, state, c.pod, left)).IsSuccess() {
		return said
	}
	scores := make(fwk.NodeScoreList, len(left))
	for i, node := range left {
		score, status := plugin.Score(ctx, state, c.pod, node)
		said.status("Score", node.Node().Name, status)
		scores[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	said.status("NormalizeScore", "", plugin.NormalizeScore(ctx, state, c.pod, scores))
	said.texts = append(said.texts, fmt.Sprint(scores))
	return said
}

// whatIf removes all pods of a node and adds half of them again, like preemption, with a pod nominated for the node.
// Another node is judged, too.
func (c *cycle) whatIf(w *world, plugin original.Plugin, state fwk.CycleState, node, other fwk.NodeInfo, said *answers) {
	ctx, name, added := w.tb.Context(), node.Node().Name, c.added[node.Node().Name]
	if added == nil {
		return
	}
	filter := func() {
		said.status("Filter", name, plugin.Filter(ctx, state.Clone(), c.pod, node))
		said.status("Filter", other.Node().Name, plugin.Filter(ctx, state, c.pod, other))
	}
	for _, pod := range node.GetPods() {
		said.status("RemovePod", name, plugin.RemovePod(ctx, state, c.pod, pod, node))
		filter()
	}
	said.status("AddPod", name, plugin.AddPod(ctx, state, c.pod, added, node))
	filter()
	for i, pod := range node.GetPods() {
		if i%2 == 0 {
			said.status("AddPod", name, plugin.AddPod(ctx, state, c.pod, pod, node))
			filter()
		}
	}
}

// compare runs a cycle with both plugins, and assumes the pod on a node. It returns how many verdicts were equal.
func (w *world) compare() int {
	w.tb.Helper()
	nodes, c := w.infos(), w.newCycle()
	if c.ofGroup {
		// Another pod of the group is placed in the snapshot only, which the generations do not show.
		node, _ := anyOf(w, w.nodes)
		pod := w.newPod()
		pod.Spec.NodeName = node.Name
		info, err := framework.NewPodInfo(pod)
		w.must(err)
		w.must(w.snapshot.AssumePod(info))
		defer func() { w.must(w.snapshot.ForgetPod(logger, pod)) }()
	}
	want, got := c.run(w, w.stock, nodes), c.run(w, w.plugin, nodes)
	if !reflect.DeepEqual(want, got) {
		for i := range want.texts {
			if i >= len(got.texts) || want.texts[i] != got.texts[i] {
				w.tb.Fatalf("%+v\nthe stock plugin says\n%v\nthe plugin says\n%v", c.pod, want.texts[i], got.texts[i:min(i+1, len(got.texts))])
			}
		}
		w.tb.Fatalf("%+v: the plugin also says %v", c.pod, got.texts[len(want.texts):])
	}
	if node, found := anyOf(w, w.nodes); found && w.oneIn(2) {
		w.assume(c.pod, node.Name)
	}
	return want.verdicts
}

const listOfDefaults = `{"defaultingType": "List", "defaultConstraints": [
	{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule"},
	{"maxSkew": 2, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"},
	{"maxSkew": 1, "topologyKey": "pool", "whenUnsatisfiable": "ScheduleAnyway"}]}`

// After any changes, each status and score is equal to the stock plugin's.
func TestPlugin_answersLikeTheStockPlugin(t *testing.T) {
	list := config.PodTopologySpreadArgs{DefaultingType: config.ListDefaulting, DefaultConstraints: []v1.TopologySpreadConstraint{
		{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule},
		{MaxSkew: 2, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway},
		{MaxSkew: 1, TopologyKey: "pool", WhenUnsatisfiable: v1.ScheduleAnyway}}}
	for name, profile := range map[string]struct {
		arguments string
		args      config.PodTopologySpreadArgs
	}{
		"system": {"", config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting}},
		"list":   {listOfDefaults, list},
		"none":   {`{"defaultingType": "List"}`, config.PodTopologySpreadArgs{DefaultingType: config.ListDefaulting}},
	} {
		verdicts := 0
		for seed := range int64(6) {
			w := newWorld(t, seed, profile.arguments, profile.args)
			if seed%2 == 1 {
				w.plugin.index.pods, w.plugin.index.domains = lru.New(2), lru.New(1)
			}
			for range 15 {
				w.putNode()
			}
			for range 200 {
				for range w.random.Intn(6) {
					w.change()
				}
				verdicts += w.compare()
			}
		}
		t.Logf("defaults %s: %d equal verdicts", name, verdicts)
		if verdicts < 20_000 {
			t.Errorf("defaults %s: only %d verdicts were compared", name, verdicts)
		}
	}
}

func TestIndex_forgetsLabelValues(t *testing.T) {
	w := newWorld(t, 1, "", config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting})
	for range 2000 {
		w.putNode()
		w.plugin.index.update(w.infos())
		if ids := len(w.plugin.index.domainsOf("rack").ids); ids > 200 {
			t.Fatalf("%d nodes have %d domains", len(w.nodes), ids)
		}
	}
}

func TestNew_refusesWrongArguments(t *testing.T) {
	w := newWorld(t, 1, "", config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting})
	for _, arguments := range []string{`{`, `{"defaultingType": "Other"}`, `{"defaultConstraints": [{"maxSkew": 1}]}`} {
		if _, err := New(t.Context(), &runtime.Unknown{Raw: []byte(arguments)}, w.handle); err == nil {
			t.Errorf("%s is accepted", arguments)
		}
	}
}
