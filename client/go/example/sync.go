package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc/status"
)

// begin

// feed sends a whole cluster to the server through Sync, and reads the acknowledgements while it sends.
func feed(ctx context.Context, state evenkeelv1.ClusterStateClient, begin *evenkeelv1.BeginSnapshot, objects []*evenkeelv1.ClusterObject) error {
	stream, err := state.Sync(ctx)
	if err != nil {
		return err
	}
	read := make(chan error, 1)
	go func() { read <- readAcknowledgements(stream) }()
	for _, message := range snapshot(begin, objects) {
		if stream.Send(message) != nil {
			break // The stream has ended; readAcknowledgements returns the reason.
		}
	}
	// A feeder that continues with watch events keeps the stream open, and sends them as SyncRequest_Events.
	if err := stream.CloseSend(); err != nil {
		return err
	}
	return <-read
}

func readAcknowledgements(stream evenkeelv1.ClusterState_SyncClient) error {
	for {
		acknowledged, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, refusal := range acknowledged.Refusals {
			fmt.Printf("%s was refused: %s\n", refusal.Object, refusal.Error.Message)
		}
		fmt.Printf("%d objects applied, %d removed; revision %d\n",
			acknowledged.AppliedCount, acknowledged.RemovedCount, acknowledged.Revision.Counter)
	}
}

// end

// feedInTurn feeds as soon as no other feeder does. It takes over from another one only if the operator has asked for
// it, and only once: two that keep taking over from each other would never end.
func feedInTurn(ctx context.Context, state evenkeelv1.ClusterStateClient, feeder string, takeover bool, objects []*evenkeelv1.ClusterObject) error {
	const minBackoff, maxBackoff = time.Second, 30 * time.Second
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		err := feed(ctx, state, &evenkeelv1.BeginSnapshot{Feeder: feeder, Takeover: takeover}, objects)
		switch reason(err) {
		case evenkeelv1.ErrorReason_ERROR_REASON_FEEDER_ACTIVE, evenkeelv1.ErrorReason_ERROR_REASON_SNAPSHOT_UNDER_WAY:
		case evenkeelv1.ErrorReason_ERROR_REASON_FEED_TAKEN_OVER:
			takeover = false
		default:
			return err
		}
		fmt.Printf("waiting for the other feeder: %s\n", status.Convert(err).Message())
		select {
		case <-time.After(backoff/2 + rand.N(backoff/2)):
		case <-ctx.Done():
			return err
		}
	}
}

// snapshot splits the objects into messages of several hundred objects each.
func snapshot(begin *evenkeelv1.BeginSnapshot, objects []*evenkeelv1.ClusterObject) []*evenkeelv1.SyncRequest {
	const maxObjects = 500
	messages := []*evenkeelv1.SyncRequest{{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: begin}}}
	for len(objects) > 0 {
		n := min(maxObjects, len(objects))
		messages = append(messages, &evenkeelv1.SyncRequest{
			Step: &evenkeelv1.SyncRequest_Objects{Objects: &evenkeelv1.Objects{Objects: objects[:n]}},
		})
		objects = objects[n:]
	}
	return append(messages,
		&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: &evenkeelv1.EndSnapshot{}}})
}
