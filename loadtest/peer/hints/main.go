// Records when kube-scheduler would try a pending pod again: random clusters with a pod that no node accepts, random events, and
// for each event what the queueing hints of the plugins say that have rejected the pod, and which nodes accept it afterwards.
//
//	go run ./hints -scenarios 1500 | gzip -9n > ../../server/placement/src/test/resources/hints/hints.jsonl.gz
//
// Each line is a scenario:
//
//	{"name", "nodes": [Node, …], "bound": [Pod, …], "pod": Pod,
//	 "events": [{"type": "ADDED" | "MODIFIED" | "DELETED", "node": Node, "pod": Pod, "hinted", "accepting": [node, …]}, …]}
//
// Each event has a node or a pod. "hinted" is whether any hint asks for the pod to be tried again, if it was tried just before
// the event. A scenario ends with the first event after which a node accepts the pod.
package main

import (
	"context"
	"flag"
	"log"
	"math/rand/v2"

	"evenkeel.io/loadtest/peer/recording"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("hints: ")
	scenarios := flag.Int("scenarios", 1500, "how many scenarios to generate")
	seed := flag.Uint64("seed", 1, "the seed of the random clusters and events")
	flag.Parse()
	if err := recording.Write(*scenarios, *seed, record); err != nil {
		log.Fatal(err)
	}
}

func record(ctx context.Context, random *rand.Rand, number int) (any, error) {
	recorded := newGenerator(random).scenario(number)
	if err := play(ctx, recorded); err != nil {
		return nil, err
	}
	if len(recorded.Events) == 0 {
		return nil, nil
	}
	return recorded, nil
}
