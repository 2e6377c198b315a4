package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
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
	request := &evenkeelv1.EvaluateRequest{
		Pods: []*evenkeelv1.Pod{{
			Metadata: &evenkeelv1.ObjectMeta{Namespace: "shop", Labels: labels},
			Spec: &evenkeelv1.PodSpec{TopologySpreadConstraints: []*evenkeelv1.TopologySpreadConstraint{{
				MaxSkew:           1,
				TopologyKey:       "topology.kubernetes.io/zone",
				WhenUnsatisfiable: "DoNotSchedule",
				LabelSelector:     &evenkeelv1.LabelSelector{MatchLabels: labels},
			}}},
		}},
		Options: &evenkeelv1.QueryOptions{Form: evenkeelv1.AnswerForm_ANSWER_FORM_PACKED, MaxBest: 3},
	}
	best, err := ask(context.Background(), connection, &nodetable.Tables{}, request)
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range best {
		fmt.Println(node)
	}
}

// ask returns the names of the best nodes, best first. Keep the tables between calls: an answer contains only changes.
func ask(ctx context.Context, connection *grpc.ClientConn, tables *nodetable.Tables, request *evenkeelv1.EvaluateRequest) ([]string, error) {
	for {
		request.KnownNodeTableToken = tables.Known()
		response, err := evenkeelv1.NewPlacementClient(connection).Evaluate(ctx, request)
		if err != nil {
			return nil, err
		}
		table, err := tables.Take(request, response)
		if errors.Is(err, nodetable.ErrNotCarried) {
			// The change is too large for an answer: list the nodes in pages and ask again.
			if _, err = tables.List(ctx, evenkeelv1.NewClusterStateClient(connection)); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		var names []string
		switch result := response.Answers[0].Result.(type) {
		case *evenkeelv1.PodAnswer_Error:
			return nil, errors.New(result.Error.Message)
		case *evenkeelv1.PodAnswer_Packed:
			for _, index := range result.Packed.BestIndexes {
				names = append(names, table.Name(int(index)))
			}
		}
		return names, nil
	}
}
