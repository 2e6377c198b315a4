package shadow

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/ask"
)

const nodes = evenkeelv1.ObjectKind_OBJECT_KIND_NODE

// nodesAt is what Evenkeel says of nodes: the version that it names them by, and the one that it has got to.
func nodesAt(named, held int) *evenkeelv1.GetStatusResponse {
	return &evenkeelv1.GetStatusResponse{
		Revision: &evenkeelv1.Revision{Instance: "one"},
		Kinds:    []*evenkeelv1.KindStatus{{Kind: nodes, ResourceVersion: strconv.Itoa(named), HeldVersion: strconv.Itoa(held)}},
	}
}

// judge gives the nodes for an answer that names them by version 1. The scheduler's first list was of version 3.
func judge(t *testing.T, said ...*evenkeelv1.GetStatusResponse) (*state, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	asked := &progress{ask: func(context.Context) (*evenkeelv1.GetStatusResponse, error) {
		next := said[0]
		if len(said) > 1 {
			said = said[1:]
		} else {
			cancel()
		}
		if next == nil {
			return nil, errors.New("away")
		}
		return next, nil
	}}
	journals := Journals{nodes: heard()}
	states, err := journals.at(ctx, unbound("web", "web"), ask.Rest{
		Revision: &evenkeelv1.Revision{Instance: "one"},
		Versions: []*evenkeelv1.KindVersion{{Kind: nodes, ResourceVersion: "1"}},
	}, asked)
	return states[nodes], err
}

func TestJournals_givesAKindToWhichNothingHasHappened_sinceBeforeTheFirstList(t *testing.T) {
	found, err := judge(t, nodesAt(0, 0), nil, nodesAt(1, 2), nodesAt(1, 3), nodesAt(1, 3))
	if err != nil || len(found.objects) != 2 {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestJournals_givesNothing_whereItIsNotKnownThatNothingHasHappened(t *testing.T) {
	other := nodesAt(1, 3)
	other.Revision.Instance = "two"
	for name, said := range map[string]*evenkeelv1.GetStatusResponse{
		"no bookmark came": nodesAt(1, 2), "a node came or went": nodesAt(2, 3), "started again": other, "away": nil} {
		if found, err := judge(t, said); !errors.Is(err, errForgotten) {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
	}
}
