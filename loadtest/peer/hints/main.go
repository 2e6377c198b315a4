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
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"log"
	"math/rand/v2"
	"os"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("hints: ")
	scenarios := flag.Int("scenarios", 1500, "how many scenarios to generate")
	seed := flag.Uint64("seed", 1, "the seed of the random clusters and events")
	flag.Parse()
	if err := record(*scenarios, *seed); err != nil {
		log.Fatal(err)
	}
}

func record(scenarios int, seed uint64) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for i := range scenarios {
		recorded := newGenerator(rand.New(rand.NewPCG(seed, uint64(i)))).scenario(i)
		if err := play(ctx, recorded); err != nil {
			return err
		}
		if len(recorded.Events) == 0 {
			continue
		}
		if err := encoder.Encode(recorded); err != nil {
			return err
		}
	}
	return out.Flush()
}
