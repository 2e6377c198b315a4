package assumption

import (
	"context"
	"net"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// remoteServer answers like a server at the other end of a connection.
type remoteServer struct {
	evenkeelv1.UnimplementedClusterStateServer
	// Receives the UID of each pod that a call assumes.
	heard chan string
}

func (r *remoteServer) Assume(ctx context.Context, request *evenkeelv1.AssumeRequest) (*evenkeelv1.AssumeResponse, error) {
	uid := request.Pods[0].Pod.Metadata.Uid
	r.heard <- uid
	if uid == "waits" {
		<-ctx.Done()
	}
	return &evenkeelv1.AssumeResponse{Revision: &evenkeelv1.Revision{Instance: uid, Counter: 7}}, nil
}

func startRemoteServer(t *testing.T) (*remoteServer, *grpc.ClientConn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &remoteServer{heard: make(chan string, 10)}
	server := grpc.NewServer()
	evenkeelv1.RegisterClusterStateServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return r, connection
}

func assuming(uid string) *evenkeelv1.AssumeRequest {
	return &evenkeelv1.AssumeRequest{Pods: []*evenkeelv1.AssumedPod{{Pod: pod(uid), Node: "one"}}}
}

func TestClient_sendsBeforeTheResponseIsAwaited(t *testing.T) {
	r, connection := startRemoteServer(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	first := NewClient(connection).Assume(ctx, assuming("first"))
	second := NewClient(connection).Assume(ctx, assuming("second"))
	if a, b := <-r.heard, <-r.heard; a == b {
		t.Errorf("received %s twice", a)
	}
	for uid, answer := range map[string]func() (*evenkeelv1.AssumeResponse, error){"first": first, "second": second} {
		response, err := answer()
		if err != nil || response.Revision.Instance != uid || response.Revision.Counter != 7 {
			t.Errorf("got %v, %v", response, err)
		}
	}
	if response, err := NewClient(connection).Forget(ctx, &evenkeelv1.ForgetRequest{})(); response != nil || status.Code(err) != codes.Unimplemented {
		t.Errorf("got %v, %v", response, err)
	}
}

func TestClient_failsWhenTheContextOrTheConnectionEnds(t *testing.T) {
	r, connection := startRemoteServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	answer := NewClient(connection).Assume(ctx, assuming("waits"))
	<-r.heard
	cancel()
	if response, err := answer(); response != nil || status.Code(err) != codes.Canceled {
		t.Errorf("got %v, %v", response, err)
	}
	answer = NewClient(connection).Assume(t.Context(), assuming("waits"))
	<-r.heard
	connection.Close()
	if response, err := answer(); response != nil || err == nil {
		t.Errorf("got %v, %v", response, err)
	}
	if response, err := NewClient(connection).Assume(t.Context(), assuming("first"))(); response != nil || err == nil {
		t.Errorf("got %v, %v", response, err)
	}
}
