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
	log.SetPrefix("stock: ")
	scenarios := flag.Int("scenarios", 300, "how many scenarios to record")
	seed := flag.Uint64("seed", 1, "the seed of the random clusters and pods")
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
		if err := encoder.Encode(recorded); err != nil {
			return err
		}
	}
	return out.Flush()
}
