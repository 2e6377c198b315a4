package unblocked

import (
	"context"
	"slices"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/internal/testserver"
	"google.golang.org/grpc"
)

// answering gives each added pod a result, and names each removed key as unblocked.
type answering struct {
	evenkeelv1.UnimplementedPlacementServer
}

func (answering) WatchUnblocked(stream grpc.BidiStreamingServer[evenkeelv1.WatchUnblockedRequest, evenkeelv1.WatchUnblockedResponse]) error {
	for {
		request, err := stream.Recv()
		if err != nil {
			return err
		}
		response := &evenkeelv1.WatchUnblockedResponse{Unblocked: request.Remove}
		for _, pod := range request.Add {
			response.Added = append(response.Added, &evenkeelv1.WatchedPod{Key: pod.Key + "/" + pod.Pod.Metadata.Name})
		}
		if err := stream.Send(response); err != nil {
			return err
		}
	}
}

func placement(t *testing.T) evenkeelv1.PlacementClient {
	connection := testserver.Connect(t, func(server *grpc.Server) {
		evenkeelv1.RegisterPlacementServer(server, answering{})
	})
	return evenkeelv1.NewPlacementClient(connection)
}

func TestWatch_sendsPodsAndKeys_andReadsResponses(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	watch, err := Open(ctx, placement(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Add("key", &evenkeelv1.Pod{Metadata: &evenkeelv1.ObjectMeta{Name: "web"}}); err != nil {
		t.Fatal(err)
	}
	added, err := watch.Next()
	if err != nil || len(added.Added) != 1 || added.Added[0].Key != "key/web" {
		t.Fatalf("read %v, %v", added, err)
	}
	if err := watch.Remove("a", "b"); err != nil {
		t.Fatal(err)
	}
	response, err := watch.Next()
	if err != nil || !slices.Equal(response.Unblocked, []string{"a", "b"}) {
		t.Fatalf("read %v, %v", response, err)
	}
	cancel()
	if _, err := watch.Next(); err == nil {
		t.Fatal("read from a stream that has ended")
	}
}
