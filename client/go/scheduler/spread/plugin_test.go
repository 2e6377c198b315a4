package spread

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/query"
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/component-base/metrics/testutil"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread"
)

// counted returns how many cycles of all plugins had this source and reason, with the last cycle of this plugin.
func counted(t *testing.T, plugin *Plugin, source, reason string) int {
	t.Helper()
	plugin.scheduler.finishLastCycle(context.Background())
	value, err := testutil.GetCounterMetricValue(cycles.WithLabelValues("", source, reason))
	if err != nil {
		t.Fatal(err)
	}
	return int(value)
}

// queried counts the cycles in which Evenkeel answered, if pods were added or removed hypothetically or not.
func queried(t *testing.T, plugin *Plugin) int {
	t.Helper()
	return counted(t, plugin, sourceEvenkeel, "") + counted(t, plugin, sourceOriginal, string(changedState))
}

// failures counts the cycles in which the original answered because Evenkeel did not.
func failures(t *testing.T, plugin *Plugin) (sum int) {
	t.Helper()
	for _, reason := range []query.Reason{query.Deadline, query.Paused, query.Unavailable, query.ObjectRefused, query.PodRefused, query.GivenUp} {
		sum += counted(t, plugin, sourceOriginal, string(reason))
	}
	return sum
}

func TestPlugin_answersLikeTheOriginal_inChangingClusters(t *testing.T) {
	w := newWorld(t, 1, &config.EvenkeelTopologySpreadArgs{})
	w.untilAnswered()
	before, failed := queried(t, w.plugin), failures(t, w.plugin)
	for range 400 {
		w.change()
		w.compare()
	}
	if count := queried(t, w.plugin) - before; count < 300 {
		t.Errorf("Evenkeel answered only %d times", count)
	}
	if originalCount := failures(t, w.plugin) - failed; originalCount > 0 {
		t.Errorf("%d times the original answered", originalCount)
	}
}

func TestPlugin_usesTheDefaultConstraintsOfItsArguments(t *testing.T) {
	w := newWorld(t, 2, &config.EvenkeelTopologySpreadArgs{PodTopologySpreadArgs: configv1.PodTopologySpreadArgs{
		DefaultingType: configv1.ListDefaulting,
		DefaultConstraints: []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule},
			{MaxSkew: 2, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway},
		},
	}})
	w.untilAnswered()
	before := queried(t, w.plugin)
	for cycle := range 150 {
		if cycle == 75 {
			w.addController("web")
		}
		w.change()
		w.compare()
	}
	if count := queried(t, w.plugin) - before; count < 100 {
		t.Errorf("Evenkeel answered only %d times", count)
	}
}

// After Evenkeel was killed and restarted, it gets the whole snapshot, and is asked again soon.
func TestPlugin_survivesRestarts(t *testing.T) {
	w := newWorld(t, 3, &config.EvenkeelTopologySpreadArgs{})
	for range 3 {
		w.untilAnswered()
		for range 30 {
			w.change()
			w.compare()
		}
		w.server.kill()
		away := counted(t, w.plugin, sourceOriginal, string(query.Unavailable))
		for range 20 {
			w.change()
			w.compare()
		}
		if counted(t, w.plugin, sourceOriginal, string(query.Unavailable)) == away {
			t.Fatal("the original has not answered")
		}
		w.server.start()
	}
	w.untilAnswered()
}

// A server that restarts between two cycles has lost everything, and no call has failed yet.
func TestPlugin_sendsEverythingToARestartedServer(t *testing.T) {
	w := newWorld(t, 4, &config.EvenkeelTopologySpreadArgs{})
	for range 20 {
		w.bind()
	}
	w.untilAnswered()
	w.server.kill()
	w.server.start()
	for range 20 {
		w.compare()
	}
	w.untilAnswered()
	response, err := w.server.state.GetStatus(w.ctx, &evenkeelv1.GetStatusRequest{})
	w.must(err)
	if int(response.PodCount) != len(w.bound)+len(w.assumed) || int(response.NodeCount) != len(w.nodes) {
		t.Errorf("there are %d nodes and %d pods, Evenkeel has %d and %d", len(w.nodes), len(w.bound)+len(w.assumed),
			response.NodeCount, response.PodCount)
	}
}

