// replay-difference evaluates replay files again with kube-scheduler's own PodTopologySpread.
//
//	replay-difference FILE...
//
// The exit code is 0 if Evenkeel gave the same answers, 1 if an answer is different, and 2 if a file cannot be
// replayed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"evenkeel.io/client/go/scheduler/audit"
)

const (
	equal = iota
	different
	failed
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: replay-difference FILE...\n"+
			"FILE is a file that the scheduler has written to its replayDirectory.")
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(failed)
	}
	result := equal
	for _, file := range flag.Args() {
		result = max(result, replay(file))
	}
	os.Exit(result)
}

func replay(file string) int {
	read, err := audit.ReadReplay(file)
	var differences []audit.Difference
	if err == nil {
		differences, err = read.Evaluate(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return failed
	}
	fmt.Printf("%s: the answers about pod %s/%s differ on %d nodes\n", file, read.Pod.Namespace, read.Pod.Name, len(differences))
	for _, difference := range differences {
		fmt.Printf("  %s: Evenkeel %s, PodTopologySpread %s\n", difference.Node, difference.Evenkeel, difference.Original)
	}
	return min(len(differences), different)
}
