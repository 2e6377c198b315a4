package audit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"evenkeel.io/client/go/scheduler/query"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Outcomes of a comparison.
const (
	Equal     = "equal"
	Different = "different"
	// Missing: Evenkeel gave no answer, or it came too late.
	Missing = "missing"
)

var (
	comparisons = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem:      "evenkeel_topology_spread",
		Name:           "comparisons_total",
		Help:           "Comparisons of Evenkeel's answers with those of PodTopologySpread for the same snapshot, by outcome: equal, different or missing.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"profile", "outcome"})
	registerMetrics = sync.OnceFunc(func() { legacyregistry.MustRegister(comparisons) })
)

// Auditor reports comparisons of one profile by a metric and, if answers differ, once a minute by a log line and a file.
type Auditor struct {
	profile string
	// The arguments of the original plugin.
	args   *config.PodTopologySpreadArgs
	server *query.Server
	files  files
	// When a difference was reported last.
	reported time.Time
}

// New fails if files cannot be written to the directory. If that is empty, none are written.
func New(profile string, args *config.PodTopologySpreadArgs, server *query.Server, directory string) (*Auditor, error) {
	registerMetrics()
	a := &Auditor{profile: profile, args: args, server: server, files: files{directory: directory}}
	if err := a.files.check(); err != nil {
		return nil, fmt.Errorf("replayDirectory: %w", err)
	}
	return a, nil
}

// Answers are those of Evenkeel about a pod; nil if there are none.
type Answers struct {
	Pod *v1.Pod
	// The selector of default constraints.
	Owners   labels.Selector
	Verdicts *query.Verdicts
	Scores   *query.Scores
}

// Compare compares answers of the same kind. To be called before the next update of the server.
func (a *Auditor) Compare(ctx context.Context, evenkeel Answers, original *Comparison) {
	if len(original.codes) > 0 {
		if evenkeel.Verdicts == nil {
			a.count(Missing)
		} else {
			a.report(ctx, evenkeel, nil, original.verdicts(evenkeel.Verdicts))
		}
	}
	if len(original.Scores) > 0 {
		if evenkeel.Scores == nil {
			a.count(Missing)
		} else {
			a.report(ctx, evenkeel, original.Scores, original.scored(evenkeel.Scores))
		}
	}
}

func (a *Auditor) count(outcome string) { comparisons.WithLabelValues(a.profile, outcome).Inc() }

func (a *Auditor) report(ctx context.Context, about Answers, scored fwk.NodeScoreList, differences []Difference) {
	if len(differences) == 0 {
		a.count(Equal)
		return
	}
	a.count(Different)
	if time.Since(a.reported) < time.Minute { // A report copies much of the snapshot.
		return
	}
	a.reported = time.Now()
	replay := &Replay{Version: replayVersion, Pod: about.Pod, Args: a.args, Differences: differences}
	replay.Nodes, replay.Pods = a.server.Sent()
	for _, score := range scored {
		replay.Scored = append(replay.Scored, score.Name)
	}
	if !about.Owners.Empty() {
		replay.Owners, _ = query.LabelSelectorOf(about.Owners) // Evenkeel was asked, so it is supported.
	}
	// The objects do not change, so the scheduler need not wait for the file.
	go func() {
		logger := klog.FromContext(ctx)
		file, err := a.files.save(replay.reduced())
		if err != nil {
			logger.Error(err, "Failed to write a replay file to replayDirectory")
		}
		logger.Error(nil, "Evenkeel's answer differs from that of PodTopologySpread", "pod", klog.KObj(about.Pod),
			"scored", len(scored), "differences", len(differences), "first", fmt.Sprintf("%+v", differences[0]), "file", file)
	}()
}