// Profiles share the snapshot, and so what was sent of it. A profile with another server does not change that.
func TestPlugin_countsPodsOfOtherProfiles(t *testing.T) {
	w := newWorld(t, 8, &config.EvenkeelTopologySpreadArgs{})
	w.untilAnswered()
	same := &config.EvenkeelTopologySpreadArgs{Server: w.args.Server, Insecure: true, MinNodes: w.args.MinNodes}
	config.SetDefaults(same)
	away := &config.EvenkeelTopologySpreadArgs{Server: "127.0.0.1:1", Insecure: true} // Nothing listens there.
	config.SetDefaults(away)
	profiles := []*Plugin{w.plugin, w.addProfile(same), w.addProfile(away)}
	before := queried(t, w.plugin)
	for i := range 100 {
		w.plugin = profiles[i%3]
		w.change()
		w.compare()
	}
	if count := queried(t, w.plugin) - before; count < 50 {
		t.Errorf("Evenkeel answered only %d times", count)
	}
}

// The assumed pods of a scheduler that lost its lease are not counted by the next one.
func TestPlugin_takesOverFromAnEarlierScheduler(t *testing.T) {
	w := newWorld(t, 9, &config.EvenkeelTopologySpreadArgs{})
	for range 20 {
		w.bind()
		w.reserve(w.newPod(), w.anyNode())
	}
	w.untilAnswered()
	w.restartScheduler()
	w.untilAnswered()
	for range 30 {
		w.compare()
	}
}

// In the cycle of a pod group, the snapshot contains pods of the group that are taken out in the end.
// Their generations do not show that.
func TestPlugin_doesNotUseEvenkeelInCyclesOfPodGroups(t *testing.T) {
	w := newWorld(t, 10, &config.EvenkeelTopologySpreadArgs{})
	w.untilAnswered()
	for range 20 {
		w.change()
		w.compare()
	}
	for range 10 {
		w.ofGroup = true
		before := counted(t, w.plugin, sourceEvenkeel, "")
		w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
		var group []*v1.Pod
		for range 4 {
			pod := w.newPod()
			want, got := w.cycle(w.original, pod, nil, nil), w.cycle(w.plugin, pod, nil, nil)
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Fatalf("pod %+v\nthe original says\n%v\nthe plugin says\n%v", pod, want, got)
			}
			pod.Spec.NodeName = w.anyNode()
			info, err := framework.NewPodInfo(pod)
			w.must(err)
			w.must(w.snapshot.AssumePod(info))
			group = append(group, pod)
		}
		if counted(t, w.plugin, sourceEvenkeel, "") != before {
			t.Error("Evenkeel was queried")
		}
		// Some of the pods stay: they are assumed one by one.
		for i, pod := range group {
			w.must(w.snapshot.ForgetPod(logger, pod))
			if i%2 == 0 {
				w.reserve(pod, pod.Spec.NodeName)
			}
		}
		w.ofGroup = false
		w.change()
		w.compare()
	}
}

// The framework modifies statuses from several goroutines.
func TestStatusOf_returnsSeparateStatuses(t *testing.T) {
	for code, want := range map[evenkeelv1.NodeCode]string{
		evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE: "Unschedulable [" + podtopologyspread.ErrReasonConstraintsNotMatch + "]",
		evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE: "UnschedulableAndUnresolvable [" +
			podtopologyspread.ErrReasonNodeLabelNotMatch + "]",
	} {
		first, second := statusOf(code), statusOf(code)
		first.SetPlugin("first")
		first.AppendReason("of the first")
		second.AppendReason("of the second")
		if first.Reasons()[1] != "of the first" || second.Reasons()[1] != "of the second" || second.Plugin() != "" {
			t.Errorf("%v and %v share something", first, second)
		}
		if third := statusOf(code); statusText(third) != want || third.Plugin() != "" {
			t.Errorf("%s expected, found %s of %q", want, statusText(third), third.Plugin())
		}
		if made := testing.AllocsPerRun(100, func() { kept = statusOf(code) }); made > 1 {
			t.Errorf("%v allocations for each node", made)
		}
	}
}

