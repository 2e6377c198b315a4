package spread

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"evenkeel.io/client/go/scheduler/shadow"
	v1 "k8s.io/api/core/v1"
)

// replayProgram builds replay-shadow.
func replayProgram(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "replay-shadow")
	if output, err := exec.Command("go", "build", "-trimpath", "-o", program, "../cmd/replay-shadow").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return program
}

// runReplay returns the exit code and the output.
func runReplay(t *testing.T, program string, files ...string) (int, string) {
	t.Helper()
	output, err := exec.Command(program, files...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(output)
	}
	return 0, string(output)
}

// checkReplay replays a file with a difference that one pod causes.
func checkReplay(t *testing.T, program, file string, replay *shadow.Replay, cause *v1.Pod) {
	t.Helper()
	code, output := runReplay(t, program, file)
	if code != 1 || !strings.HasPrefix(output, file+": ") || !strings.HasSuffix(output, " differ on 1 nodes\n  "+replay.Differences[0]+"\n") {
		t.Errorf("expected %v, got %d: %s", replay.Differences, code, output)
	}

	counted := len(replay.Cluster.Pods)
	replay.Cluster.Pods = slices.DeleteFunc(replay.Cluster.Pods, func(pod *v1.Pod) bool { return pod.UID == cause.UID })
	if len(replay.Cluster.Pods) != counted-1 {
		t.Fatalf("the pod is not in the file: %v", replay.Cluster.Pods)
	}
	edited := pack(t, replay)
	if code, output := runReplay(t, program, edited); code != 0 || !strings.HasSuffix(output, " differ on 0 nodes\n") {
		t.Errorf("without the pod: %d: %s", code, output)
	}
	if code, output := runReplay(t, program, file, edited); code != 1 {
		t.Errorf("both: %d: %s", code, output)
	}

	// An unreadable file does not keep others from being replayed.
	missing := filepath.Join(t.TempDir(), "missing.json.gz")
	if code, output := runReplay(t, program, missing, file); code != 2 || !strings.Contains(output, missing+": no such file") ||
		!strings.Contains(output, replay.Differences[0]) {
		t.Errorf("a missing file: %d: %s", code, output)
	}
	replay.Args.DefaultingType = "None"
	if code, output := runReplay(t, program, pack(t, replay)); code != 2 || !strings.Contains(output, ".json.gz: defaultingType: Unsupported value") {
		t.Errorf("wrong arguments: %d: %s", code, output)
	}
	if code, output := runReplay(t, program); code != 2 || !strings.HasPrefix(output, "Usage: ") {
		t.Errorf("without a file: %d: %s", code, output)
	}
}

func pack(t *testing.T, replay *shadow.Replay) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "edited.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	packer := gzip.NewWriter(file)
	if err := errors.Join(json.NewEncoder(packer).Encode(replay), packer.Close(), file.Close()); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}
