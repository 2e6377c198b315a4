package ask

import (
	"context"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/seen"
	"google.golang.org/grpc"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// slowState is told of assumed pods, one call after the other, each when the test lets it.
type slowState struct {
	evenkeelv1.ClusterStateClient
	entered chan struct{}
	leave   chan struct{}
}

func (s *slowState) Assume(context.Context, *evenkeelv1.AssumeRequest, ...grpc.CallOption) (*evenkeelv1.AssumeResponse, error) {
	s.entered <- struct{}{}
	<-s.leave
	return &evenkeelv1.AssumeResponse{Revision: &evenkeelv1.Revision{Instance: "one", Counter: 1}}, nil
}

// A pod that is seen bound while a question waits is not told of any more: so its version must be demanded.
func TestFreshness_demandsWhatWasSeenWhileItWaited(t *testing.T) {
	state := &slowState{entered: make(chan struct{}), leave: make(chan struct{})}
	server := &Server{Versions: &seen.Versions{}, Assumptions: assumption.NewLedger(state, nil)}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	go server.Assumptions.Run(ctx)
	assume := func(uid string) {
		server.Assumptions.Assume(&evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Uid: uid}}, "node")
	}
	see := func(uid, version string) {
		server.Versions.Note(evenkeelv1.ObjectKind_OBJECT_KIND_POD, &v1.Pod{
			ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), ResourceVersion: version}})
		server.Assumptions.Seen(uid)
	}
	see("other", "10")
	assume("first")
	<-state.entered
	assume("second")

	demands := make(chan *evenkeelv1.Freshness)
	go func() {
		demand, err := server.freshness(ctx)
		if err != nil {
			t.Error(err)
		}
		demands <- demand
	}()
	// The question waits by now, or will find the pod seen: both must demand its version.
	time.Sleep(50 * time.Millisecond)
	see("second", "11")
	close(state.leave)
	demand := <-demands
	if len(demand.GetResourceVersions()) != 1 || demand.ResourceVersions[0].ResourceVersion != "11" {
		t.Errorf("expected version 11 of pods to be demanded, got %v", demand)
	}
}
