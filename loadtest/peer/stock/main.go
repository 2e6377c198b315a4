// Records which nodes kube-scheduler prefers: random clusters, and how its plugins score their nodes for random pods.
//
//	go run ./stock -scenarios 300 | gzip -9n > ../../server/placement/src/test/resources/stock/stock.jsonl.gz
//
// Each line is a scenario, whose pods are placed one after another:
//
//	{"name", "nodes": [Node, …], "services": [Service, …], "bound": [Pod, …],
//	 "placed": [{"pod": Pod, "scores": {node: [weighted score of each plugin]}, "node": name}, …]}
//
// Nodes that a filter rejects have no scores. "node" is the first by name of those with the highest sum, and the pod
// counts on it from then on; it is empty if no node is left. Scores are in the order of the list plugins; 0 for a plugin
// that skips the pod.
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
	log.SetPrefix("stock: ")
	scenarios := flag.Int("scenarios", 300, "how many scenarios to record")
	seed := flag.Uint64("seed", 1, "the seed of the random clusters and pods")
	flag.Parse()
	if err := recording.Write(*scenarios, *seed, record); err != nil {
		log.Fatal(err)
	}
}

func record(ctx context.Context, random *rand.Rand, number int) (any, error) {
	recorded := newGenerator(random).scenario(number)
	return recorded, play(ctx, recorded)
}
