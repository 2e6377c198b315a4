package assumption

import (
	"context"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
)

// Client sends assumed pods to Evenkeel. Both methods send the request and return a function that waits for the
// response. A short message arrives before a query that is sent afterwards over the same connection; a long one may
// not.
type Client interface {
	Assume(ctx context.Context, request *evenkeelv1.AssumeRequest) (answer func() (*evenkeelv1.AssumeResponse, error))
	Forget(ctx context.Context, request *evenkeelv1.ForgetRequest) (answer func() (*evenkeelv1.ForgetResponse, error))
}

// NewClient returns a client that uses the connection.
func NewClient(connection grpc.ClientConnInterface) Client { return grpcClient{connection} }

type grpcClient struct{ connection grpc.ClientConnInterface }

func (c grpcClient) Assume(ctx context.Context, request *evenkeelv1.AssumeRequest) func() (*evenkeelv1.AssumeResponse, error) {
	return send[evenkeelv1.AssumeResponse](ctx, c.connection, evenkeelv1.ClusterState_Assume_FullMethodName, request)
}

func (c grpcClient) Forget(ctx context.Context, request *evenkeelv1.ForgetRequest) func() (*evenkeelv1.ForgetResponse, error) {
	return send[evenkeelv1.ForgetResponse](ctx, c.connection, evenkeelv1.ClusterState_Forget_FullMethodName, request)
}

// send starts a unary call like grpc.ClientConn.Invoke, and returns a function that waits for the response.
func send[Response any](ctx context.Context, connection grpc.ClientConnInterface, method string, request any) func() (*Response, error) {
	stream, err := connection.NewStream(ctx, &grpc.StreamDesc{}, method, grpc.StaticMethod())
	if err == nil {
		err = stream.SendMsg(request)
	}
	return func() (*Response, error) {
		if err != nil {
			return nil, err
		}
		response := new(Response)
		if err := stream.RecvMsg(response); err != nil {
			return nil, err
		}
		return response, nil
	}
}
