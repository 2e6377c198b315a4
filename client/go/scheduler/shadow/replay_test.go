package shadow

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// replayOf has a pod on a node on which Evenkeel accepts it.
func replayOf() *Replay {
	counted := unbound("there", "there")
	counted.Spec.NodeName = "one"
	return &Replay{
		Version:  replayVersion,
		Pod:      unbound("web", "web"),
		Args:     &config.PodTopologySpreadArgs{DefaultingType: config.SystemDefaulting},
		Evenkeel: results{"one": "Success"},
		Cluster:  &Cluster{Nodes: []*v1.Node{node("one", 1)}, Pods: []*v1.Pod{counted}},
	}
}

func saveIn(t *testing.T, directory string, replay *Replay) (string, error) {
	t.Helper()
	kept := replays{directory: directory}
	return kept.save(klog.FromContext(t.Context()), replay, func() (json.RawMessage, error) { return nil, nil })
}

func written(t *testing.T, replay *Replay) string {
	t.Helper()
	name, err := saveIn(t, t.TempDir(), replay)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func TestReadReplay_namesTheFile_andTheField(t *testing.T) {
	for expected, edit := range map[string]func(*Replay){
		"version: Unsupported value: 2: supported values: \"1\"": func(r *Replay) { r.Version = 2 },
		"evenkeel: Required value":                               func(r *Replay) { r.Evenkeel = nil },
		`scored[0]: Not found: "gone"`:                           func(r *Replay) { r.Scored = []string{"gone"} },
		`cluster.Pods[0].spec.nodeName: Not found: "gone"`:       func(r *Replay) { r.Cluster.Pods[0].Spec.NodeName = "gone" },
	} {
		replay := replayOf()
		edit(replay)
		name := written(t, replay)
		if _, err := ReadReplay(name); err == nil || !strings.HasPrefix(err.Error(), name+": "+expected) {
			t.Errorf("expected %q, got %v", expected, err)
		}
	}
	if _, err := ReadReplay(written(t, replayOf())); err != nil {
		t.Error(err)
	}
}

func TestReadReplay_rejectsIncompleteFiles(t *testing.T) {
	whole, err := os.ReadFile(written(t, replayOf()))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text     []byte
		expected string
	}{
		{nil, "not a gzip file: EOF"},
		{[]byte("{}"), "not a gzip file: "},
		{whole[:len(whole)/2], "truncated or corrupt: unexpected EOF"},
		{whole[:len(whole)-1], "truncated or corrupt: unexpected EOF"},
		{packed(t, ""), "unexpected end of JSON input"},
		{packed(t, `{"version": 1, "pod": {`), "unexpected end of JSON input"},
		{packed(t, "{}"), "version: Unsupported value: 0"},
		{packed(t, `{"version": 1}`),
			"[pod: Required value, podTopologySpreadArgs: Required value, evenkeel: Required value, cluster: Required value]"},
		{packed(t, `{"version": 1, "scored": "one"}`), "json: cannot unmarshal string into Go struct field Replay.scored"},
	} {
		name := filepath.Join(t.TempDir(), "replay"+replaySuffix)
		if err := os.WriteFile(name, test.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReplay(name); err == nil || !strings.HasPrefix(err.Error(), name+": "+test.expected) {
			t.Errorf("expected %q, got %v", test.expected, err)
		}
	}
	if _, err := ReadReplay("gone.json.gz"); err == nil || !strings.Contains(err.Error(), "gone.json.gz") {
		t.Errorf("got %v", err)
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	var into bytes.Buffer
	packer := gzip.NewWriter(&into)
	if _, err := packer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := packer.Close(); err != nil {
		t.Fatal(err)
	}
	return into.Bytes()
}

func filesIn(t *testing.T, directory string) int {
	t.Helper()
	entries, err := os.ReadDir(directory)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Neither a restart nor an interrupted write lets a scheduler write more files.
func TestReplays_limitTheNumberOfFiles(t *testing.T) {
	directory := t.TempDir()
	left, err := os.CreateTemp(directory, tempPattern)
	if err != nil {
		t.Fatal(err)
	}
	defer left.Close()
	for i := 1; i < maxFiles; i++ {
		if _, err := saveIn(t, directory, replayOf()); err != nil || filesIn(t, directory) != i+1 {
			t.Fatalf("%d files after %d answers: %v", filesIn(t, directory), i, err)
		}
	}
	if _, err := saveIn(t, directory, replayOf()); !errors.Is(err, errDirectoryFull) || filesIn(t, directory) != maxFiles {
		t.Errorf("%d files: %v", filesIn(t, directory), err)
	}
}

func TestReplays_limitTheBytes(t *testing.T) {
	whole, err := os.Stat(written(t, replayOf()))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		room     int64
		expected int
	}{{whole.Size(), 2}, {whole.Size() - 1, 1}, {0, 1}, {-1, 1}} {
		directory := t.TempDir()
		large := filepath.Join(directory, "large"+replaySuffix)
		if err := errors.Join(os.WriteFile(large, nil, 0o600), os.Truncate(large, maxBytes-test.room)); err != nil {
			t.Fatal(err)
		}
		name, err := saveIn(t, directory, replayOf())
		if files := filesIn(t, directory); files != test.expected || errors.Is(err, errDirectoryFull) == (files == 2) {
			t.Errorf("%d files with room for %d bytes: %v", files, test.room, err)
		}
		if err == nil {
			if _, err := ReadReplay(name); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestReplays_requireAWritableDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, directory := range []string{filepath.Join(t.TempDir(), "none"), file} {
		_, err := Start(t.Context(), Options{ReplayDirectory: directory})
		if err == nil || !strings.Contains(err.Error(), "replayDirectory: open "+directory) {
			t.Errorf("got %v", err)
		}
	}
	directory := t.TempDir()
	if err := (&replays{directory: directory}).check(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(directory); len(left) > 0 || err != nil {
		t.Errorf("%v is left, %v", left, err)
	}
}
