package shadow

import (
	"context"
	"testing"
)

func TestRoom_isThereForFewAnswersOfManyNodes_andForManyOfFew(t *testing.T) {
	few := room{mostAnswers: mostDisagreeing, mostNodes: mostNodes}
	for i := range mostDisagreeing {
		if !few.take(1) {
			t.Fatalf("there is no room for answer %d", i)
		}
	}
	if few.take(1) {
		t.Errorf("there is room for more than %d answers", mostDisagreeing)
	}
	few.give(1)
	if !few.take(1) {
		t.Error("there is no room for another answer, after one has gone")
	}

	many := room{mostAnswers: mostDisagreeing, mostNodes: mostNodes}
	const nodes = 100_000
	for i := range mostNodes / nodes {
		if !many.take(nodes) {
			t.Fatalf("there is no room for answer %d of %d nodes", i, nodes)
		}
	}
	if many.take(1) {
		t.Errorf("there is room for more than %d nodes", mostNodes)
	}
	many.give(nodes)
	if !many.take(nodes) {
		t.Error("there is no room for as many nodes as have gone")
	}
}

// What waits for a server that answers just in time holds the state of each cycle: thousands would take gigabytes.
func TestShadow_letsNoMoreNodesWaitThanThereIsRoomFor(t *testing.T) {
	s := &Shadow{
		waiting: make(chan func(context.Context), mostWaiting), held: room{mostAnswers: mostWaiting, mostNodes: mostHeld}}
	nothing := func(context.Context) {}
	const nodes = 5000
	for i := range mostHeld / nodes {
		if !s.later(nodes, nothing) {
			t.Fatalf("there is no room for comparison %d", i)
		}
	}
	if s.later(1, nothing) {
		t.Errorf("more than %d nodes wait", mostHeld)
	}
	if !s.later(0, nothing) {
		t.Error("there is no room for a question about all nodes, which names none")
	}
	(<-s.waiting)(t.Context())
	if !s.later(nodes, nothing) {
		t.Error("there is no room for as many nodes as do not wait any more")
	}
}
