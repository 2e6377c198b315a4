package main

import (
	"bytes"
	"io"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// twoNodes is a recording of two nodes and of the pods s/hard and s/soft.
func twoNodes() []byte {
	var file bytes.Buffer
	text := func(text string) { file.Write([]byte{0, 0, 0, byte(len(text))}); file.WriteString(text) }
	number := func(number byte) { file.Write([]byte{0, 0, 0, number}) }
	number(2)
	text("a")
	text("b")
	number(2)
	text("s/hard")
	file.Write([]byte{hard, 0b10})
	text("s/soft")
	file.Write([]byte{soft, 7, 100})
	return file.Bytes()
}

func TestPluginPlaysWhatWasRecorded(t *testing.T) {
	read, err := parseRecording(bytes.NewReader(twoNodes()))
	if err != nil {
		t.Fatal(err)
	}
	plays := &plugin{recording: read}
	node := func(name string) *framework.NodeInfo {
		info := framework.NewNodeInfo()
		info.SetNode(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		return info
	}
	pod := func(name string) *v1.Pod { return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "s", Name: name}} }
	ctx := t.Context()

	cycle := framework.NewCycleState()
	a, b := node("a"), node("b")
	if _, status := plays.PreFilter(ctx, cycle, pod("hard"), []fwk.NodeInfo{a, b, node("unknown")}); !status.IsSuccess() {
		t.Fatal(status)
	}
	// Objects that arrived later are found by name.
	for _, info := range []fwk.NodeInfo{a, node("a"), node("unknown")} {
		if status := plays.Filter(ctx, cycle, pod("hard"), info); !status.IsRejected() {
			t.Errorf("node %s: %v", info.Node().Name, status)
		}
	}
	for _, info := range []fwk.NodeInfo{b, node("b")} {
		if status := plays.Filter(ctx, cycle, pod("hard"), info); !status.IsSuccess() {
			t.Errorf("node b: %v", status)
		}
	}
	if status := plays.PreScore(ctx, cycle, pod("hard"), nil); !status.IsSkip() {
		t.Errorf("PreScore without soft constraints: %v", status)
	}

	cycle = framework.NewCycleState()
	if _, status := plays.PreFilter(ctx, cycle, pod("soft"), nil); !status.IsSkip() {
		t.Errorf("PreFilter without hard constraints: %v", status)
	}
	if status := plays.PreScore(ctx, cycle, pod("soft"), nil); !status.IsSuccess() {
		t.Fatal(status)
	}
	for name, want := range map[string]int64{"a": 7, "b": 100, "unknown": 0} {
		if score, status := plays.Score(ctx, cycle, pod("soft"), node(name)); score != want || !status.IsSuccess() {
			t.Errorf("score of %s: %d, %v", name, score, status)
		}
	}

	cycle = framework.NewCycleState()
	if _, status := plays.PreFilter(ctx, cycle, pod("unknown"), nil); !status.IsSkip() {
		t.Errorf("PreFilter of an unknown pod: %v", status)
	}
}

func TestRecordingThatEndsTooSoonIsRefused(t *testing.T) {
	whole := twoNodes()
	for length := range whole {
		if _, err := parseRecording(bytes.NewReader(whole[:length])); err != io.EOF && err != io.ErrUnexpectedEOF {
			t.Errorf("%d of %d bytes: %v", length, len(whole), err)
		}
	}
}
