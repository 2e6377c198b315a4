// ask sends an Evenkeel server the questions of kube-scheduler with Evenkeel's plugin, using the plugin's own client,
// one scheduling cycle after another, until it gets SIGTERM or SIGINT. The scheduler's own snapshot replaces what it
// has sent.
//
// A server JIT-compiles its code for the calls that it gets. Other clients' headers and messages take different paths
// through its transport, so a server warmed up only by those would be cold again for a scheduler's first pod.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/query"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

const (
	// The number of nodes that kube-scheduler scores in a cluster of 5,000.
	scored = 500
	// Generous, because no caller depends on these answers.
	timeout = 5 * time.Second
	zones   = 3
	// Reconnects after this many cycles. A scheduler also sends its whole snapshot when it reconnects.
	connectEvery = 1000
)

func main() {
	server := flag.String("server", "", "the address of Evenkeel: unix:/PATH or HOST:PORT")
	pods := flag.String("pods", "", "a file with a FilterRequest that contains the pods to ask about")
	nodes := flag.String("nodes", "", "a file with the names of the nodes, one per line")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, *server, *pods, *nodes); err != nil {
		fmt.Fprintln(os.Stderr, "ask:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, server, podsFile, nodesFile string) error {
	pods, err := readPods(podsFile)
	if err != nil {
		return err
	}
	names, err := os.ReadFile(nodesFile)
	if err != nil {
		return err
	}
	metrics.Register() // The scheduler's cache reports its size.
	for number := 0; ctx.Err() == nil; number += connectEvery {
		if err := connected(ctx, server, pods, strings.Fields(string(names)), number); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// connected runs cycles over one connection for a while.
func connected(ctx context.Context, address string, pods []*v1.Pod, nodes []string, number int) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	server, err := query.NewServer(ctx, &config.EvenkeelTopologySpreadArgs{Server: address}, func(error) {})
	if err != nil {
		return err
	}
	go server.Run(func(bool) {})
	a := &asking{server: server, cache: internalcache.New(ctx, nil, false), snapshot: internalcache.NewEmptySnapshot()}
	for i, name := range nodes {
		a.cache.AddNode(logger, &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Labels: map[string]string{
			v1.LabelHostname: name, v1.LabelTopologyZone: fmt.Sprintf("zone-%d", i%zones)}}})
	}
	if err := a.awaitSnapshot(ctx); err != nil {
		return err
	}
	for last := number + connectEvery; number < last && ctx.Err() == nil; number++ {
		if err := a.cycle(ctx, pods[number%len(pods)], number); err != nil {
			return err
		}
	}
	return nil
}

// readPods reads pods of a FilterRequest as Kubernetes pods. The two messages have the same fields.
func readPods(file string) ([]*v1.Pod, error) {
	bytes, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	request := &evenkeelv1.FilterRequest{}
	if err := proto.Unmarshal(bytes, request); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(request.Pods) == 0 {
		return nil, fmt.Errorf("%s: contains no pods", file)
	}
	pods := make([]*v1.Pod, len(request.Pods))
	for i, written := range request.Pods {
		bytes, err := proto.Marshal(written)
		if err != nil {
			return nil, err
		}
		pods[i] = &v1.Pod{}
		if err := pods[i].Unmarshal(bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return pods, nil
}

var (
	logger   = klog.Background()
	defaults = &evenkeelv1.DefaultConstraints{Type: evenkeelv1.DefaultConstraints_TYPE_SYSTEM}
)

// asking runs one cycle after another. It is used by one goroutine.
type asking struct {
	server   *query.Server
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	// The last cycle's assumed pod; nil if there is none.
	assumed *v1.Pod
}

func (a *asking) update() error {
	if err := a.cache.UpdateSnapshot(logger, a.snapshot); err != nil {
		return err
	}
	nodes, err := a.snapshot.NodeInfos().List()
	if err != nil {
		return err
	}
	return a.server.Update(nodes)
}

// awaitSnapshot connects, and sends the snapshot part by part.
func (a *asking) awaitSnapshot(ctx context.Context) error {
	err := a.update()
	for began := time.Now(); err != nil && ctx.Err() == nil && time.Since(began) < timeout; err = a.update() {
		time.Sleep(time.Millisecond)
	}
	return err
}

// cycle asks which nodes may take the pod, and for their scores, and assumes the pod on one of them, like a
// scheduling cycle. It forgets the previous pod.
func (a *asking) cycle(ctx context.Context, pod *v1.Pod, number int) error {
	if err := a.update(); err != nil {
		return err
	}
	hard, soft := constraints(pod)
	question, err := query.NewQuestion(pod, defaults, labels.Everything(), hard, soft)
	if err != nil {
		return err
	}
	verdicts, err := a.server.AskVerdicts(question)(ctx, timeout)
	if err != nil {
		return fmt.Errorf("no verdicts: %w", err)
	}
	nodes, err := a.snapshot.NodeInfos().List()
	if err != nil {
		return err
	}
	var passed []string
	for _, node := range nodes {
		if verdicts.For(node.Node().Name) == evenkeelv1.NodeCode_NODE_CODE_SUCCESS {
			if passed = append(passed, node.Node().Name); len(passed) == scored {
				break
			}
		}
	}
	if err := a.forget(); err != nil || len(passed) == 0 {
		return err
	}
	if soft > 0 {
		if _, err := a.server.AskScores(question, passed)(ctx, timeout); err != nil {
			return fmt.Errorf("no scores: %w", err)
		}
	}
	a.assumed = pod.DeepCopy()
	a.assumed.Name, a.assumed.UID = fmt.Sprintf("asked-%d", number), types.UID(fmt.Sprintf("asked-%d", number))
	a.assumed.Spec.NodeName = passed[0]
	return a.cache.AssumePod(logger, a.assumed)
}

// constraints counts those of the pod. It has no default ones.
func constraints(pod *v1.Pod) (hard, soft int32) {
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		if constraint.WhenUnsatisfiable == v1.DoNotSchedule {
			hard++
		} else {
			soft++
		}
	}
	return hard, soft
}

func (a *asking) forget() error {
	if a.assumed == nil {
		return nil
	}
	forgotten := a.assumed
	a.assumed = nil
	return a.cache.ForgetPod(logger, forgotten)
}
