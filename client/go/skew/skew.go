// Package skew lists how evenly the pods of workloads are spread now.
package skew

import (
	"context"
	"iter"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
)

// Workloads lists the workloads that a request asks for, in its order, page by page. It ends with the first error.
// The options are those of each call: by default, gRPC refuses answers above 4 MiB, which pages keep within unless
// the domains of one workload take more.
func Workloads(ctx context.Context, placement evenkeelv1.PlacementClient, request *evenkeelv1.ListSpreadRequest, options ...grpc.CallOption) iter.Seq2[*evenkeelv1.WorkloadSpread, error] {
	return func(yield func(*evenkeelv1.WorkloadSpread, error) bool) {
		next := proto.CloneOf(request)
		for {
			page, err := placement.ListSpread(ctx, next, options...)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, workload := range page.Workloads {
				if !yield(workload, nil) {
					return
				}
			}
			if page.NextPageToken == "" {
				return
			}
			next.PageToken = page.NextPageToken
		}
	}
}
