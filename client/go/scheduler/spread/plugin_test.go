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
	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
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

// longDeadlineArgs gives the server as much time as it may need on a busy machine.
func longDeadlineArgs() *config.EvenkeelTopologySpreadArgs {
	return &config.EvenkeelTopologySpreadArgs{Deadline: &metav1.Duration{Duration: 10 * time.Second}}
}

func counted(t *testing.T, source, reason string) int {
	t.Helper()
	value, err := testutil.GetCounterMetricValue(answers.WithLabelValues("", source, reason))
	if err != nil {
		t.Fatal(err)
	}
	return int(value)
}

func TestPlugin_answersLikeTheOriginal_inChangingClusters(t *testing.T) {
	args := longDeadlineArgs()
	w := newWorld(t, 1, args)
	before := counted(t, sourceEvenkeel, "")
	failures := func() (sum int) {
		for _, reason := range []string{"deadline", "stale", "unavailable", "breaker_open", "pod_refused", "assumptions_untold", "node_unknown"} {
			sum += counted(t, sourceOriginal, reason)
		}
		return sum
	}
	failed := failures()
	for range 400 {
		w.change()
		w.compare()
	}
	if queried := counted(t, sourceEvenkeel, "") - before; queried < 300 {
		t.Errorf("Evenkeel answered only %d times", queried)
	}
	if originalCount := failures() - failed; originalCount > 0 {
		t.Errorf("%d times the original answered", originalCount)
	}
}

func TestPlugin_usesTheDefaultConstraintsOfItsArguments(t *testing.T) {
	args := longDeadlineArgs()
	args.PodTopologySpreadArgs = configv1.PodTopologySpreadArgs{
		DefaultingType: configv1.ListDefaulting,
		DefaultConstraints: []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule},
			{MaxSkew: 2, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway},
		},
	}
	w := newWorld(t, 2, args)
	for range 150 {
		w.change()
		w.compare()
	}
}

// After Evenkeel was killed and restarted, it is queried again soon and knows the assumed pods again.
func TestPlugin_survivesRestarts(t *testing.T) {
	w := newWorld(t, 3, longDeadlineArgs())
	for round := range 3 {
		for range 30 {
			w.change()
			w.compare()
		}
		w.server.kill()
		w.stream = nil
		opened := counted(t, sourceOriginal, "breaker_open")
		for range 20 {
			w.change()
			w.compare()
		}
		if counted(t, sourceOriginal, "breaker_open") == opened {
			t.Fatal("the breaker has not opened")
		}
		w.server.start()
		w.feed()
		for started := time.Now(); w.plugin.client.IsBreakerOpen(); time.Sleep(10 * time.Millisecond) {
			if time.Since(started) > time.Minute {
				t.Fatal("the breaker has not closed")
			}
		}
		before := counted(t, sourceEvenkeel, "")
		for range 30 {
			w.compare()
		}
		if counted(t, sourceEvenkeel, "") == before {
			t.Errorf("Evenkeel did not answer after restart %d", round)
		}
	}
}

// A server that restarts between two cycles has lost the assumed pods, and no call has failed yet.
func TestPlugin_resendsAssumedPodsToARestartedServer(t *testing.T) {
	w := newWorld(t, 4, longDeadlineArgs())
	for range 20 {
		pod := w.newPod()
		w.reserve(pod, w.anyNode())
	}
	w.must(w.awaitAssumptions())
	w.server.kill()
	w.server.start()
	w.feed()
	for range 20 {
		w.compare()
	}
	w.must(w.awaitAssumptions())
	response, err := w.server.state.GetStatus(w.ctx, status)
	w.must(err)
	if int(response.AssumedPodCount) != len(w.assumed) {
		t.Errorf("%d pods are assumed, %d known", len(w.assumed), response.AssumedPodCount)
	}
}

