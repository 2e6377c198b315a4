package schedulerstream

import (
	"context"
	"errors"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/internal/testserver"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// counting answers each question with the number of events before it as its revision. It refuses objects without a
// UID, rejects questions without pods, never answers those in the session "late", and ends at an empty step.
type counting struct {
	evenkeelv1.UnimplementedClusterStateServer
}

func (counting) SyncAndEvaluate(stream grpc.BidiStreamingServer[evenkeelv1.SyncAndEvaluateRequest, evenkeelv1.SyncAndEvaluateResponse]) error {
	applied := int64(0)
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		response := &evenkeelv1.SyncAndEvaluateResponse{Tag: message.Tag}
		switch {
		case message.Sync != nil && message.Sync.Step == nil:
			return status.Error(codes.InvalidArgument, "step: must be set")
		case message.Sync != nil:
			acknowledgement := &evenkeelv1.SyncResponse{}
			for i, event := range message.Sync.GetEvents().GetEvents() {
				if event.GetObject().GetPod().GetMetadata().GetUid() == "" {
					acknowledgement.Refusals = append(acknowledgement.Refusals, &evenkeelv1.Refusal{Position: int32(i)})
				} else {
					applied++
				}
			}
			response.Result = &evenkeelv1.SyncAndEvaluateResponse_Sync{Sync: acknowledgement}
		case message.Request.Session == "late":
			continue
		case len(message.Request.Pods) == 0:
			response.Result = &evenkeelv1.SyncAndEvaluateResponse_Error{Error: &evenkeelv1.ItemError{Message: "no pods"}}
		default:
			response.Result = &evenkeelv1.SyncAndEvaluateResponse_Response{
				Response: &evenkeelv1.EvaluateResponse{Revision: &evenkeelv1.Revision{Counter: applied}}}
		}
		if err := stream.Send(response); err != nil {
			return err
		}
	}
}

func open(t *testing.T, onRefused func(*evenkeelv1.Refusal)) *Stream {
	connection := testserver.Connect(t, func(server *grpc.Server) {
		evenkeelv1.RegisterClusterStateServer(server, counting{})
	})
	stream, err := Open(context.Background(), evenkeelv1.NewClusterStateClient(connection), onRefused)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stream.Close)
	return stream
}

func event(uid string) *evenkeelv1.SyncRequest {
	pod := &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Uid: uid}}
	return &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_Events{Events: &evenkeelv1.Events{Events: []*evenkeelv1.ClusterEvent{
		{Object: &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: pod}}}}}}}
}

func ending(kinds ...evenkeelv1.ObjectKind) *evenkeelv1.SyncRequest {
	end := &evenkeelv1.EndSnapshot{}
	for _, kind := range kinds {
		end.Kinds = append(end.Kinds, &evenkeelv1.KindVersion{Kind: kind})
	}
	return &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: end}}
}

func beginning(kinds ...evenkeelv1.ObjectKind) *evenkeelv1.SyncRequest {
	return &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: &evenkeelv1.BeginSnapshot{Kinds: kinds}}}
}

var question = &evenkeelv1.EvaluateRequest{Pods: []*evenkeelv1.Pod{{}}}

func send(t *testing.T, stream *Stream, step *evenkeelv1.SyncRequest) {
	t.Helper()
	if err := stream.Send(step); err != nil {
		t.Fatal(err)
	}
}

func TestStream_answersFromTheStepsBeforeAQuestion(t *testing.T) {
	stream := open(t, func(refusal *evenkeelv1.Refusal) { t.Errorf("refused %v", refusal) })
	for i := int64(1); i <= 100; i++ {
		send(t, stream, event("uid"))
		response, err := stream.Evaluate(context.Background(), question)
		if err != nil || response.Revision.Counter != i {
			t.Fatalf("answered %v, %v after %d events", response, err, i)
		}
	}
	var rejected *RequestError
	if _, err := stream.Evaluate(context.Background(), &evenkeelv1.EvaluateRequest{}); !errors.As(err, &rejected) || rejected.Error() != "no pods" {
		t.Errorf("answered %v", err)
	}
	if _, err := stream.Evaluate(context.Background(), question); err != nil {
		t.Errorf("answered %v after a rejected question", err)
	}
}

func TestStream_doesNotAnswer_whileObjectsAreMissing(t *testing.T) {
	refused := make(chan *evenkeelv1.Refusal, 2)
	stream := open(t, func(refusal *evenkeelv1.Refusal) { refused <- refusal })
	ask := func() error {
		response, err := stream.Evaluate(context.Background(), question)
		if response == nil {
			t.Errorf("there is no answer, but %v", err)
		}
		return err
	}
	send(t, stream, event(""))
	if err := ask(); !errors.Is(err, ErrRefused) {
		t.Errorf("answered %v", err)
	}
	<-refused
	for _, each := range []struct {
		what  string
		steps []*evenkeelv1.SyncRequest
		want  error
	}{
		{"after a snapshot of some kinds", []*evenkeelv1.SyncRequest{beginning(evenkeelv1.ObjectKind_OBJECT_KIND_NODE), ending(evenkeelv1.ObjectKind_OBJECT_KIND_NODE)}, ErrRefused},
		{"in a snapshot", []*evenkeelv1.SyncRequest{beginning()}, ErrRefused},
		{"after it", []*evenkeelv1.SyncRequest{ending()}, nil},
		{"after a snapshot with another refused object", []*evenkeelv1.SyncRequest{beginning(), event(""), ending()}, ErrRefused},
	} {
		for _, step := range each.steps {
			send(t, stream, step)
		}
		if err := ask(); !errors.Is(err, each.want) {
			t.Errorf("answered %v %s", err, each.what)
		}
	}
}

func TestQuestion_isAnsweredFromTheStepsBeforeIt_evenIfOthersFollow(t *testing.T) {
	stream := open(t, nil)
	send(t, stream, event("uid"))
	asked, err := stream.Ask(context.Background(), question)
	if err != nil {
		t.Fatal(err)
	}
	send(t, stream, event("uid"))
	if _, err := stream.Evaluate(context.Background(), question); err != nil {
		t.Fatal(err)
	}
	// The answer is there, so it does not matter that the context has ended.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if response, err := asked.Answer(ctx); err != nil || response.Revision.Counter != 1 {
		t.Errorf("answered %v, %v", response, err)
	}
}

func TestStream_givesUpALateAnswer_andGoesOn(t *testing.T) {
	stream := open(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := stream.Evaluate(ctx, &evenkeelv1.EvaluateRequest{Session: "late"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("answered %v", err)
	}
	if _, err := stream.Evaluate(context.Background(), question); err != nil {
		t.Errorf("answered %v", err)
	}
}

func TestStream_reportsWhyItHasEnded(t *testing.T) {
	stream := open(t, nil)
	send(t, stream, &evenkeelv1.SyncRequest{})
	if _, err := stream.Evaluate(context.Background(), question); status.Code(err) != codes.InvalidArgument {
		t.Errorf("answered %v", err)
	}
	<-stream.Ended()
	if err := stream.Send(event("uid")); status.Code(err) != codes.InvalidArgument {
		t.Errorf("sent %v", err)
	}
}
