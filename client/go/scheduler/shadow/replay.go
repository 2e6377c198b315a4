package shadow

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

const (
	// As many files are written in the life of a process.
	mostFiles = 20
	// As many nodes are named in the log.
	mostNamed = 10
)

// replay tells of different answers, with all that is needed to judge them again.
type replay struct {
	// directory is empty where no files are wanted.
	directory string
	written   atomic.Int32
}

// Replay is a different answer and what it rests on, as a file holds it.
type Replay struct {
	Pod      *v1.Pod                   `json:"pod"`
	Revision *evenkeelv1.Revision      `json:"revision"`
	Versions []*evenkeelv1.KindVersion `json:"versions"`
	// Scored has the nodes that were scored. Empty: the answer was of verdicts on all nodes.
	Scored []string `json:"scored,omitempty"`
	// Differences say what each of the two says, by node.
	Differences []string `json:"differences"`
	Cluster     *Cluster `json:"cluster"`
	// Explanation is Evenkeel's own, in protobuf's JSON: what it counts just afterwards, at the versions that it names.
	Explanation json.RawMessage `json:"explanation,omitempty"`
}

// tell is given what explains Evenkeel's answer, which is called only where a file is written.
func (r *replay) tell(ctx context.Context, c *comparison, cluster *Cluster, found []string, explain func() (json.RawMessage, error)) {
	logger := klog.FromContext(ctx)
	file := ""
	if r.directory != "" && r.written.Add(1) <= mostFiles {
		explanation, err := explain()
		if err != nil {
			logger.Error(err, "A different answer cannot be explained")
		}
		written, err := r.write(&Replay{
			Pod: c.pod, Revision: c.rest.Revision, Versions: c.rest.Versions, Scored: c.scored,
			Differences: found, Cluster: cluster, Explanation: explanation})
		if err != nil {
			logger.Error(err, "A different answer cannot be written down")
		}
		file = written
	}
	pod, err := json.Marshal(c.pod)
	if err != nil {
		pod = []byte(err.Error())
	}
	named := found
	if len(named) > mostNamed {
		named = append(append([]string(nil), named[:mostNamed]...), fmt.Sprintf("and %d more nodes", len(found)-mostNamed))
	}
	logger.Error(nil, "Evenkeel's answer is different from that of PodTopologySpread", "pod", klog.KObj(c.pod), "of", string(pod),
		"revision", c.rest.Revision.String(), "versions", fmt.Sprint(c.rest.Versions), "scored", len(c.scored), "differences", named, "file", file)
}

func (r *replay) write(different *Replay) (string, error) {
	name := fmt.Sprintf("%s-%s.json.gz", time.Now().UTC().Format("20060102T150405.000000"), different.Pod.UID)
	file, err := os.Create(filepath.Join(r.directory, name))
	if err != nil {
		return "", err
	}
	defer file.Close()
	packed := gzip.NewWriter(file)
	if err := json.NewEncoder(packed).Encode(different); err != nil {
		return "", err
	}
	return file.Name(), packed.Close()
}
