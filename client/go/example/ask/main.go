package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	labels := map[string]string{"app": "web"}
	response, err := evenkeelv1.NewPlacementClient(connection).Evaluate(context.Background(), &evenkeelv1.EvaluateRequest{
		Pods: []*evenkeelv1.Pod{{
			Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Labels: labels},
			Spec: &evenkeelv1.PodSpec{TopologySpreadConstraints: []*evenkeelv1.TopologySpreadConstraint{{
				MaxSkew:           1,
				TopologyKey:       "topology.kubernetes.io/zone",
				WhenUnsatisfiable: "DoNotSchedule",
				LabelSelector:     &evenkeelv1.LabelSelector{MatchLabels: labels},
			}}},
		}},
		Options: &evenkeelv1.QueryOptions{MaxBest: 3},
	})
	if err != nil {
		log.Fatal(err)
	}
	switch result := response.Answers[0].Result.(type) {
	case *evenkeelv1.PodAnswer_Error:
		log.Fatal(result.Error.Message)
	case *evenkeelv1.PodAnswer_Readable:
		for _, node := range result.Readable.Best {
			fmt.Println(node.Name, node.Score)
		}
	}
}
