package shadow

import "testing"

func TestRoom_isThereForFewAnswersOfManyNodes_andForManyOfFew(t *testing.T) {
	var few room
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

	var many room
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
