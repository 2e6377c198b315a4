// Runs Karpenter's scheduler (Solve) for equal pending pods and an empty cluster, and prints how long it takes and how many
// nodes it would start.
//
//	go run . -cluster templates.binpb -result result.json -pods 1000
//
// Each node of the file is an instance type that is offered in the node's zone, and the one pod is what the pending pods are
// like. All instance types belong to one NodePool without limits. Nothing runs meanwhile, and no API server is asked.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"evenkeel.io/loadtest/peer/cluster"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	runtimelog "sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	requirements "sigs.k8s.io/karpenter/pkg/scheduling"
)

// reconciles is how many pods Karpenter's own benchmark judges at once.
const reconciles = 5

func main() {
	log.SetFlags(0)
	log.SetPrefix("karpenter: ")
	clusterFile := flag.String("cluster", "", "the instance types as nodes, and a pod, as length-delimited evenkeel.v1.ClusterObject messages")
	resultFile := flag.String("result", "", "the file for the result, as JSON: {nanos, nodes: how many it would start, placed: how many pods these take, finished}")
	pods := flag.Int("pods", 1000, "how many such pods are pending")
	limit := flag.Duration("limit", time.Minute, "stop after this time, as Karpenter does")
	flag.Parse()
	if *clusterFile == "" || *resultFile == "" {
		log.Fatal("-cluster and -result must be given")
	}
	if *pods < 1 {
		log.Fatalf("-pods must be at least 1, was %d", *pods)
	}
	if err := run(*clusterFile, *resultFile, *pods, *limit); err != nil {
		log.Fatal(err)
	}
}

type result struct {
	Nanos    int64 `json:"nanos"`
	Nodes    int   `json:"nodes"`
	Placed   int   `json:"placed"`
	Finished bool  `json:"finished"`
}

func run(clusterFile, resultFile string, pods int, limit time.Duration) error {
	objects, err := cluster.Read(clusterFile)
	if err != nil {
		return err
	}
	if len(objects.Pods) != 1 {
		return fmt.Errorf("%s must have one pod, has %d", clusterFile, len(objects.Pods))
	}
	solved, err := solve(objects.Nodes, copies(objects.Pods[0], pods), limit)
	if err != nil {
		return err
	}
	fmt.Printf("%d pods: %d placed on %d nodes in %.2f s\n", pods, solved.Placed, solved.Nodes, float64(solved.Nanos)/1e9)
	text, err := json.Marshal(solved)
	if err != nil {
		return err
	}
	return os.WriteFile(resultFile, text, 0o644)
}

func solve(templates []*corev1.Node, pods []*corev1.Pod, limit time.Duration) (*result, error) {
	runtimelog.SetLogger(logging.NopLogger)
	ctx := options.ToContext(context.Background(), &options.Options{})
	pool := &v1.NodePool{}
	pool.Name = "pool"
	pool.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: "peer", Kind: "Class", Name: "class"}
	pools := []*v1.NodePool{pool}
	offered := map[string][]*cloudprovider.InstanceType{pool.Name: instanceTypes(templates)}
	client := fake.NewFakeClient()
	now := clock.RealClock{}
	empty := state.NewCluster(now, client, nil)
	parallel := scheduling.NumConcurrentReconciles(reconciles)
	start := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	topology, err := scheduling.NewTopology(ctx, client, empty, nil, pools, offered, pods, parallel)
	if err != nil {
		return nil, err
	}
	scheduler := scheduling.NewScheduler(ctx, client, pools, empty, nil, topology, offered, nil,
		events.NewRecorder(&record.FakeRecorder{}), now, nil, nil, parallel)
	solution, err := scheduler.Solve(ctx, pods)
	solved := &result{Nanos: time.Since(start).Nanoseconds(), Nodes: len(solution.NewNodeClaims), Finished: err == nil}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	for _, node := range solution.NewNodeClaims {
		solved.Placed += len(node.Pods)
	}
	return solved, nil
}

func instanceTypes(templates []*corev1.Node) []*cloudprovider.InstanceType {
	made := make([]*cloudprovider.InstanceType, len(templates))
	for i, template := range templates {
		labels := map[string]string{
			corev1.LabelInstanceTypeStable: template.Name,
			corev1.LabelArchStable:         v1.ArchitectureAmd64,
			corev1.LabelOSStable:           string(corev1.Linux),
			corev1.LabelTopologyZone:       template.Labels[corev1.LabelTopologyZone],
			v1.CapacityTypeLabelKey:        v1.CapacityTypeOnDemand,
		}
		made[i] = &cloudprovider.InstanceType{
			Name:         template.Name,
			Requirements: requirements.NewLabelRequirements(labels),
			Offerings: cloudprovider.Offerings{{
				Available: true,
				Price:     1,
				Requirements: requirements.NewLabelRequirements(map[string]string{
					corev1.LabelTopologyZone: labels[corev1.LabelTopologyZone],
					v1.CapacityTypeLabelKey:  v1.CapacityTypeOnDemand,
				}),
			}},
			Capacity: template.Status.Allocatable,
			Overhead: &cloudprovider.InstanceTypeOverhead{},
		}
	}
	return made
}

func copies(pod *corev1.Pod, count int) []*corev1.Pod {
	pods := make([]*corev1.Pod, count)
	for i := range pods {
		pods[i] = pod.DeepCopy()
		pods[i].Name = fmt.Sprintf("%s-%d", pod.Name, i)
		pods[i].UID = types.UID(pods[i].Name)
	}
	return pods
}
