package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// About the size of a query and answer about a pod: its labels and constraints, and a bit or a score for each node.
const echoBytes = 1000

// The deadline of a call. Without it, a cycle could wait forever.
const echoWithin = 5 * time.Second

// echo is a client of the echo program, which returns the bytes that it is sent.
type echo struct {
	connection *grpc.ClientConn
	question   *wrapperspb.BytesValue
}

func newEcho(target string) (*echo, error) {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return &echo{connection: connection, question: wrapperspb.Bytes(make([]byte, echoBytes))}, err
}

// ask makes one call, and waits for the response.
func (e *echo) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, echoWithin)
	defer cancel()
	var answer wrapperspb.BytesValue
	return e.connection.Invoke(ctx, "/echo/Ask", e.question, &answer)
}
