// Asks kube-scheduler's own PodTopologySpread plugin about a cluster and incoming pods from files, and prints how
// long it takes.
//
//	go run . -cluster cluster.binpb -questions questions.json -answers answers.json
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"evenkeel.io/loadtest/peer/cluster"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("peer: ")
	clusterFile := flag.String("cluster", "", "the objects of the cluster, as length-delimited evenkeel.v1.ClusterObject messages")
	questionsFile := flag.String("questions", "", "the questions, as JSON: [{name, pod: the bytes of a Pod in base64, candidates: node names, or none for every node, copies: how many such pods are placed one after another, or none to only judge the pod}]")
	answersFile := flag.String("answers", "", "the file for the answers, as JSON: [{name, p50Nanos, p99Nanos, codes by node, scores by node, placed: the nodes of the copies}]")
	calls := flag.Int("calls", 100, "timed calls of each question")
	warmup := flag.Int("warmup", 5, "untimed calls of each question before the timed ones")
	flag.Parse()
	if *clusterFile == "" || *questionsFile == "" || *answersFile == "" {
		log.Fatal("-cluster, -questions and -answers must be given")
	}
	if *calls < 1 {
		log.Fatalf("-calls must be at least 1, was %d", *calls)
	}
	if err := run(*clusterFile, *questionsFile, *answersFile, *calls, *warmup); err != nil {
		log.Fatal(err)
	}
}

func run(clusterFile, questionsFile, answersFile string, calls, warmup int) error {
	objects, err := cluster.Read(clusterFile)
	if err != nil {
		return err
	}
	questions, err := readQuestions(questionsFile)
	if err != nil {
		return err
	}
	peer, err := newPeer(context.Background(), objects)
	if err != nil {
		return err
	}
	fmt.Printf("%d nodes, %d pods, %d calls of each question\n", len(objects.Nodes), len(objects.Pods), calls)
	answers := make([]answer, 0, len(questions))
	for _, asked := range questions {
		given, err := asked.measure(peer, calls, warmup)
		if err != nil {
			return fmt.Errorf("%s: %w", asked.Name, err)
		}
		fmt.Printf("%-44s p50 %10.3f ms  p99 %10.3f ms\n", asked.Name, millis(given.P50Nanos), millis(given.P99Nanos))
		answers = append(answers, given)
	}
	text, err := json.Marshal(answers)
	if err != nil {
		return err
	}
	return os.WriteFile(answersFile, text, 0o644)
}

// answer is the plugin's answer to a question, by node name, and how long its calls took.
type answer struct {
	Name     string            `json:"name"`
	P50Nanos int64             `json:"p50Nanos"`
	P99Nanos int64             `json:"p99Nanos"`
	Codes    map[string]string `json:"codes"`
	// Normalized scores of the nodes that passed. Absent if the plugin has nothing to score.
	Scores map[string]int64 `json:"scores,omitempty"`
	// The nodes of the copies, empty for a copy that no node takes. Absent if the pod was only judged.
	Placed []string `json:"placed,omitempty"`
}

func (asked question) measure(peer *peer, calls, warmup int) (answer, error) {
	if asked.Copies > 0 {
		return measurePlacing(peer, asked)
	}
	return measureJudging(peer, asked, calls, warmup)
}

// measurePlacing places the copies one after another. The next question sees the cluster without them.
func measurePlacing(peer *peer, asked question) (answer, error) {
	nanos := make([]int64, asked.Copies)
	placed := make([]string, asked.Copies)
	defer peer.removePlaced()
	for i := range asked.Copies {
		start := time.Now()
		node, err := peer.place(asked.pod, i)
		nanos[i] = time.Since(start).Nanoseconds()
		if err != nil {
			return answer{}, err
		}
		placed[i] = node
	}
	slices.Sort(nanos)
	return answer{
		Name:     asked.Name,
		P50Nanos: percentile(nanos, 50),
		P99Nanos: percentile(nanos, 99),
		Codes:    map[string]string{},
		Placed:   placed,
	}, nil
}

func measureJudging(peer *peer, asked question, calls, warmup int) (answer, error) {
	candidates, err := peer.candidates(asked.Candidates)
	if err != nil {
		return answer{}, err
	}
	for range warmup {
		if _, err := peer.ask(asked.pod, candidates); err != nil {
			return answer{}, err
		}
	}
	nanos := make([]int64, calls)
	var last verdict
	for i := range nanos {
		start := time.Now()
		last, err = peer.ask(asked.pod, candidates)
		nanos[i] = time.Since(start).Nanoseconds()
		if err != nil {
			return answer{}, err
		}
	}
	slices.Sort(nanos)
	given := answer{
		Name:     asked.Name,
		P50Nanos: percentile(nanos, 50),
		P99Nanos: percentile(nanos, 99),
		Codes:    make(map[string]string, len(candidates)),
	}
	for i, node := range candidates {
		given.Codes[node.Node().Name] = last.codes[i].String()
	}
	if last.scores != nil {
		given.Scores = make(map[string]int64, len(last.scores))
		for _, score := range last.scores {
			given.Scores[score.Name] = score.Score
		}
	}
	return given, nil
}

// percentile returns the nearest rank: the lowest value that percent of all values do not exceed.
func percentile(sorted []int64, percent int) int64 {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[max(rank, 1)-1]
}

func millis(nanos int64) float64 {
	return float64(nanos) / 1e6
}
