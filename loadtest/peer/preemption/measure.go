package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"evenkeel.io/loadtest/peer/cluster"
)

// result is the time of the dry runs, and the best candidate.
type result struct {
	P50Nanos   time.Duration `json:"p50Nanos"`
	P99Nanos   time.Duration `json:"p99Nanos"`
	Candidates int           `json:"candidates"`
	Node       string        `json:"node"`
	Victims    []string      `json:"victims"`
}

func measure(clusterFile, resultFile string, calls int) error {
	objects, err := cluster.Read(clusterFile)
	if err != nil {
		return err
	}
	measured := &scenario{Nodes: objects.Nodes}
	for _, pod := range objects.Pods {
		if pod.Spec.NodeName == "" {
			measured.Pod = pod
		} else {
			measured.Bound = append(measured.Bound, pod)
		}
	}
	if measured.Pod == nil {
		return fmt.Errorf("%s has no pod without a node", clusterFile)
	}
	times, err := preempt(context.Background(), measured, calls)
	if err != nil {
		return err
	}
	if len(measured.Candidates) == 0 {
		return fmt.Errorf("preemption helps on no node: %s %s", measured.Outcome, measured.Message)
	}
	slices.Sort(times)
	best := measured.Candidates[0]
	found := result{
		P50Nanos:   times[len(times)/2],
		P99Nanos:   times[(len(times)*99-1)/100],
		Candidates: len(measured.Candidates),
		Node:       best.Node,
		Victims:    best.Victims,
	}
	fmt.Printf("%d dry runs on %d nodes: p50 %v, p99 %v\n", calls, len(measured.Nodes), found.P50Nanos, found.P99Nanos)
	text, err := json.Marshal(found)
	if err != nil {
		return err
	}
	return os.WriteFile(resultFile, text, 0o644)
}