// Profiles with different arguments count each other's pods.
func TestPlugin_countsPodsOfOtherProfiles(t *testing.T) {
	w := newWorld(t, 8, longDeadlineArgs())
	other := longDeadlineArgs()
	other.Server, other.Insecure = w.args.Server, true
	other.Deadline.Duration--
	config.SetDefaults(other)
	third := longDeadlineArgs()
	third.Server, third.Insecure = "127.0.0.1:1", true // Nothing listens there.
	config.SetDefaults(third)
	w.placing = []*Plugin{w.addProfile(other), w.addProfile(third)}
	before := counted(t, sourceEvenkeel, "")
	for range 100 {
		w.change()
		w.compare()
	}
	if counted(t, sourceEvenkeel, "") == before {
		t.Error("Evenkeel did not answer")
	}
}

// The assumed pods of a scheduler that died are not counted by the next one.
func TestPlugin_forgetsTheAssumedPodsOfAnEarlierScheduler(t *testing.T) {
	w := newWorld(t, 9, longDeadlineArgs())
	for range 20 {
		w.bind()
		w.reserve(w.newPod(), w.anyNode())
	}
	w.must(w.awaitAssumptions())
	w.restartScheduler()
	before := counted(t, sourceEvenkeel, "")
	for range 30 {
		w.compare()
	}
	if counted(t, sourceEvenkeel, "") == before {
		t.Error("Evenkeel did not answer")
	}
}

// In the cycle of a pod group, the snapshot contains pods of the group that are reserved and unreserved in the end.
func TestPlugin_doesNotUseEvenkeelInCyclesOfPodGroups(t *testing.T) {
	w := newWorld(t, 10, longDeadlineArgs())
	for range 20 {
		w.change()
		w.compare()
	}
	for range 10 {
		w.ofGroup = true
		before := counted(t, sourceEvenkeel, "")
		w.must(w.awaitAssumptions())
		sent, err := w.plugin.client.Assumptions.Await(w.ctx)
		w.must(err)
		w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
		inGroup := framework.NewCycleState()
		inGroup.SetPodGroupSchedulingCycle(framework.NewCycleState())
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
			w.must(w.plugin.Reserve(w.ctx, inGroup, pod, pod.Spec.NodeName).AsError())
			group = append(group, pod)
		}
		if counted(t, sourceEvenkeel, "") != before {
			t.Error("Evenkeel was queried")
		}
		for _, pod := range group {
			w.plugin.Unreserve(w.ctx, inGroup, pod, pod.Spec.NodeName)
			w.must(w.snapshot.ForgetPod(logger, pod))
		}
		if now, err := w.plugin.client.Assumptions.Await(w.ctx); err != nil || !proto.Equal(now, sent) {
			t.Errorf("Evenkeel is at %v, and was at %v before: %v", now, sent, err)
		}
		w.ofGroup = false
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

func TestPlugin_cancelsALateQuery(t *testing.T) {
	args := longDeadlineArgs()
	args.Deadline.Duration = time.Nanosecond
	w := newWorld(t, 5, args)
	lateOnes := func() int {
		return counted(t, sourceOriginal, "deadline") + counted(t, sourceOriginal, "assumptions_untold")
	}
	before := lateOnes()
	for range 20 {
		w.change()
		w.compare()
	}
	if lateOnes() == before {
		t.Error("no answer was late")
	}
	if !w.plugin.client.IsBreakerOpen() {
		t.Error("Evenkeel is queried although it is always late")
	}
}

// A server that hangs keeps its connections open, so no call fails at once.
func TestPlugin_survivesAServerThatHangs(t *testing.T) {
	w := newWorld(t, 14, longDeadlineArgs())
	for range 10 {
		w.bind()
	}
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	args := &config.EvenkeelTopologySpreadArgs{Server: w.args.Server, Insecure: true, Deadline: &metav1.Duration{Duration: 50 * time.Millisecond}}
	config.SetDefaults(args)
	hasty := w.addProfile(args)
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = append(onePerHost(), onePerHost()...)
	pod.Spec.TopologySpreadConstraints[1].WhenUnsatisfiable = v1.ScheduleAnyway
	want := w.cycle(w.original, pod, nil, nil)
	cycle := func() {
		began := time.Now()
		got := w.cycle(hasty, pod, nil, nil)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("a cycle took %v", took)
		}
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
		}
	}
	untilAnswered := func() {
		w.await("Evenkeel does not answer", func() bool {
			before := counted(t, sourceEvenkeel, "")
			cycle()
			return counted(t, sourceEvenkeel, "") == before+2 // Filter and Score.
		})
	}
	untilAnswered()

	w.server.hang()
	late, away := counted(t, sourceOriginal, "deadline"), counted(t, sourceOriginal, "breaker_open")
	for round := range 3 {
		if hasty.client.IsBreakerOpen() {
			t.Errorf("the breaker has opened after %d cycles", round)
		}
		cycle()
	}
	if gaveUp := counted(t, sourceOriginal, "deadline") - late; gaveUp != 3 {
		t.Errorf("%d answers were late", gaveUp)
	}
	if !hasty.client.IsBreakerOpen() {
		t.Error("the breaker has not opened")
	}
	cycle()
	if kept := counted(t, sourceOriginal, "breaker_open") - away; kept != 1 {
		t.Errorf("%d queries were rejected", kept)
	}

	w.server.resume()
	w.await("the breaker does not close", func() bool { return !hasty.client.IsBreakerOpen() })
	untilAnswered()
}