var kept *fwk.Status

// A server that hangs keeps its connections open, so no call fails at once.
func TestPlugin_survivesAServerThatHangs(t *testing.T) {
	w := newWorld(t, 14, &config.EvenkeelTopologySpreadArgs{})
	for range 10 {
		w.bind()
	}
	w.untilAnswered()
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = append(onePerHost(), onePerHost()...)
	pod.Spec.TopologySpreadConstraints[1].WhenUnsatisfiable = v1.ScheduleAnyway
	want := w.cycle(w.original, pod, nil, nil)
	cycle := func() {
		began := time.Now()
		got := w.cycle(w.plugin, pod, nil, nil)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("a cycle took %v", took)
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
		}
	}

	w.server.hang()
	w.plugin.minWait = 50 * time.Millisecond
	late, paused := counted(t, w.plugin, sourceOriginal, string(query.Deadline)), counted(t, w.plugin, sourceOriginal, string(query.Paused))
	for counted(t, w.plugin, sourceOriginal, string(query.Paused)) == paused {
		cycle()
	}
	if gaveUp := counted(t, w.plugin, sourceOriginal, string(query.Deadline)) - late; gaveUp < 1 || gaveUp > 3 {
		t.Errorf("%d answers were late", gaveUp)
	}

	w.server.resume()
	w.plugin.minWait = 10 * time.Second
	w.untilAnswered()
}

// Another program changes the nodes of Evenkeel. The original answers until Evenkeel has the whole snapshot again.
func TestPlugin_sendsEverythingAgain_ifEvenkeelHasOtherNodes(t *testing.T) {
	for name, typ := range map[string]evenkeelv1.ClusterEvent_Type{
		"one more": evenkeelv1.ClusterEvent_TYPE_ADDED, "one less": evenkeelv1.ClusterEvent_TYPE_DELETED} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 8, &config.EvenkeelTopologySpreadArgs{})
			for range 40 {
				w.bind()
			}
			w.untilAnswered()
			changed := &evenkeelv1.ObjectMeta{Name: "other", Uid: "other"}
			if typ == evenkeelv1.ClusterEvent_TYPE_DELETED {
				node := w.nodes[w.anyNode()]
				changed = &evenkeelv1.ObjectMeta{Name: node.Name, Uid: string(node.UID)}
			}
			_, err := w.server.state.Apply(w.ctx, &evenkeelv1.ApplyRequest{Events: []*evenkeelv1.ClusterEvent{{Type: typ, Object: &evenkeelv1.ClusterObject{
				Object: &evenkeelv1.ClusterObject_Node{Node: &evenkeelv1.Node{Metadata: changed}}}}}})
			w.must(err)
			unavailable := counted(t, w.plugin, sourceOriginal, string(query.Unavailable))
			pod := w.newPod()
			pod.Spec.TopologySpreadConstraints = onePerHost()
			want, got := w.cycle(w.original, pod, nil, nil), w.cycle(w.plugin, pod, nil, nil)
			if fmt.Sprint(want) != fmt.Sprint(got) {
				t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
			}
			if originals := counted(t, w.plugin, sourceOriginal, string(query.Unavailable)) - unavailable; originals != 1 {
				t.Errorf("the original answered in %d cycles", originals)
			}
			w.untilAnswered()
			response, err := w.server.state.GetStatus(w.ctx, &evenkeelv1.GetStatusRequest{})
			w.must(err)
			if int(response.NodeCount) != len(w.nodes) {
				t.Errorf("there are %d nodes, and Evenkeel has %d", len(w.nodes), response.NodeCount)
			}
		})
	}
}

