package query

import (
	"context"
	"errors"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/resourceversion"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// slowState receives assumed pods one call after the other. The test releases each call.
type slowState struct {
	assumption.Client
	entered chan struct{}
	leave   chan struct{}
}

func (s *slowState) Assume(context.Context, *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	s.entered <- struct{}{}
	return func() (*evenkeelv1.AssumeResponse, error) {
		<-s.leave
		return &evenkeelv1.AssumeResponse{Revision: at(1)}, nil
	}
}

// newTestClient returns a client whose first assumed pod is being sent.
func newTestClient(t *testing.T) (*Client, *slowState, context.Context) {
	t.Helper()
	state := &slowState{entered: make(chan struct{}), leave: make(chan struct{})}
	server := &Client{ResourceVersions: &resourceversion.Tracker{}, Assumptions: assumption.NewLedger(state)}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	go server.Assumptions.Run(ctx)
	assume(server, "first")
	<-state.entered
	return server, state, ctx
}

func assume(server *Client, uid string) {
	server.Assumptions.Assume(&evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Uid: uid}}, "node")
}

func observe(server *Client, uid, version string) {
	server.ResourceVersions.Record(evenkeelv1.ObjectKind_OBJECT_KIND_POD, &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), ResourceVersion: version}})
	server.Assumptions.Bound(uid)
}

func at(counter int64) *evenkeelv1.Revision {
	return &evenkeelv1.Revision{Instance: "one", Counter: counter}
}

func TestWithFreshness_queriesWhileAPodIsSent_andAcceptsAnAnswerThatIncludesIt(t *testing.T) {
	server, state, ctx := newTestClient(t)
	calls := 0
	err := server.withFreshness(ctx, nil, func(demand *evenkeelv1.Freshness) (*evenkeelv1.Revision, error) {
		calls++
		if demand.Revision != nil {
			t.Errorf("%v was demanded before the first write", demand.Revision)
		}
		close(state.leave)
		return at(1), nil
	})
	if err != nil || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

func TestWithFreshness_sendsPodsBeforeTheQuery(t *testing.T) {
	state := &slowState{entered: make(chan struct{}, 1), leave: make(chan struct{})}
	server := &Client{ResourceVersions: &resourceversion.Tracker{}, Assumptions: assumption.NewLedger(state)}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	assume(server, "first")
	calls := 0
	err := server.withFreshness(ctx, nil, func(*evenkeelv1.Freshness) (*evenkeelv1.Revision, error) {
		calls++
		if len(state.entered) != 1 {
			t.Error("queried before the pod was sent")
		}
		close(state.leave)
		go server.Assumptions.Run(ctx)
		return at(1), nil
	})
	if err != nil || calls != 1 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

func TestWithFreshness_repeatsTheQuery_ifTheAnswerLacksAPod(t *testing.T) {
	server, state, ctx := newTestClient(t)
	var demanded []*evenkeelv1.Revision
	err := server.withFreshness(ctx, nil, func(demand *evenkeelv1.Freshness) (*evenkeelv1.Revision, error) {
		demanded = append(demanded, demand.Revision)
		if len(demanded) == 1 {
			close(state.leave)
			return at(0), nil
		}
		return at(1), nil
	})
	if err != nil || len(demanded) != 2 || demanded[1].GetCounter() != 1 {
		t.Errorf("demanded %v, error %v", demanded, err)
	}
}

func TestWithFreshness_repeatsTheQuery_ifAnotherInstanceHasAnswered(t *testing.T) {
	server, state, ctx := newTestClient(t)
	calls := 0
	err := server.withFreshness(ctx, nil, func(*evenkeelv1.Freshness) (*evenkeelv1.Revision, error) {
		calls++
		if calls == 1 {
			close(state.leave)
			return &evenkeelv1.Revision{Instance: "other", Counter: 100}, nil
		}
		return at(1), nil
	})
	if err != nil || calls != 2 {
		t.Errorf("%d calls, error %v", calls, err)
	}
}

// A pod that is seen bound while a query is in flight is no longer sent, so its version must be demanded.
func TestWithFreshness_repeatsTheQuery_ifAPodWasSeenBoundBeforeItWasSent(t *testing.T) {
	server, state, ctx := newTestClient(t)
	observe(server, "other", "10")
	assume(server, "second")
	var demands []*evenkeelv1.Freshness
	err := server.withFreshness(ctx, nil, func(demand *evenkeelv1.Freshness) (*evenkeelv1.Revision, error) {
		demands = append(demands, demand)
		if len(demands) == 1 {
			observe(server, "second", "11")
			close(state.leave)
		}
		return at(1), nil
	})
	if err != nil || len(demands) != 2 {
		t.Fatalf("demanded %v, error %v", demands, err)
	}
	if versions := demands[1].ResourceVersions; len(versions) != 1 || versions[0].ResourceVersion != "11" {
		t.Errorf("expected version 11 of pods to be demanded, got %v", versions)
	}
}

func TestWithFreshness_doesNotQuery_ifPodsCannotBeSent(t *testing.T) {
	server := &Client{ResourceVersions: &resourceversion.Tracker{}, Assumptions: assumption.NewLedger(&awayState{})}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go server.Assumptions.Run(ctx)
	assume(server, "first")
	for {
		err := server.withFreshness(ctx, nil, func(*evenkeelv1.Freshness) (*evenkeelv1.Revision, error) { return at(1), nil })
		if errors.Is(err, assumption.ErrUnacknowledged) {
			break
		}
		if err == nil || ctx.Err() != nil {
			t.Fatalf("an answer that may lack the pod was accepted: %v", err)
		}
	}
	if standing, err := server.Assumptions.Flush(ctx); !errors.Is(err, assumption.ErrUnacknowledged) {
		t.Errorf("got %v, %v", standing, err)
	}
}

// awayState is unavailable.
type awayState struct{ assumption.Client }

func (*awayState) Assume(context.Context, *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	return func() (*evenkeelv1.AssumeResponse, error) { return nil, errors.New("away") }
}