// Evenkeel waits for an event that it has not received yet. If it does not come, the original answers.
func TestPlugin_demandsTheSchedulersVersions(t *testing.T) {
	args := longDeadlineArgs()
	args.Deadline.Duration = 2 * time.Second
	w := newWorld(t, 6, args)
	for range 10 {
		w.bind()
	}
	w.compare()
	w.must(w.awaitAssumptions())
	stream := w.stream
	w.stream = nil
	before := counted(t, sourceOriginal, "stale") + counted(t, sourceOriginal, "deadline")
	w.deletePod()
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelHostname,
		WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	want, got := w.cycle(w.original, pod, nil, nil), w.cycle(w.plugin, pod, nil, nil)
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
	}
	if after := counted(t, sourceOriginal, "stale") + counted(t, sourceOriginal, "deadline"); after != before+1 {
		t.Errorf("%d queries were cancelled, expected %d", after-before, 1)
	}
	w.stream = stream
}

// The original evaluates a node that was removed from Evenkeel before it is missing in the scheduler's snapshot.
// There are no pods, because the counts of nodes with pods would differ.
func TestPlugin_usesTheOriginalForUnknownNodes(t *testing.T) {
	w := newWorld(t, 8, longDeadlineArgs())
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	gone := w.nodes[w.anyNode()].DeepCopy()
	w.stamp(gone)
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_DELETED, gone)
	evenkeels, unknown := counted(t, sourceEvenkeel, ""), counted(t, sourceOriginal, "node_unknown")
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	want, got := w.cycle(w.original, pod, nil, nil), w.cycle(w.plugin, pod, nil, nil)
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
	}
	if verdict := got.verdicts[gone.Name]; verdict != statusText(nil) {
		t.Errorf("%s: %s", gone.Name, verdict)
	}
	if queried := counted(t, sourceEvenkeel, "") - evenkeels; queried != 1 {
		t.Errorf("Evenkeel answered %d times", queried)
	}
	if originalCount := counted(t, sourceOriginal, "node_unknown") - unknown; originalCount != 1 {
		t.Errorf("the original answered in %d cycles", originalCount)
	}
}

