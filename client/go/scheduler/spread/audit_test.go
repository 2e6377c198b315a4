package spread

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/audit"
	"evenkeel.io/client/go/scheduler/config"
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics/legacyregistry"
)

// compared returns how many comparisons had each outcome.
func compared(t *testing.T) map[string]int {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, family := range families {
		if family.GetName() != "evenkeel_topology_spread_comparisons_total" {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if label.GetName() == "outcome" {
					found[label.GetValue()] += int(metric.GetCounter().GetValue())
				}
			}
		}
	}
	return found
}

func audited(mode config.Mode, directory string) *config.EvenkeelTopologySpreadArgs {
	every := int32(1)
	return &config.EvenkeelTopologySpreadArgs{Mode: mode, AuditEvery: &every, ReplayDirectory: directory}
}

// untilCompared schedules a pod until Evenkeel's answer is compared.
func (w *world) untilCompared() {
	w.t.Helper()
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	w.await("nothing is compared", func() bool {
		before := compared(w.t)
		w.must(w.cache.UpdateSnapshot(logger, w.snapshot))
		w.cycle(w.plugin, pod, nil, nil)
		w.plugin.scheduler.finishLastCycle(w.ctx)
		return compared(w.t)[audit.Equal] > before[audit.Equal]
	})
}

// Each mode has 200 cycles, or EVENKEEL_CYCLES.
func TestAudit_findsAllEqual_inChangingClusters(t *testing.T) {
	cycles := 200
	if given := os.Getenv("EVENKEEL_CYCLES"); given != "" {
		var err error
		if cycles, err = strconv.Atoi(given); err != nil {
			t.Fatal(err)
		}
	}
	for mode, source := range map[config.Mode]string{config.ModeEvenkeel: sourceEvenkeel, config.ModeShadow: sourceOriginal} {
		t.Run(string(mode), func(t *testing.T) {
			w := newWorld(t, 11, audited(mode, t.TempDir()))
			w.untilCompared()
			reason := ""
			if source == sourceOriginal {
				reason = string(shadowMode)
			}
			before, answered := compared(t), counted(t, w.plugin, source, reason)
			for range cycles {
				w.change()
				w.compare()
			}
			w.plugin.scheduler.finishLastCycle(w.ctx)
			after := compared(t)
			if equal := after[audit.Equal] - before[audit.Equal]; equal < cycles*3/4 || after[audit.Different] > before[audit.Different] ||
				after[audit.Missing] > before[audit.Missing] {
				t.Errorf("the outcomes are %v, and were %v before", after, before)
			}
			t.Logf("%d were equal", after[audit.Equal]-before[audit.Equal])
			if answers := counted(t, w.plugin, source, reason) - answered; answers < cycles/2 {
				t.Errorf("%d answers by %s", answers, source)
			}
		})
	}
}

func TestAudit_comparesOneInSoManyCycles(t *testing.T) {
	s := &scheduler{}
	var found []int
	for cycle := range 10 {
		if s.isAudited(4) {
			found = append(found, cycle)
		}
	}
	if fmt.Sprint(found) != "[3 7]" {
		t.Errorf("audited %v", found)
	}
	if s.isAudited(0) {
		t.Error("audited without an interval")
	}
}

// Another caller adds a pod to Evenkeel. That is found, and written to a file that can be replayed.
func TestAudit_findsAPodThatTheSchedulerDoesNotHave(t *testing.T) {
	for _, mode := range []config.Mode{config.ModeEvenkeel, config.ModeShadow} {
		for _, action := range []v1.UnsatisfiableConstraintAction{v1.DoNotSchedule, v1.ScheduleAnyway} {
			t.Run(fmt.Sprint(mode, action), func(t *testing.T) {
				directory := t.TempDir()
				w := newWorld(t, 12, audited(mode, directory))
				w.untilCompared()
				node := w.anyNode()
				_, err := w.server.state.Apply(w.ctx, &evenkeelv1.ApplyRequest{Events: []*evenkeelv1.ClusterEvent{{
					Type: evenkeelv1.ClusterEvent_TYPE_ADDED, Object: &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: &evenkeelv1.Pod{
						Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Name: "other", Uid: "other", Labels: map[string]string{"app": "web"}},
						Spec:     &evenkeelv1.PodSpec{NodeName: node}}}}}}})
				w.must(err)
				pod := w.newPod()
				pod.Namespace, pod.Labels["app"] = "shop", "web"
				pod.Spec = v1.PodSpec{TopologySpreadConstraints: onePerHost()}
				pod.Spec.TopologySpreadConstraints[0].WhenUnsatisfiable = action
				before := compared(t)
				for range 5 {
					w.cycle(w.plugin, pod, nil, nil)
					w.plugin.scheduler.finishLastCycle(w.ctx)
				}
				if different := compared(t)[audit.Different] - before[audit.Different]; different != 5 {
					t.Fatalf("%d answers differ", different)
				}
				var names []string
				for started := time.Now(); len(names) == 0; time.Sleep(10 * time.Millisecond) {
					if time.Since(started) > time.Minute {
						t.Fatal("there is no file")
					}
					names, err = filepath.Glob(filepath.Join(directory, "*.json.gz"))
					w.must(err)
				}
				replay, err := audit.ReadReplay(names[0])
				w.must(err)
				found, err := replay.Evaluate(w.ctx)
				w.must(err)
				if len(found) == 0 || fmt.Sprint(found) != fmt.Sprint(replay.Differences) || len(replay.Nodes) != len(w.nodes) {
					t.Errorf("the file contains %v, the original evaluates %v", replay.Differences, found)
				}
				if names, err = filepath.Glob(filepath.Join(directory, "*.json.gz")); err != nil || len(names) > 1 {
					t.Errorf("the files %v were written at once, %v", names, err)
				}
			})
		}
	}
}

// Nothing waits for Evenkeel in shadow mode.
func TestShadow_doesNotDelayCycles_whileEvenkeelHangs(t *testing.T) {
	w := newWorld(t, 16, audited(config.ModeShadow, ""))
	for range 10 {
		w.bind()
	}
	w.untilCompared()
	w.plugin.minWait = time.Millisecond
	w.server.hang()
	defer w.server.resume()
	pod := w.newPod()
	pod.Spec.TopologySpreadConstraints = onePerHost()
	before := compared(t)
	want := w.cycle(w.original, pod, nil, nil)
	for range 10 {
		if got := w.cycle(w.plugin, pod, nil, nil); fmt.Sprint(want) != fmt.Sprint(got) {
			t.Errorf("the original says\n%v\nthe plugin says\n%v", want, got)
		}
	}
	if missing := compared(t)[audit.Missing] - before[audit.Missing]; missing < 1 || missing > 6 {
		t.Errorf("%d answers are missing", missing)
	}
}
