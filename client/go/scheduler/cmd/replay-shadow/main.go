// replay-shadow evaluates the replay files of shadow mode again with kube-scheduler's own PodTopologySpread.
//
//	replay-shadow FILE...
//
// The exit code is 0 if Evenkeel gave the same answers, 1 if an answer is different, and 2 if a file cannot be
// replayed.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"evenkeel.io/client/go/scheduler/shadow"
)

const (
	equal = iota
	different
	failed
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: replay-shadow FILE...\n"+
			"FILE is a file that shadow mode has written to its replayDirectory.")
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
	read, err := shadow.ReadReplay(file)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return failed
	}
	differences, err := read.Evaluate(context.Background())
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", file, err)
		return failed
	}
	kind := "verdicts on"
	if len(read.Scored) > 0 {
		kind = "scores for"
	}
	fmt.Printf("%s: the %s pod %s/%s differ on %d nodes\n", file, kind, read.Pod.Namespace, read.Pod.Name, len(differences))
	for _, difference := range differences {
		fmt.Println("  " + difference)
	}
	if len(differences) > 0 {
		return different
	}
	return equal
}
