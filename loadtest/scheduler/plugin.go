package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	pluginName = "RecordedTopologySpread"
	stateKey   = fwk.StateKey(pluginName)
)

// plugin answers from a recording. A pod that is not in it has no constraints.
//
// It finds nodes by object pointer, as Evenkeel's plugin does, because that is faster than by name. Objects that
// arrived later are found by name.
type plugin struct {
	recording *recording
	found     sync.Once
	places    map[*v1.Node]int
}

func (p *plugin) find(nodes []fwk.NodeInfo) {
	p.places = make(map[*v1.Node]int, len(nodes))
	for _, node := range nodes {
		if index, ok := p.recording.nodes[node.Node().Name]; ok {
			p.places[node.Node()] = index
		}
	}
}

// place returns the index of a node in the recording, and whether it is there.
func (p *plugin) place(node *v1.Node) (int, bool) {
	if index, ok := p.places[node]; ok {
		return index, true
	}
	index, ok := p.recording.nodes[node.Name]
	return index, ok
}

var (
	_ fwk.PreFilterPlugin = (*plugin)(nil)
	_ fwk.FilterPlugin    = (*plugin)(nil)
	_ fwk.PreScorePlugin  = (*plugin)(nil)
	_ fwk.ScorePlugin     = (*plugin)(nil)
)

// state is the record of a cycle's pod.
type state struct {
	record
}

func (s *state) Clone() fwk.StateData { return s }

func newPlugin(_ context.Context, arguments runtime.Object, _ fwk.Handle) (fwk.Plugin, error) {
	unknown, ok := arguments.(*runtime.Unknown)
	if !ok {
		return nil, fmt.Errorf("arguments of %s are required, got %T", pluginName, arguments)
	}
	var given struct {
		File string `json:"file"`
	}
	reader := json.NewDecoder(bytes.NewReader(unknown.Raw))
	reader.DisallowUnknownFields()
	if err := reader.Decode(&given); err != nil {
		return nil, fmt.Errorf("arguments of %s: %w", pluginName, err)
	}
	read, err := readRecording(given.File)
	if err != nil {
		return nil, err
	}
	return &plugin{recording: read}, nil
}

func (p *plugin) Name() string { return pluginName }

func (p *plugin) PreFilter(_ context.Context, cycle fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	p.found.Do(func() { p.find(nodes) })
	found := p.recording.pods[pod.Namespace+"/"+pod.Name]
	cycle.Write(stateKey, &state{found})
	if found.passed == nil {
		return nil, fwk.NewStatus(fwk.Skip)
	}
	return nil, nil
}

func (p *plugin) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (p *plugin) Filter(_ context.Context, cycle fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) *fwk.Status {
	found, err := recorded(cycle)
	if err != nil {
		return fwk.AsStatus(err)
	}
	index, ok := p.place(node.Node())
	if !ok || found.passed[index/8]>>(index%8)&1 == 0 {
		return fwk.NewStatus(fwk.Unschedulable, "node(s) did not pass when the recording was made")
	}
	return nil
}

func (p *plugin) PreScore(_ context.Context, cycle fwk.CycleState, _ *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	found, err := recorded(cycle)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if found.scores == nil {
		return fwk.NewStatus(fwk.Skip)
	}
	return nil
}

func (p *plugin) Score(_ context.Context, cycle fwk.CycleState, _ *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	found, err := recorded(cycle)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	index, ok := p.place(node.Node())
	if !ok {
		return 0, nil
	}
	return int64(found.scores[index]), nil
}

func (p *plugin) ScoreExtensions() fwk.ScoreExtensions { return nil }

func recorded(cycle fwk.CycleState) (*state, error) {
	data, err := cycle.Read(stateKey)
	if err != nil {
		return nil, err
	}
	found, ok := data.(*state)
	if !ok {
		return nil, errors.New("the cycle state has an unexpected type, expected that of " + pluginName)
	}
	return found, nil
}
