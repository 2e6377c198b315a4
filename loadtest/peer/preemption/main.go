// Records which pods kube-scheduler would preempt: random clusters that have no room for a random pod, and the dry run of
// its plugin DefaultPreemption on all nodes.
//
//	go run ./preemption -scenarios 1000 | gzip -9n > ../../server/placement/src/test/resources/preemption/preemption.jsonl.gz
//
// Each line is a scenario:
//
//	{"name", "nodes": [Node, …], "bound": [Pod, …], "budgets": [PodDisruptionBudget, …], "pod": Pod, "outcome",
//	 "candidates": [{"node", "victims": [name, …], "violations"}, …], "message"}
//
// The candidates are in the order in which kube-scheduler would choose them, each without those before it. It may choose any
// of several that are equal. "outcome" is "accepted" if a node accepts the pod as it is, "ineligible" if the pod may not
// preempt, "helpful" if there are candidates, and otherwise "unhelpful". "message" is kube-scheduler's. Most of the
// scenarios that are "accepted" are omitted.
//
// With a cluster from a file, it times the dry run for the one pod that has no node instead:
//
//	go run ./preemption -cluster full.binpb -result result.json -calls 100
package main

import (
	"context"
	"flag"
	"log"
	"math/rand/v2"

	"evenkeel.io/loadtest/peer/recording"
)

const accepted = "accepted"

func main() {
	log.SetFlags(0)
	log.SetPrefix("preemption: ")
	scenarios := flag.Int("scenarios", 1000, "how many scenarios to generate")
	seed := flag.Uint64("seed", 1, "the seed of the random clusters and pods")
	clusterFile := flag.String("cluster", "", "the objects of a cluster to time the dry run with, as length-delimited evenkeel.v1.ClusterObject messages")
	resultFile := flag.String("result", "", "the file for the times, as JSON: {p50Nanos, p99Nanos, candidates: on how many nodes preemption helps, node: the best of them, victims: the names of the pods to remove there}")
	calls := flag.Int("calls", 100, "how many dry runs to time")
	flag.Parse()
	if *clusterFile != "" {
		if *resultFile == "" || *calls < 1 {
			log.Fatal("-cluster needs -result, and -calls of at least 1")
		}
		if err := measure(*clusterFile, *resultFile, *calls); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := recording.Write(*scenarios, *seed, record); err != nil {
		log.Fatal(err)
	}
}

func record(ctx context.Context, random *rand.Rand, number int) (any, error) {
	recorded := newGenerator(random).scenario(number)
	if _, err := preempt(ctx, recorded, 1); err != nil {
		return nil, err
	}
	if recorded.Outcome == accepted && number%20 != 0 {
		return nil, nil
	}
	return recorded, nil
}
