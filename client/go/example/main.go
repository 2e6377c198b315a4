// Asks a running Evenkeel which nodes suit a pod.
//
//	go run . -target 127.0.0.1:7450
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/internal/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func main() {
	server := connect.Flags(flag.CommandLine)
	sample := flag.Bool("sample", false, "first replace the server's cluster by three nodes in three zones, with 2, 1 and 1 pods")
	feeder := flag.String("feeder", "go-example", "with -sample: the name of this feeder; feeders that run at the same time need different names")
	takeover := flag.Bool("takeover", false, "with -sample: take over from another feeder instead of waiting until it ends")
	flag.Parse()

	connection, err := server.Dial()
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	if *sample {
		objects, err := sampleCluster()
		if err != nil {
			log.Fatal(err)
		}
		state := evenkeelv1.NewClusterStateClient(connection)
		if err := feedInTurn(context.Background(), state, *feeder, *takeover, objects); err != nil {
			log.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := evaluate(ctx, evenkeelv1.NewPlacementClient(connection)); err != nil {
		switch reason(err) {
		case evenkeelv1.ErrorReason_ERROR_REASON_NOT_FED:
			log.Fatal("the server has no cluster yet: start it with --cluster, or run this with -sample")
		default:
			log.Fatalf("%s: %v", reason(err), err)
		}
	}
}

// reason returns why a call failed. Use it rather than the message, which may change.
func reason(err error) evenkeelv1.ErrorReason {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.Domain == "evenkeel.io" {
			return evenkeelv1.ErrorReason(evenkeelv1.ErrorReason_value[info.Reason])
		}
	}
	return evenkeelv1.ErrorReason_ERROR_REASON_UNSPECIFIED
}

func evaluate(ctx context.Context, placement evenkeelv1.PlacementClient) error {
	pod, err := fromKubernetes(webPod("", ""))
	if err != nil {
		return err
	}
	response, err := placement.Evaluate(ctx, &evenkeelv1.EvaluateRequest{
		Pods: []*evenkeelv1.Pod{pod},
		Options: &evenkeelv1.QueryOptions{
			Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Enterable{Enterable: &evenkeelv1.EnterableNodes{}}},
			MaxBest:    3,
		},
	})
	if err != nil {
		return err
	}
	switch result := response.Answers[0].Result.(type) {
	case *evenkeelv1.PodAnswer_Error:
		return fmt.Errorf("the pod was refused (%s): %s", result.Error.Reason, result.Error.Message)
	case *evenkeelv1.PodAnswer_Readable:
		answer := result.Readable
		fmt.Printf("%d of %d nodes may take the pod, at revision %d\n", answer.PassedCount, answer.CandidateCount, response.Revision.Counter)
		for _, node := range answer.Best {
			fmt.Printf("  %-24s score %3d\n", node.Name, node.Score)
		}
		for _, reason := range answer.Reasons {
			fmt.Printf("  %d %s\n", reason.NodeCount, reason.Message)
		}
	}
	return nil
}

// Kubernetes objects have the field numbers of evenkeel.v1, so their bytes parse as its messages. Fields that
// Evenkeel does not use are dropped.
func fromKubernetes(pod *corev1.Pod) (*evenkeelv1.Pod, error) {
	bytes, err := pod.Marshal()
	if err != nil {
		return nil, err
	}
	message := &evenkeelv1.Pod{}
	err = proto.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(bytes, message)
	return message, err
}

// A pod of the web workload, spread over the zones with maxSkew 1.
func webPod(name, node string) *corev1.Pod {
	labels := map[string]string{"app": "web"}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID("uid-" + name), Labels: labels},
		Spec: corev1.PodSpec{
			NodeName: node,
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				MaxSkew:           1,
				TopologyKey:       corev1.LabelTopologyZone,
				WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector:     &metav1.LabelSelector{MatchLabels: labels},
			}},
		},
	}
}

// sampleCluster is three nodes in three zones, with 2, 1 and 1 pods of the web workload.
func sampleCluster() ([]*evenkeelv1.ClusterObject, error) {
	var objects []*evenkeelv1.ClusterObject
	for _, zone := range []string{"a", "b", "c"} {
		objects = append(objects, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Node{Node: &evenkeelv1.Node{
			Metadata: &evenkeelv1.ObjectMeta{
				Name:   "node-" + zone,
				Uid:    "uid-node-" + zone,
				Labels: map[string]string{corev1.LabelTopologyZone: zone, corev1.LabelHostname: "node-" + zone},
			},
		}}})
	}
	for i, node := range []string{"node-a", "node-a", "node-b", "node-c"} {
		pod, err := fromKubernetes(webPod(fmt.Sprintf("web-%d", i), node))
		if err != nil {
			return nil, err
		}
		objects = append(objects, &evenkeelv1.ClusterObject{Object: &evenkeelv1.ClusterObject_Pod{Pod: pod}})
	}
	return objects, nil
}