func TestPlugin_usesTheOriginal_ifAFeatureGateIsOff(t *testing.T) {
	w := newWorld(t, 9, &config.EvenkeelTopologySpreadArgs{})
	for range 20 {
		w.bind()
	}
	w.untilAnswered()
	ignore := v1.NodeInclusionPolicyIgnore
	withPolicy, withKeys := onePerHost(), onePerHost()
	withPolicy[0].NodeAffinityPolicy = &ignore
	withKeys[0].MatchLabelKeys = []string{"app"}
	tolerating := w.newPod()
	tolerating.Spec.TopologySpreadConstraints = onePerHost()
	tolerating.Spec.Tolerations = []v1.Toleration{{Key: "only", Operator: v1.TolerationOpGt, Value: "1"}}
	podWith := func(constraints []v1.TopologySpreadConstraint) *v1.Pod {
		pod := w.newPod()
		pod.Spec.Tolerations = nil
		pod.Spec.TopologySpreadConstraints = constraints
		return pod
	}
	all := feature.Features{EnableNodeInclusionPolicyInPodTopologySpread: true,
		EnableMatchLabelKeysInPodTopologySpread: true, EnableTaintTolerationComparisonOperators: true}
	noPolicies, noKeys, noOperators := all, all, all
	noPolicies.EnableNodeInclusionPolicyInPodTopologySpread = false
	noKeys.EnableMatchLabelKeysInPodTopologySpread = false
	noOperators.EnableTaintTolerationComparisonOperators = false
	for _, c := range []struct {
		features feature.Features
		pod      *v1.Pod
		original int
	}{
		{noPolicies, podWith(withPolicy), 1},
		{noKeys, podWith(withKeys), 1},
		{noOperators, tolerating, 1},
		{noPolicies, podWith(withKeys), 0},
		{noKeys, podWith(onePerHost()), 0},
		{noOperators, podWith(withPolicy), 0},
		{all, podWith(withPolicy), 0},
		{all, podWith(withKeys), 0},
		{all, tolerating, 0},
	} {
		w.plugin.features = c.features
		evenkeels, originals := counted(t, w.plugin, sourceEvenkeel, ""), counted(t, w.plugin, sourceOriginal, "feature_gate")
		want, got := w.cycle(w.original, c.pod, nil, nil), w.cycle(w.plugin, c.pod, nil, nil)
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
		}
		if originalCount := counted(t, w.plugin, sourceOriginal, "feature_gate") - originals; originalCount != c.original {
			t.Errorf("with %+v the original judged %v %d times", c.features, c.pod.Spec, originalCount)
		}
		if queried := counted(t, w.plugin, sourceEvenkeel, "") - evenkeels; queried != 1-c.original {
			t.Errorf("with %+v Evenkeel judged %v %d times", c.features, c.pod.Spec, queried)
		}
	}
}

func onePerHost() []v1.TopologySpreadConstraint {
	return []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
}

// A cycle is counted and its duration is recorded when the next one begins.
func TestPlugin_countsAndMeasuresCycles(t *testing.T) {
	w := newWorld(t, 10, &config.EvenkeelTopologySpreadArgs{})
	w.untilAnswered()
	nodes, err := w.snapshot.NodeInfos().List()
	w.must(err)
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	measured := func() (cycles, recorded int, seconds float64) {
		cycles = counted(t, w.plugin, sourceEvenkeel, "")
		sum, err := testutil.GetHistogramMetricValue(cycleDuration.WithLabelValues("", sourceEvenkeel))
		w.must(err)
		count, err := testutil.GetHistogramMetricCount(cycleDuration.WithLabelValues("", sourceEvenkeel))
		w.must(err)
		return cycles, int(count), sum
	}
	total, count, seconds := measured()
	began := time.Now()
	for range 3 {
		state := framework.NewCycleState()
		if _, status := w.plugin.PreFilter(w.ctx, state, pod, nodes); !status.IsSuccess() {
			t.Fatal(status)
		}
		if status := w.plugin.Filter(w.ctx, state, pod, nodes[0]); !status.IsSuccess() {
			t.Fatal(status)
		}
	}
	took := time.Since(began)
	totals, counts, secondsNow := measured()
	if totals-total != 3 || counts-count != 3 {
		t.Errorf("%d cycles were counted and %d were measured, expected 3", totals-total, counts-count)
	}
	if added := secondsNow - seconds; added <= 0 || added > took.Seconds() {
		t.Errorf("the plugin recorded %v s, all cycles took %v", added, took)
	}
	// Nothing is asked if no node is left.
	soft := w.newPod()
	soft.Spec.TopologySpreadConstraints = onePerHost()
	soft.Spec.TopologySpreadConstraints[0].WhenUnsatisfiable = v1.ScheduleAnyway
	if _, status := w.plugin.PreFilter(w.ctx, framework.NewCycleState(), soft, nodes); !status.IsSkip() {
		t.Fatal(status)
	}
	if again, _, _ := measured(); again != totals {
		t.Errorf("%d cycles without an answer were counted", again-totals)
	}
}

