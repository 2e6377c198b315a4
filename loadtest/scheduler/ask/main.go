// ask sends an Evenkeel server the queries of kube-scheduler with Evenkeel's plugin, using the plugin's own client,
// one scheduling cycle after another, until it gets SIGTERM or SIGINT.
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
	"evenkeel.io/client/go/scheduler/resourceversion"
	"google.golang.org/protobuf/proto"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

const (
	// The number of nodes that kube-scheduler scores in a cluster of 5,000.
	scored = 500
	// Generous, because no caller depends on these answers.
	deadline = 5 * time.Second
	// Queries require the versions of a moment ago, which are updated after this many cycles.
	versionsEvery = 100
	// Reconnects after this many cycles. A scheduler also lists the nodes when it reconnects.
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
	for number := 0; ctx.Err() == nil; number += connectEvery {
		if err := connected(ctx, server, pods, strings.Fields(string(names)), number); err != nil {
			return err
		}
	}
	return nil
}

// connected runs cycles over one connection for a while.
func connected(ctx context.Context, server string, pods []*v1.Pod, nodes []string, number int) error {
	args := &config.EvenkeelTopologySpreadArgs{Server: server, Deadline: &metav1.Duration{Duration: deadline}}
	link, err := query.NewLink(args)
	if err != nil {
		return err
	}
	// The last queries and forgotten pods are sent even after ctx is cancelled.
	running, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	go link.Run(running)
	asked := query.NewClient(args, link, &resourceversion.Tracker{}, func(error) {})
	go asked.Run(running)
	profile, err := query.NewProfile(asked, &schedulerconfig.PodTopologySpreadArgs{DefaultingType: schedulerconfig.SystemDefaulting})
	if err != nil {
		return err
	}
	a := &asking{link: link, client: asked, profile: profile, nodes: nodes}
	for last := number + connectEvery; number < last && ctx.Err() == nil; number++ {
		if number%versionsEvery == 0 {
			if err := a.lookAtVersions(running); err != nil {
				return err
			}
		}
		if err := a.cycle(running, pods[number%len(pods)], number); err != nil {
			return err
		}
	}
	a.forget()
	waiting, cancel := context.WithTimeout(running, deadline)
	defer cancel()
	_, err = link.Assumptions.Await(waiting)
	return err
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

// asking runs one cycle after another. It is used by one goroutine.
type asking struct {
	link    *query.Link
	client  *query.Client
	profile *query.Profile
	nodes   []string
	// The UID of the last cycle's assumed pod; empty if there is none.
	assumed string
}

// lookAtVersions makes later queries require the server's current versions, as a scheduler requires those that its
// informers have seen.
func (a *asking) lookAtVersions(ctx context.Context) error {
	status, err := a.profile.Status(ctx)
	if err != nil {
		return err
	}
	for _, kind := range status.Kinds {
		// The scheduler watches no disruption budgets.
		if kind.ResourceVersion != "" && kind.Kind != evenkeelv1.ObjectKind_OBJECT_KIND_POD_DISRUPTION_BUDGET {
			a.client.ResourceVersions.Record(kind.Kind, &metav1.ObjectMeta{ResourceVersion: kind.ResourceVersion})
		}
	}
	return nil
}

// cycle calls Filter and Score for the pod and assumes it on a node, like a scheduling cycle. It forgets the previous
// pod. The next query reports both to the server.
func (a *asking) cycle(ctx context.Context, pod *v1.Pod, number int) error {
	named := pod.DeepCopy()
	named.UID = types.UID(fmt.Sprintf("asked-%d", number))
	question, err := a.profile.NewQuery(ctx, named)
	if err != nil {
		return err
	}
	verdicts, reason := question.Filter(ctx)
	if reason != "" {
		return fmt.Errorf("Filter failed: %s", reason)
	}
	var passed []string
	for _, node := range a.nodes {
		if code, known := verdicts.ForName(node); known && code == evenkeelv1.NodeCode_NODE_CODE_SUCCESS {
			if passed = append(passed, node); len(passed) == scored {
				break
			}
		}
	}
	a.forget()
	if len(passed) == 0 {
		return nil
	}
	if _, reason := question.Score(ctx, passed); reason != "" {
		return fmt.Errorf("Score failed: %s", reason)
	}
	a.link.Assumptions.Assume(question.Pod, passed[0])
	a.assumed = string(named.UID)
	return nil
}

func (a *asking) forget() {
	if a.assumed != "" {
		a.link.Assumptions.Forget(a.assumed)
		a.assumed = ""
	}
}
