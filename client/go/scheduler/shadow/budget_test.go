package shadow

import (
	"context"
	"testing"
)

func TestBudget_limitsAnswersAndNodes(t *testing.T) {
	few := budget{maxAnswers: maxReevaluations, maxNodes: maxReevaluationNodes}
	for i := range maxReevaluations {
		if !few.acquire(1) {
			t.Fatalf("there is no room for answer %d", i)
		}
	}
	if few.acquire(1) {
		t.Errorf("more than %d answers are accepted", maxReevaluations)
	}
	few.release(1)
	if !few.acquire(1) {
		t.Error("there is no room for another answer after one was released")
	}

	many := budget{maxAnswers: maxReevaluations, maxNodes: maxReevaluationNodes}
	const nodes = 100_000
	for i := range maxReevaluationNodes / nodes {
		if !many.acquire(nodes) {
			t.Fatalf("there is no room for answer %d of %d nodes", i, nodes)
		}
	}
	if many.acquire(1) {
		t.Errorf("more than %d nodes are accepted", maxReevaluationNodes)
	}
	many.release(nodes)
	if !many.acquire(nodes) {
		t.Error("there is no room for the released nodes")
	}
}

// Whatever waits for a slow server holds the state of its scheduling cycle: thousands would take gigabytes.
func TestShadow_limitsQueuedNodes(t *testing.T) {
	s := &Shadow{
		queue: make(chan func(context.Context), maxQueued), queuedNodes: budget{maxAnswers: maxQueued, maxNodes: maxQueuedNodes}}
	nothing := func(context.Context) {}
	const nodes = 5000
	for i := range maxQueuedNodes / nodes {
		if !s.enqueue(nodes, nothing) {
			t.Fatalf("there is no room for comparison %d", i)
		}
	}
	if s.enqueue(1, nothing) {
		t.Errorf("more than %d nodes wait", maxQueuedNodes)
	}
	if !s.enqueue(0, nothing) {
		t.Error("there is no room for a query without node names")
	}
	(<-s.queue)(t.Context())
	if !s.enqueue(nodes, nothing) {
		t.Error("there is no room for the released nodes")
	}
}
