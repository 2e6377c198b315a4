package shadow

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// replayVersion changes whenever fields of a file change their names or meaning.
const replayVersion = 1

// Replay is the content of a replay file: a different answer and its input.
type Replay struct {
	Version int     `json:"version"`
	Pod     *v1.Pod `json:"pod"`
	// Args are those of the original. Feature gates are not needed: answers that a gate changes are not compared.
	Args     *config.PodTopologySpreadArgs `json:"podTopologySpreadArgs"`
	Revision *evenkeelv1.Revision          `json:"revision"`
	Versions []*evenkeelv1.KindVersion     `json:"versions"`
	// Scored are the nodes that were scored. Empty: the answer contained verdicts on all nodes.
	Scored []string `json:"scored,omitempty"`
	// Evenkeel is its result for each node; for "*" if no constraint is in force.
	Evenkeel results `json:"evenkeel"`
	// Differences are the two results for each node that differs.
	Differences []string `json:"differences"`
	Cluster     *Cluster `json:"cluster"`
	// Explanation is Evenkeel's own explanation just afterwards, in protobuf's JSON, at the versions that it names.
	Explanation json.RawMessage `json:"explanation,omitempty"`
}

// ReadReplay reads a replay file. Errors name the file and, if one is invalid, the field.
func ReadReplay(name string) (*Replay, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	replay := &Replay{}
	if err := replay.read(file); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return replay, nil
}

func (r *Replay) read(packed io.Reader) error {
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("not a gzip file: %w", err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		return fmt.Errorf("truncated or corrupt: %w", err)
	}
	var format struct{ Version int }
	if err := json.Unmarshal(text, &format); err != nil {
		return err
	}
	if format.Version != replayVersion {
		return field.NotSupported(field.NewPath("version"), format.Version, []string{strconv.Itoa(replayVersion)})
	}
	if err := json.Unmarshal(text, r); err != nil {
		return err
	}
	return r.validate()
}

// validate reports missing fields, and names that are not those of nodes.
func (r *Replay) validate() error {
	var errs field.ErrorList
	for _, required := range []struct {
		name  string
		given bool
	}{
		{"pod", r.Pod != nil},
		{"podTopologySpreadArgs", r.Args != nil},
		{"evenkeel", len(r.Evenkeel) > 0},
		{"cluster", r.Cluster != nil},
	} {
		if !required.given {
			errs = append(errs, field.Required(field.NewPath(required.name), ""))
		}
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	known := map[string]bool{}
	for _, node := range r.Cluster.Nodes {
		known[node.Name] = true
	}
	for i, name := range r.Scored {
		if !known[name] {
			errs = append(errs, field.NotFound(field.NewPath("scored").Index(i), name))
		}
	}
	for i, pod := range r.Cluster.Pods {
		if !known[pod.Spec.NodeName] {
			errs = append(errs, field.NotFound(field.NewPath("cluster", "Pods").Index(i).Child("spec", "nodeName"), pod.Spec.NodeName))
		}
	}
	if len(errs) > 0 {
		return errs.ToAggregate()
	}
	return nil
}

// Evaluate lets the original evaluate the replay again, and returns the differences from Evenkeel's results.
func (r *Replay) Evaluate(ctx context.Context) ([]string, error) {
	metrics.Register() // The original reports the number of its goroutines as a metric.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	handle, err := frameworkruntime.NewFramework(ctx, nil, nil)
	if err != nil {
		return nil, err
	}
	original, err := r.Cluster.evaluate(ctx, handle, r.Args, r.Pod, r.Scored)
	return differences(original, r.Evenkeel), err
}
