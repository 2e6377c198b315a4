// Runs the descheduler's plugin RemovePodsViolatingTopologySpreadConstraint on a cluster from a file, again and again until
// it evicts nothing, and prints how long each run takes.
//
//	go run . -cluster cluster.binpb -result result.json
//
// The plugin and its evictor have their default arguments. Evictions cost nothing: there is no API server. After each run,
// replacements of the evicted pods are placed (see scheduler), and the next run sees them.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"time"

	"evenkeel.io/loadtest/peer/cluster"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/descheduler/pkg/descheduler/evictions"
	podutil "sigs.k8s.io/descheduler/pkg/descheduler/pod"
	"sigs.k8s.io/descheduler/pkg/framework/plugins/defaultevictor"
	"sigs.k8s.io/descheduler/pkg/framework/plugins/removepodsviolatingtopologyspreadconstraint"
	"sigs.k8s.io/descheduler/pkg/framework/types"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("descheduler: ")
	clusterFile := flag.String("cluster", "", "the nodes and pods, as length-delimited evenkeel.v1.ClusterObject messages")
	resultFile := flag.String("result", "", "the file for the result, as JSON: {runs: [{nanos, evictions}], nodes: by the name of each evicted pod, the node of its last replacement, empty if it has none}")
	most := flag.Int("runs", 100, "stop after this many runs, even if the last one evicted pods")
	flag.Parse()
	if *clusterFile == "" || *resultFile == "" {
		log.Fatal("-cluster and -result must be given")
	}
	if *most < 1 {
		log.Fatalf("-runs must be at least 1, was %d", *most)
	}
	if err := run(*clusterFile, *resultFile, *most); err != nil {
		log.Fatal(err)
	}
}

type result struct {
	Runs  []runResult       `json:"runs"`
	Nodes map[string]string `json:"nodes"`
}

type runResult struct {
	Nanos     int64 `json:"nanos"`
	Evictions int   `json:"evictions"`
}

func run(clusterFile, resultFile string, most int) error {
	objects, err := cluster.Read(clusterFile)
	if err != nil {
		return err
	}
	balanced, err := balance(context.Background(), objects, most)
	if err != nil {
		return err
	}
	text, err := json.Marshal(balanced)
	if err != nil {
		return err
	}
	return os.WriteFile(resultFile, text, 0o644)
}

func balance(ctx context.Context, objects *cluster.Cluster, most int) (*result, error) {
	handle, plugin, err := newPlugin(ctx, objects.Pods)
	if err != nil {
		return nil, err
	}
	scheduler := newScheduler(objects)
	balanced := &result{Nodes: map[string]string{}}
	var pending []*corev1.Pod
	for len(balanced.Runs) < most {
		handle.evicted = nil
		start := time.Now()
		if status := plugin.Balance(ctx, objects.Nodes); status != nil && status.Err != nil {
			return nil, status.Err
		}
		last := runResult{Nanos: time.Since(start).Nanoseconds(), Evictions: len(handle.evicted)}
		balanced.Runs = append(balanced.Runs, last)
		fmt.Printf("run %d: %d evictions in %.2f s\n", len(balanced.Runs), last.Evictions, float64(last.Nanos)/1e9)
		if last.Evictions == 0 {
			break
		}
		// The order of a map's iteration decides in which order the plugin evicts.
		slices.SortFunc(handle.evicted, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
		for _, pod := range handle.evicted {
			scheduler.remove(pod)
			if err := handle.pods.Delete(pod); err != nil {
				return nil, err
			}
		}
		unplaced := append(pending, handle.evicted...)
		pending = nil
		for _, pod := range unplaced {
			replacement := pod.DeepCopy()
			replacement.Spec.NodeName = scheduler.place(pod)
			balanced.Nodes[pod.Name] = replacement.Spec.NodeName
			if replacement.Spec.NodeName == "" {
				pending = append(pending, replacement)
			} else if err := handle.pods.Add(replacement); err != nil {
				return nil, err
			}
		}
	}
	return balanced, nil
}

// handle is what plugins see of the descheduler. It records the pods to evict.
type handle struct {
	types.Handle
	informers  informers.SharedInformerFactory
	pods       cache.Indexer
	podsOnNode podutil.GetPodsAssignedToNodeFunc
	filters    types.EvictorPlugin
	evicted    []*corev1.Pod
}

func newPlugin(ctx context.Context, pods []*corev1.Pod) (*handle, types.BalancePlugin, error) {
	h := &handle{informers: informers.NewSharedInformerFactory(nil, 0)}
	informer := h.informers.Core().V1().Pods().Informer()
	podsOnNode, err := podutil.BuildGetPodsAssignedToNodeFunc(informer)
	if err != nil {
		return nil, nil, err
	}
	h.podsOnNode, h.pods = podsOnNode, informer.GetIndexer()
	for _, pod := range pods {
		if err := h.pods.Add(pod); err != nil {
			return nil, nil, err
		}
	}
	filters, err := defaultevictor.New(ctx, &defaultevictor.DefaultEvictorArgs{}, h)
	if err != nil {
		return nil, nil, err
	}
	h.filters = filters.(types.EvictorPlugin)
	args := &removepodsviolatingtopologyspreadconstraint.RemovePodsViolatingTopologySpreadConstraintArgs{}
	removepodsviolatingtopologyspreadconstraint.SetDefaults_RemovePodsViolatingTopologySpreadConstraintArgs(args)
	plugin, err := removepodsviolatingtopologyspreadconstraint.New(ctx, args, h)
	if err != nil {
		return nil, nil, err
	}
	return h, plugin.(types.BalancePlugin), nil
}

func (h *handle) Evictor() types.Evictor { return h }

func (h *handle) GetPodsAssignedToNodeFunc() podutil.GetPodsAssignedToNodeFunc { return h.podsOnNode }

func (h *handle) SharedInformerFactory() informers.SharedInformerFactory { return h.informers }

func (h *handle) Filter(pod *corev1.Pod) bool { return h.filters.Filter(pod) }

func (h *handle) PreEvictionFilter(pod *corev1.Pod) bool { return h.filters.PreEvictionFilter(pod) }

func (h *handle) Evict(_ context.Context, pod *corev1.Pod, _ evictions.EvictOptions) error {
	h.evicted = append(h.evicted, pod)
	return nil
}
