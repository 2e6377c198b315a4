package main

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// About as much as is asked and answered about a pod: its labels and constraints, and a bit or a score for each node.
const echoBytes = 1000

// A call that takes longer has failed: a cycle would wait for ever.
const echoWithin = 5 * time.Second

// echo is a program that answers with what it is sent.
type echo struct {
	connection *grpc.ClientConn
	question   *wrapperspb.BytesValue
}

func newEcho(target string) (*echo, error) {
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return &echo{connection: connection, question: wrapperspb.Bytes(make([]byte, echoBytes))}, err
}

// ask makes one call, and waits until it is answered.
func (e *echo) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, echoWithin)
	defer cancel()
	var answer wrapperspb.BytesValue
	return e.connection.Invoke(ctx, "/echo/Ask", e.question, &answer)
}
