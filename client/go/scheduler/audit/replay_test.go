package audit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

func pod(name, node string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name), Labels: map[string]string{"app": "web"}},
		Spec: v1.PodSpec{NodeName: node}}
}

// replayOf has a pod on node a, and Evenkeel has accepted another one there, and not on node b.
func replayOf(constraints ...v1.TopologySpreadConstraint) *Replay {
	replay := &Replay{
		Version: replayVersion, Pod: pod("web", ""), Args: &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting},
		Pods:        []*v1.Pod{pod("there", "a")},
		Differences: []Difference{{Node: "a", Evenkeel: "Success", Original: "Unschedulable"}, {Node: "b", Evenkeel: "Success", Original: "Unschedulable"}},
	}
	for _, name := range []string{"a", "b"} {
		replay.Nodes = append(replay.Nodes, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			v1.LabelHostname: name, v1.LabelTopologyZone: "zone"}}})
	}
	replay.Pod.Spec.TopologySpreadConstraints = constraints
	return replay
}

func onePerHost(action v1.UnsatisfiableConstraintAction) v1.TopologySpreadConstraint {
	return v1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: action,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}
}

// written returns the replay as it is read from a file.
func written(t *testing.T, replay *Replay) *Replay {
	t.Helper()
	name, err := files{directory: t.TempDir()}.save(replay.reduced())
	if err != nil {
		t.Fatal(err)
	}
	read, err := ReadReplay(name)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

func TestReplay_letsTheOriginalEvaluateAgain(t *testing.T) {
	verdicts := replayOf(onePerHost(v1.DoNotSchedule))
	scores := replayOf(onePerHost(v1.ScheduleAnyway))
	scores.Scored = []string{"a", "b"}
	scores.Differences = []Difference{{Node: "a", Evenkeel: "100"}, {Node: "b", Evenkeel: "100"}}
	defaults := replayOf()
	constraint := onePerHost(v1.DoNotSchedule)
	constraint.LabelSelector = nil
	defaults.Args = &config.PodTopologySpreadArgs{DefaultingType: config.ListDefaulting, DefaultConstraints: []v1.TopologySpreadConstraint{constraint}}
	defaults.Owners = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "canary", Operator: metav1.LabelSelectorOpDoesNotExist}}}
	for name, test := range map[string]struct {
		replay   *Replay
		original string
	}{"verdicts": {verdicts, "Unschedulable"}, "scores": {scores, "0"}, "verdicts by default constraints": {defaults, "Unschedulable"}} {
		found, err := written(t, test.replay).Evaluate(t.Context())
		want := test.replay.Differences[0]
		want.Original = test.original
		if err != nil || !slices.Equal(found, []Difference{want}) {
			t.Errorf("%s: expected %v, found %v, %v", name, want, found, err)
		}
	}
}

func TestReplay_hasNoSecrets(t *testing.T) {
	replay := replayOf(onePerHost(v1.DoNotSchedule))
	secret := []v1.Container{{Name: "main", Env: []v1.EnvVar{{Name: "PASSWORD", Value: "secret"}}}}
	replay.Pod.Spec.Containers, replay.Pods[0].Spec.Containers = secret, secret
	replay.Pod.Annotations, replay.Nodes[0].Annotations = map[string]string{"note": "secret"}, map[string]string{"note": "secret"}
	read := written(t, replay)
	if text := fmt.Sprintf("%+v %+v %+v", read.Pod, read.Pods, read.Nodes); strings.Contains(text, "secret") {
		t.Errorf("the file has %s", text)
	}
	if read.Pod.Name != "web" || len(read.Pod.Spec.TopologySpreadConstraints) != 1 {
		t.Errorf("the pod is %+v", read.Pod)
	}
}

func TestReadReplay_namesTheFile_andTheField(t *testing.T) {
	for expected, edit := range map[string]func(*Replay){
		`version: Unsupported value: 1: supported values: "2"`: func(r *Replay) { r.Version = 1 },
		"podTopologySpreadArgs: Required value":                func(r *Replay) { r.Args = nil },
		`pods[0].spec.nodeName: Not found: "gone"`:             func(r *Replay) { r.Pods[0].Spec.NodeName = "gone" },
	} {
		replay := replayOf()
		edit(replay)
		name, err := files{directory: t.TempDir()}.save(replay)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReplay(name); err == nil || !strings.HasPrefix(err.Error(), name+": "+expected) {
			t.Errorf("expected %q, got %v", expected, err)
		}
	}
	name := filepath.Join(t.TempDir(), "truncated.json.gz")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadReplay(name); err == nil || !strings.HasPrefix(err.Error(), name+": not a gzip file: ") {
		t.Errorf("got %v", err)
	}
}

func TestFiles_areLimited(t *testing.T) {
	kept := files{directory: t.TempDir()}
	if err := kept.check(); err != nil {
		t.Fatal(err)
	}
	for range maxFiles {
		if _, err := kept.save(replayOf()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kept.save(replayOf()); !errors.Is(err, errDirectoryFull) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(kept.directory); err != nil || len(entries) != maxFiles {
		t.Errorf("%d files, %v", len(entries), err)
	}
	if err := (files{directory: filepath.Join(t.TempDir(), "none")}).check(); err == nil {
		t.Error("a missing directory was accepted")
	}
}
