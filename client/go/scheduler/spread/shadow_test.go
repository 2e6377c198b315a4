package spread

import (
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/shadow"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics/legacyregistry"
	configv1 "k8s.io/kube-scheduler/config/v1"
)

func shadowArgs(directory string) *config.EvenkeelTopologySpreadArgs {
	args := longDeadlineArgs()
	args.Mode = config.ModeShadow
	args.ReplayDirectory = directory
	return args
}

// compared returns how many comparisons ended with each outcome and reason, and how many have not ended.
func compared(t *testing.T) map[string]int {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, family := range families {
		if family.GetName() == "evenkeel_topology_spread_shadow_under_way" {
			found["under way"] = int(family.GetMetric()[0].GetGauge().GetValue())
		}
		if family.GetName() != "evenkeel_topology_spread_shadow_outcomes_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			outcome, reason := "", ""
			for _, label := range metric.GetLabel() {
				if label.GetName() == "outcome" {
					outcome = label.GetValue()
				} else {
					reason = label.GetValue()
				}
			}
			found[outcome] += int(metric.GetCounter().GetValue())
			found[outcome+" "+reason] += int(metric.GetCounter().GetValue())
			found[""] += int(metric.GetCounter().GetValue())
		}
	}
	return found
}

// settled waits until all comparisons have ended.
func settled(t *testing.T) map[string]int {
	t.Helper()
	for started := time.Now(); compared(t)["under way"] > 0; time.Sleep(100 * time.Millisecond) {
		if time.Since(started) > 2*time.Minute {
			t.Fatalf("some comparisons do not end: %v", compared(t))
		}
	}
	return compared(t)
}

func TestShadow_findsAllEqual_inChangingClusters(t *testing.T) {
	before := compared(t)
	w := newWorld(t, 11, shadowArgs(t.TempDir()))
	for range 300 {
		w.change()
		w.compare()
		// Evenkeel answers while the cluster has not changed much. Disagreements are evaluated while it changes.
		for started := time.Now(); w.plugin.shadow.InFlight() > 1 && time.Since(started) < 10*time.Second; {
			time.Sleep(time.Millisecond)
		}
	}
	w.bookmark()
	after := settled(t)
	if found := after[shadow.Different] - before[shadow.Different]; found > 0 {
		t.Errorf("%d answers are different", found)
	}
	all := after[""] - before[""]
	// Comparisons that a busy machine had no time for say nothing about the answers.
	for _, reason := range []string{"not_comparable deadline", "not_comparable too_many"} {
		all -= after[reason] - before[reason]
	}
	if equal := after[shadow.Equal] - before[shadow.Equal]; equal*20 < all*19 || all < 200 {
		t.Errorf("%d of %d answers are equal: %v", equal, all, after)
	}
	t.Log(after)
}

// Evenkeel may be ahead and lack a node that the scheduler has scored. The others are compared.
func TestShadow_comparesScores_afterANodeWasDeleted(t *testing.T) {
	w := newWorld(t, 13, shadowArgs(t.TempDir()))
	for range 10 {
		w.bind()
	}
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	w.removeNode()
	w.bookmark()
	pod := w.newPod()
	pod.Spec = v1.PodSpec{TopologySpreadConstraints: []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: v1.LabelHostname,
		WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}}
	before := compared(t)
	w.cycle(w.plugin, pod, nil, nil)
	after := settled(t)
	if equal := after["equal judged_again"] - before["equal judged_again"]; equal != 1 {
		t.Errorf("%d answers are equal: %v, %v before", equal, after, before)
	}
}

func TestShadow_comparesNothing_whileEvenkeelIsDown(t *testing.T) {
	w := newWorld(t, 15, shadowArgs(t.TempDir()))
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	w.server.kill()
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	before := compared(t)
	w.cycle(w.plugin, pod, nil, nil)
	after := settled(t)
	if all, away := after[""]-before[""], after["not_comparable unavailable"]-before["not_comparable unavailable"]; all != 1 || away != 1 {
		t.Errorf("%d outcomes, %d because Evenkeel is down: %v, %v before", all, away, after, before)
	}
}

// Shadow mode waits two seconds for an answer, and the cycle does not.
func TestShadow_doesNotDelayCycles(t *testing.T) {
	w := newWorld(t, 16, longDeadlineArgs())
	for range 10 {
		w.bind()
	}
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	args := &config.EvenkeelTopologySpreadArgs{Server: silentServer(t), Insecure: true, Mode: config.ModeShadow}
	config.SetDefaults(args)
	shadowed := w.addProfile(args)
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = append(onePerHost(), onePerHost()...)
	pod.Spec.TopologySpreadConstraints[1].WhenUnsatisfiable = v1.ScheduleAnyway
	before := compared(t)
	want := w.cycle(w.original, pod, nil, nil)
	began := time.Now()
	got := w.cycle(shadowed, pod, nil, nil)
	if took := time.Since(began); took >= 2*time.Second {
		t.Errorf("the cycle took %v", took)
	}
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
	}
	after := settled(t)
	if all, late := after[""]-before[""], after["not_comparable deadline"]-before["not_comparable deadline"]; all != 2 || late != 2 {
		t.Errorf("%d outcomes, %d because no answer came: %v, %v before", all, late, after, before)
	}
}