func TestPlugin_usesTheOriginal_ifAFeatureGateIsOff(t *testing.T) {
	w := newWorld(t, 9, longDeadlineArgs())
	for range 20 {
		w.bind()
	}
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
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
		evenkeels, originals := counted(t, sourceEvenkeel, ""), counted(t, sourceOriginal, "feature_gate")
		want, got := w.cycle(w.original, c.pod, nil, nil), w.cycle(w.plugin, c.pod, nil, nil)
		if fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
		}
		if originalCount := counted(t, sourceOriginal, "feature_gate") - originals; originalCount != c.original {
			t.Errorf("with %+v the original judged %v %d times", c.features, c.pod.Spec, originalCount)
		}
		if queried := counted(t, sourceEvenkeel, "") - evenkeels; queried != 1-c.original {
			t.Errorf("with %+v Evenkeel judged %v %d times", c.features, c.pod.Spec, queried)
		}
	}
}

func onePerHost() []v1.TopologySpreadConstraint {
	return []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
}

// The duration of a sampled cycle is recorded when the next one begins. Without pods, every node accepts this one.
func TestPlugin_recordsItsOwnTime(t *testing.T) {
	w := newWorld(t, 10, longDeadlineArgs())
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	nodes, err := w.snapshot.NodeInfos().List()
	w.must(err)
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	measured := func() (count uint64, seconds float64) {
		sum, err := testutil.GetHistogramMetricValue(cycleDuration.WithLabelValues("", sourceEvenkeel))
		w.must(err)
		count, err = testutil.GetHistogramMetricCount(cycleDuration.WithLabelValues("", sourceEvenkeel))
		w.must(err)
		return count, sum
	}
	count, seconds := measured()
	began := time.Now()
	for _, sampled := range []bool{true, false, true, false} {
		state := framework.NewCycleState()
		state.SetRecordPluginMetrics(sampled)
		if _, status := w.plugin.PreFilter(w.ctx, state, pod, nodes); !status.IsSuccess() {
			t.Fatal(status)
		}
		if status := w.plugin.Filter(w.ctx, state, pod, nodes[0]); !status.IsSuccess() {
			t.Fatal(status)
		}
	}
	took := time.Since(began)
	counts, secondsNow := measured()
	if counts-count != 2 {
		t.Errorf("%d cycles were measured, expected 2", counts-count)
	}
	// No query is made if no node is left.
	soft := w.newPod()
	soft.Spec.TopologySpreadConstraints = onePerHost()
	soft.Spec.TopologySpreadConstraints[0].WhenUnsatisfiable = v1.ScheduleAnyway
	for range 2 {
		state := framework.NewCycleState()
		state.SetRecordPluginMetrics(true)
		if _, status := w.plugin.PreFilter(w.ctx, state, soft, nodes); !status.IsSkip() {
			t.Fatal(status)
		}
	}
	if retried, _ := measured(); retried != counts {
		t.Errorf("%d cycles without an answer were measured", retried-counts)
	}
	if added := secondsNow - seconds; added <= 0 || added > took.Seconds() {
		t.Errorf("the plugin recorded %v s, all cycles took %v", added, took)
	}
}

func TestPlugin_hasTheOriginalsEventsAndSignatures(t *testing.T) {
	w := newWorld(t, 7, longDeadlineArgs())
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

func TestBreakerChanged_reportsByMetricAndEvent(t *testing.T) {
	registerMetrics()
	recorder := &events.FakeRecorder{Events: make(chan string, 3)}
	const server = "unix:/run/evenkeel.sock"
	changed := breakerChanged(logger, recorder, server)
	open := func() float64 {
		value, err := testutil.GetGaugeMetricValue(breakerOpen)
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
func TestBreakerChanged_reportsEachCauseBySeparateEvents(t *testing.T) {
	registerMetrics()
	recorder := &actions{}
	changed := breakerChanged(logger, recorder, "unix:/run/evenkeel.sock")
	for _, failure := range []error{context.DeadlineExceeded, grpcstatus.Error(codes.Unavailable, "refused")} {
		changed(failure)
		changed(nil)
	}
	if want := []string{"deadline", "Scheduling", "unavailable", "Scheduling"}; !reflect.DeepEqual(recorder.recorded, want) {
		t.Errorf("the actions are %v", recorder.recorded)
	}
}
