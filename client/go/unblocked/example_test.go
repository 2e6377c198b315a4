package unblocked_test

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/unblocked"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var connection *grpc.ClientConn

// Waits until a node accepts a pending pod.
func ExampleWatch() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	watch, err := unblocked.Open(ctx, evenkeelv1.NewPlacementClient(connection))
	if err != nil {
		log.Fatal(err)
	}
	if err := watch.Add("shop/big", pod("big", "", "3")); err != nil {
		log.Fatal(err)
	}
	for {
		response, err := watch.Next()
		if err != nil {
			log.Fatal(err) // The stream has ended: open another one, and add the pods again.
		}
		for _, added := range response.Added {
			if added.GetState() == nil {
				log.Fatal(added.Key, " is not watched: ", added.GetError().GetMessage())
			}
			fmt.Println(added.Key, "passes on", added.GetState().PassedCount, "nodes")
			// In a cluster, the feed of the server does this.
			if err := remove(ctx, pod("small", "node-a", "2")); err != nil {
				log.Fatal(err)
			}
		}
		for _, key := range response.Unblocked {
			fmt.Println("try", key, "again")
			return
		}
	}
	// Output:
	// shop/big passes on 0 nodes
	// try shop/big again
}

// TestMain runs the example only if EVENKEEL_TARGET names a server, which it feeds with a node and a pod on it.
func TestMain(m *testing.M) {
	flag.Parse()
	target := os.Getenv("EVENKEEL_TARGET")
	if target == "" {
		fmt.Println("EXAMPLES ARE NOT RUN: EVENKEEL_TARGET names no server")
		if err := flag.Set("test.run", "^Test"); err != nil {
			log.Fatal(err)
		}
		os.Exit(m.Run())
	}
	var err error
	if connection, err = grpc.NewClient(target, grpc.WithTransportCredentials(insecure.NewCredentials())); err != nil {
		log.Fatal(err)
	}
	if err := feed(context.Background()); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

// feed sends a node with 4 processors, and a pod that takes 2 of them.
func feed(ctx context.Context) error {
	node := &evenkeelv1.Node{
		Metadata: &evenkeelv1.ObjectMeta{Name: "node-a", Uid: "node-a"},
		Status: &evenkeelv1.NodeStatus{Allocatable: map[string]*wrapperspb.StringValue{
			"cpu": wrapperspb.String("4"), "pods": wrapperspb.String("110"),
		}},
	}
	stream, err := evenkeelv1.NewClusterStateClient(connection).Sync(ctx)
	if err != nil {
		return err
	}
	for _, request := range []*evenkeelv1.SyncRequest{
		{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: &evenkeelv1.BeginSnapshot{}}},
		{Step: &evenkeelv1.SyncRequest_Objects{Objects: &evenkeelv1.Objects{Objects: []*evenkeelv1.ClusterObject{
			{Object: &evenkeelv1.ClusterObject_Node{Node: node}},
			{Object: &evenkeelv1.ClusterObject_Pod{Pod: pod("small", "node-a", "2")}},
		}}}},
		{Step: &evenkeelv1.SyncRequest_EndSnapshot{EndSnapshot: &evenkeelv1.EndSnapshot{}}},
	} {
		if err := stream.Send(request); err != nil {
			return err
		}
		response, err := stream.Recv()
		if err != nil {
			return err
		}
		if len(response.Refusals) > 0 {
			return fmt.Errorf("refused: %v", response.Refusals[0])
		}
	}
	return stream.CloseSend()
}

// remove is what a feeder does when a pod has been deleted.
func remove(ctx context.Context, pod *evenkeelv1.Pod) error {
	_, err := evenkeelv1.NewClusterStateClient(connection).Apply(ctx, &evenkeelv1.ApplyRequest{
		Events: []*evenkeelv1.ClusterEvent{{
			Type:   evenkeelv1.ClusterEvent_TYPE_DELETED,
			Object: &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: pod}},
		}},
	})
	return err
}

func pod(name, node, cpu string) *evenkeelv1.Pod {
	return &evenkeelv1.Pod{
		Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Name: name, Uid: name},
		Spec: &evenkeelv1.PodSpec{
			NodeName: node,
			Containers: []*evenkeelv1.Container{{Resources: &evenkeelv1.ResourceRequirements{
				Requests: map[string]*wrapperspb.StringValue{"cpu": wrapperspb.String(cpu)},
			}}},
		},
	}
}