// silentServer accepts every call, and answers none.
func silentServer(t *testing.T) string {
	t.Helper()
	return served(t, grpc.NewServer(grpc.UnknownServiceHandler(func(_ any, call grpc.ServerStream) error {
		<-call.Context().Done()
		return call.Context().Err()
	})))
}

// served returns the address of a server that runs until the test ends.
func served(t *testing.T, server *grpc.Server) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// One event that Evenkeel did not receive is found, and written to a file that can be replayed.
func TestShadow_findsAMissedEvent(t *testing.T) {
	program := sync.OnceValue(func() string { return replayProgram(t) })
	ofPod := v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.DoNotSchedule}
	byDefault := shadowArgs("")
	byDefault.PodTopologySpreadArgs = configv1.PodTopologySpreadArgs{
		DefaultingType: configv1.ListDefaulting, DefaultConstraints: []v1.TopologySpreadConstraint{ofPod}}
	ofPod.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	soft := ofPod
	soft.WhenUnsatisfiable = v1.ScheduleAnyway
	for _, test := range []struct {
		name        string
		args        *config.EvenkeelTopologySpreadArgs
		constraints []v1.TopologySpreadConstraint
		scored      int
	}{
		{"verdicts", shadowArgs(""), []v1.TopologySpreadConstraint{ofPod}, 0},
		{"scores", shadowArgs(""), []v1.TopologySpreadConstraint{soft}, 12},
		{"verdicts by default constraints", byDefault, nil, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.args.ReplayDirectory = t.TempDir()
			w := newWorld(t, 12, test.args)
			file, withheld := w.withhold(test.constraints)
			replay, err := shadow.ReadReplay(file)
			w.must(err)
			if len(replay.Cluster.Nodes) != 12 || len(replay.Scored) != test.scored || len(replay.Differences) != 1 {
				t.Errorf("the file contains %+v", replay)
			}
			// Evenkeel's explanation shows that it does not count the pod.
			var explanation evenkeelv1.ExplainResponse
			w.must(protojson.Unmarshal(replay.Explanation, &explanation))
			if len(explanation.Constraints) != 1 || len(explanation.Constraints[0].Domains) != 12 || len(explanation.Verdicts) != 1 ||
				explanation.Verdicts[0].Code != evenkeelv1.NodeCode_NODE_CODE_SUCCESS {
				t.Errorf("the explanation is %v", &explanation)
			}
			checkReplay(t, program(), file, replay, withheld)
		})
	}
}

// withhold places a pod without an event for Evenkeel, and schedules another one that is to be spread. It returns the
// replay file, and the pod that was withheld.
func (w *world) withhold(constraints []v1.TopologySpreadConstraint) (string, *v1.Pod) {
	w.t.Helper()
	pod := w.newPod()
	pod.Labels["app"] = "web"
	pod.Namespace = "shop"
	pod.Spec = v1.PodSpec{TopologySpreadConstraints: constraints}
	w.addService("web", "web")
	stream := w.stream
	w.stream = nil
	withheld := pod.DeepCopy()
	withheld.Name, withheld.UID, withheld.Spec.NodeName = "withheld", "withheld", w.anyNode()
	w.stamp(withheld)
	w.must(w.cache.AddPod(logger, withheld))
	w.sendEvent(evenkeelv1.ClusterEvent_TYPE_ADDED, withheld)
	w.stream = stream
	return w.different(pod), withheld
}

// different schedules a pod after Evenkeel has missed an event, and returns the replay file.
func (w *world) different(pod *v1.Pod) string {
	w.t.Helper()
	w.bind()
	w.bookmark()
	before := compared(w.t)[shadow.Different]
	w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
	w.cycle(w.plugin, pod, nil, nil)
	for started := time.Now(); compared(w.t)[shadow.Different] == before; time.Sleep(50 * time.Millisecond) {
		if time.Since(started) > time.Minute {
			w.t.Fatalf("the answer was not found to be different: %v", compared(w.t))
		}
	}
	files, err := filepath.Glob(filepath.Join(w.args.ReplayDirectory, "*"))
	w.must(err)
	if len(files) != 1 {
		w.t.Fatalf("expected one file, found %v", files)
	}
	return files[0]
}
