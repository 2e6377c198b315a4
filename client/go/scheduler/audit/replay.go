package audit

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// replayVersion changes whenever fields of a file change their names or meaning.
const replayVersion = 2

// Replay is the content of a replay file: an answer that differs and all that it depends on. Objects have only the
// fields that it depends on, so no environment variables.
type Replay struct {
	Version int     `json:"version"`
	Pod     *v1.Pod `json:"pod"`
	// Args are those of the original. Feature gates are not needed: answers that a gate changes are not compared.
	Args *config.PodTopologySpreadArgs `json:"podTopologySpreadArgs"`
	// Owners is the selector of the pod's services and controller, for default constraints, if there is one.
	Owners *metav1.LabelSelector `json:"owners,omitempty"`
	// Scored are the nodes that were scored. Empty: the verdicts differ.
	Scored      []string     `json:"scored,omitempty"`
	Differences []Difference `json:"differences"`
	Nodes       []*v1.Node   `json:"nodes"`
	Pods        []*v1.Pod    `json:"pods"`
}

// reduced returns a copy with only what is read of each object. Pods of other namespaces are not read.
func (r *Replay) reduced() *Replay {
	copied := *r
	copied.Pod = query.Reduced(r.Pod)
	copied.Pod.Name, copied.Pod.UID = r.Pod.Name, r.Pod.UID
	copied.Nodes = make([]*v1.Node, len(r.Nodes))
	for i, node := range r.Nodes {
		copied.Nodes[i] = &v1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: node.UID, Labels: node.Labels}, Spec: v1.NodeSpec{Taints: node.Spec.Taints}}
	}
	copied.Pods = nil
	for _, pod := range r.Pods {
		if pod.Namespace == r.Pod.Namespace {
			copied.Pods = append(copied.Pods, &v1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, Labels: pod.Labels, DeletionTimestamp: pod.DeletionTimestamp},
				Spec:       v1.PodSpec{NodeName: pod.Spec.NodeName}})
		}
	}
	return &copied
}

// ReadReplay reads a replay file. Errors name the file and, if one is invalid, the field.
func ReadReplay(name string) (*Replay, error) {
	replay := &Replay{}
	if err := replay.read(name); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return replay, nil
}

func (r *Replay) read(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return fmt.Errorf("not a gzip file: %w", err)
	}
	if err := json.NewDecoder(unpacked).Decode(r); err != nil {
		return err
	}
	switch {
	case r.Version != replayVersion:
		return field.NotSupported(field.NewPath("version"), r.Version, []string{strconv.Itoa(replayVersion)})
	case r.Pod == nil:
		return field.Required(field.NewPath("pod"), "")
	case r.Args == nil:
		return field.Required(field.NewPath("podTopologySpreadArgs"), "")
	}
	known := map[string]bool{}
	for _, node := range r.Nodes {
		known[node.Name] = true
	}
	for i, pod := range r.Pods {
		if !known[pod.Spec.NodeName] {
			return field.NotFound(field.NewPath("pods").Index(i).Child("spec", "nodeName"), pod.Spec.NodeName)
		}
	}
	return nil
}

// Evaluate lets the original evaluate the pod again, and returns the nodes of the differences for which its answer is
// still not Evenkeel's.
func (r *Replay) Evaluate(ctx context.Context) ([]Difference, error) {
	metrics.Register() // The original reports the number of its goroutines as a metric.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	snapshot := internalcache.NewSnapshot(r.Pods, r.Nodes)
	factory := informers.NewSharedInformerFactory(nil, 0) // Never started.
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil,
		frameworkruntime.WithSnapshotSharedLister(snapshot), frameworkruntime.WithInformerFactory(factory))
	if err != nil {
		return nil, err
	}
	plugin, err := original.New(ctx, r.Args, handle)
	if err != nil {
		return nil, err
	}
	pod := r.Pod.DeepCopy()
	if r.Owners != nil {
		if err := own(factory, pod, r.Owners); err != nil {
			return nil, err
		}
	}
	results, err := evaluate(ctx, plugin, snapshot, pod, r.Scored)
	if err != nil {
		return nil, err
	}
	var found []Difference
	for _, difference := range r.Differences {
		if difference.Original = results[difference.Node]; difference.Original != difference.Evenkeel {
			found = append(found, difference)
		}
	}
	return found, nil
}

// own gives the pod a controller with this selector.
func own(factory informers.SharedInformerFactory, pod *v1.Pod, owners *metav1.LabelSelector) error {
	controller := true
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "owner", Controller: &controller}}
	return factory.Apps().V1().ReplicaSets().Informer().GetIndexer().Add(&appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: "owner"}, Spec: appsv1.ReplicaSetSpec{Selector: owners}})
}

// evaluate returns the original's scores of these nodes or, if there are none, its verdicts on all nodes.
func evaluate(ctx context.Context, plugin original.Plugin, snapshot *internalcache.Snapshot, pod *v1.Pod, scored []string) (map[string]string, error) {
	nodes, err := snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	results := map[string]string{}
	state := framework.NewCycleState()
	if len(scored) == 0 {
		_, status := plugin.PreFilter(ctx, state, pod, nodes)
		if !status.IsSuccess() && !status.IsSkip() {
			return nil, status.AsError()
		}
		for _, node := range nodes {
			code := fwk.Success
			if !status.IsSkip() {
				code = plugin.Filter(ctx, state, pod, node).Code()
			}
			results[node.Node().Name] = code.String()
		}
		return results, nil
	}
	nodes = nodes[:0:0]
	for _, name := range scored {
		node, err := snapshot.NodeInfos().Get(name)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	scores, status := Score(ctx, plugin, state, pod, nodes)
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	for _, score := range scores {
		results[score.Name] = strconv.FormatInt(score.Score, 10)
	}
	return results, nil
}

// Score returns the original's final scores of the nodes.
func Score(ctx context.Context, plugin original.Plugin, state fwk.CycleState, pod *v1.Pod, nodes []fwk.NodeInfo) (fwk.NodeScoreList, *fwk.Status) {
	if status := plugin.PreScore(ctx, state, pod, nodes); !status.IsSuccess() {
		return nil, status
	}
	scores := make(fwk.NodeScoreList, len(nodes))
	for i, node := range nodes {
		score, status := plugin.Score(ctx, state, pod, node)
		if !status.IsSuccess() {
			return nil, status
		}
		scores[i] = fwk.NodeScore{Name: node.Node().Name, Score: score}
	}
	return scores, plugin.NormalizeScore(ctx, state, pod, scores)
}
