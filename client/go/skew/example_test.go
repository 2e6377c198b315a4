package skew_test

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/skew"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

var connection *grpc.ClientConn

// The moves that bring the constraints of workloads within maxSkew.
func Example_rebalance() {
	plan, err := evenkeelv1.NewSimulationClient(connection).Rebalance(context.Background(), &evenkeelv1.RebalanceRequest{
		Namespaces: []string{"shop"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("excess", plan.ExcessBefore, "before,", plan.ExcessAfter, "after")
	for _, move := range plan.Moves {
		fmt.Println(move.Pod.Name, "from", plan.Nodes[move.From], "to", plan.Nodes[move.To])
	}
	// Output:
	// excess 3 before, 0 after
	// web-6f5d8-0 from node-a to node-b
	// web-6f5d8-1 from node-a to node-b
}

// The pods to delete when a Deployment is scaled down.
func Example_rankVictims() {
	ranked, err := evenkeelv1.NewPlacementClient(connection).RankVictims(context.Background(), &evenkeelv1.RankVictimsRequest{
		Workload: &evenkeelv1.WorkloadReference{Namespace: "shop", Kind: "Deployment", Name: "web"},
		Count:    2,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, victim := range ranked.Victims {
		fmt.Println(victim.Name, "on", victim.NodeName, "leaves a skew of", victim.Skews[0])
	}
	// Output:
	// web-6f5d8-0 on node-a leaves a skew of 3
	// web-6f5d8-1 on node-a leaves a skew of 2
}

// The pods of lower priority that must go from a node so that a pod fits there.
func Example_preempt() {
	answer, err := evenkeelv1.NewPlacementClient(connection).Preempt(context.Background(), &evenkeelv1.PreemptRequest{
		Pod: &evenkeelv1.Pod{
			Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop"},
			Spec: &evenkeelv1.PodSpec{
				Priority:     proto.Int32(10),
				NodeSelector: map[string]string{"topology.kubernetes.io/zone": "a"},
				Containers:   []*evenkeelv1.Container{requesting("2")},
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range answer.Nodes {
		for _, victim := range node.Victims {
			fmt.Println(node.Name, "without", victim.Pod.Name)
		}
	}
	// Output:
	// node-a without web-6f5d8-2
	// node-a without web-6f5d8-3
}

// All workloads of which a constraint is violated.
func ExampleWorkloads() {
	request := &evenkeelv1.ListSpreadRequest{ViolatedOnly: true}
	for workload, err := range skew.Workloads(context.Background(), evenkeelv1.NewPlacementClient(connection), request) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(workload.Workload.Kind, workload.Workload.Name, "has a skew of", workload.Skew)
	}
	// Output:
	// Deployment web has a skew of 4
}

// TestMain runs the examples only if EVENKEEL_TARGET names a server, which it feeds with four pods on one of two nodes.
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

func feed(ctx context.Context) error {
	objects := &evenkeelv1.Objects{}
	for _, zone := range []string{"a", "b"} {
		objects.Objects = append(objects.Objects, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Node{Node: &evenkeelv1.Node{
			Metadata: &evenkeelv1.ObjectMeta{
				Name: "node-" + zone, Uid: zone, Labels: map[string]string{"topology.kubernetes.io/zone": zone},
			},
			Status: &evenkeelv1.NodeStatus{Allocatable: map[string]*wrapperspb.StringValue{
				"cpu": wrapperspb.String("4"), "pods": wrapperspb.String("110"),
			}},
		}}})
	}
	for i := range 4 {
		name := fmt.Sprint("web-6f5d8-", i)
		objects.Objects = append(objects.Objects, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: &evenkeelv1.Pod{
			Metadata: &evenkeelv1.ObjectMeta{
				Namespace: "shop", Name: name, Uid: name,
				Labels: map[string]string{"app": "web", "pod-template-hash": "6f5d8"},
				OwnerReferences: []*evenkeelv1.OwnerReference{{
					ApiVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-6f5d8", Uid: "web-6f5d8", Controller: proto.Bool(true),
				}},
			},
			Spec: &evenkeelv1.PodSpec{
				NodeName:   "node-a",
				Containers: []*evenkeelv1.Container{requesting("1")},
				TopologySpreadConstraints: []*evenkeelv1.TopologySpreadConstraint{{
					MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: "DoNotSchedule",
					LabelSelector: &evenkeelv1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
				}},
			},
		}}})
	}
	stream, err := evenkeelv1.NewClusterStateClient(connection).Sync(ctx)
	if err != nil {
		return err
	}
	for _, request := range []*evenkeelv1.SyncRequest{
		{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: &evenkeelv1.BeginSnapshot{}}},
		{Step: &evenkeelv1.SyncRequest_Objects{Objects: objects}},
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

func requesting(cpu string) *evenkeelv1.Container {
	return &evenkeelv1.Container{Resources: &evenkeelv1.ResourceRequirements{
		Requests: map[string]*wrapperspb.StringValue{"cpu": wrapperspb.String(cpu)},
	}}
}