func TestPlugin_hasTheOriginalsEventsAndSignatures(t *testing.T) {
	w := newWorld(t, 7, &config.EvenkeelTopologySpreadArgs{})
	want, err := w.original.EventsToRegister(context.Background())
	w.must(err)
	got, err := w.plugin.EventsToRegister(context.Background())
	w.must(err)
	if len(want) != len(got) {
		t.Fatalf("expected %v, found %v", want, got)
	}
	for i := range want {
		if want[i].Event != got[i].Event || (want[i].QueueingHintFn == nil) != (got[i].QueueingHintFn == nil) {
			t.Errorf("expected %v, found %v", want[i], got[i])
		}
	}
	for range 10 {
		pod := w.newPod()
		wanted, wantedStatus := w.original.SignPod(w.ctx, pod)
		signed, status := w.plugin.SignPod(w.ctx, pod)
		if statusText(status) != statusText(wantedStatus) || !reflect.DeepEqual(wanted, signed) {
			t.Errorf("expected %v and %s, found %v and %s", wanted, statusText(wantedStatus), signed, statusText(status))
		}
	}
}

func TestFailureChanged_reportsByMetricAndEvent(t *testing.T) {
	registerMetrics()
	recorder := &events.FakeRecorder{Events: make(chan string, 3)}
	const server = "unix:/run/evenkeel.sock"
	changed := failureChanged(logger, recorder, server)
	open := func() float64 {
		value, err := testutil.GetGaugeMetricValue(failing.WithLabelValues(server))
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	before := open()
	expect := func(event, prefix, suffix string, metric float64) {
		if !strings.HasPrefix(event, prefix) || !strings.Contains(event, server) || !strings.HasSuffix(event, suffix) {
			t.Error(event)
		}
		if value := open() - before; value != metric {
			t.Errorf("the metric has risen by %v", value)
		}
	}
	changed(errors.New("no token was shown"))
	const opened, closed = "Warning EvenkeelNotAsked ", "Normal EvenkeelAsked "
	expect(<-recorder.Events, opened, ": no token was shown", 1)
	changed(nil)
	expect(<-recorder.Events, closed, "", 0)
	changed(errors.New(strings.Repeat("é", 2*maxNoteLength)))
	expect(<-recorder.Events, opened, ": "+strings.Repeat("é", maxNoteLength), 1)
	changed(nil)
}

// actions are those of the recorded events.
type actions struct {
	events.EventRecorderLogger
	recorded []string
}

func (a *actions) Eventf(_, _ runtime.Object, _, _, action, _ string, _ ...any) {
	a.recorded = append(a.recorded, action)
}

// kube-scheduler's client merges events that differ only in their note, and keeps the first note.
func TestFailureChanged_reportsEachCauseBySeparateEvents(t *testing.T) {
	registerMetrics()
	recorder := &actions{}
	changed := failureChanged(logger, recorder, "unix:/run/evenkeel.sock")
	for _, failure := range []error{context.DeadlineExceeded, grpcstatus.Error(codes.Unavailable, "refused")} {
		changed(failure)
		changed(nil)
	}
	if want := []string{"deadline", "Scheduling", "unavailable", "Scheduling"}; !reflect.DeepEqual(recorder.recorded, want) {
		t.Errorf("the actions are %v", recorder.recorded)
	}
}
