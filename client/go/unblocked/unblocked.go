// Package unblocked watches pending pods for which no node may pass yet, until one begins to.
package unblocked

import (
	"context"
	"sync"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
)

// Watch is a stream of WatchUnblocked. It ends with its context; then open another one, and add the pods again.
type Watch struct {
	stream  grpc.BidiStreamingClient[evenkeelv1.WatchUnblockedRequest, evenkeelv1.WatchUnblockedResponse]
	sending sync.Mutex
}

// Open opens a stream without pods.
func Open(ctx context.Context, placement evenkeelv1.PlacementClient, options ...grpc.CallOption) (*Watch, error) {
	stream, err := placement.WatchUnblocked(ctx, options...)
	if err != nil {
		return nil, err
	}
	return &Watch{stream: stream}, nil
}

// Send adds and removes pods. Any goroutine may call it.
func (w *Watch) Send(request *evenkeelv1.WatchUnblockedRequest) error {
	w.sending.Lock()
	defer w.sending.Unlock()
	return w.stream.Send(request)
}

// Add watches a pod under a key, for example its namespace and name. Its result is one of those of a response.
func (w *Watch) Add(key string, pod *evenkeelv1.Pod) error {
	return w.Send(&evenkeelv1.WatchUnblockedRequest{Add: []*evenkeelv1.PendingPod{{Key: key, Pod: pod}}})
}

// Remove watches pods no longer. Responses that are already under way may still name them.
func (w *Watch) Remove(keys ...string) error {
	return w.Send(&evenkeelv1.WatchUnblockedRequest{Remove: keys})
}

// Next waits for the next results, or for pods that are unblocked. Only one goroutine may call it. While none does, the server
// names each pod only once.
func (w *Watch) Next() (*evenkeelv1.WatchUnblockedResponse, error) {
	return w.stream.Recv()
}
