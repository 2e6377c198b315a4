// Command echo answers each call with the bytes that it was sent, on the given Unix domain socket. It shows the cost
// of a gRPC call that computes nothing.
package main

import (
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: echo SOCKET")
		os.Exit(2)
	}
	listener, err := net.Listen("unix", os.Args[1])
	if err == nil {
		err = grpc.NewServer(grpc.UnknownServiceHandler(answer)).Serve(listener)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func answer(_ any, call grpc.ServerStream) error {
	var message wrapperspb.BytesValue
	if err := call.RecvMsg(&message); err != nil {
		return err
	}
	return call.SendMsg(&message)
}
