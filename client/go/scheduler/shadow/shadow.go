// Package shadow compares Evenkeel's answers with those of kube-scheduler's own PodTopologySpread, which count.
//
// Both judge what they have seen, which need not be the same: Evenkeel may be ahead. So where they disagree, the original
// judges again, on the objects at the versions that Evenkeel's answer names, with the pods that were assumed at its
// revision. Only where it still says something else is the answer different.
package shadow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/scheduler/ask"
	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/original"
	"google.golang.org/protobuf/encoding/protojson"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

const (
	// As many comparisons may wait. Where more come, they are given up.
	mostWaiting     = 1000
	mostDisagreeing = 5000
	workers         = 2
	// As long as the versions of an answer may take to come to the scheduler: of a kind that nothing happens to, a bookmark
	// tells about once a minute.
	patience = 90 * time.Second
)

var (
	errOtherNodes = errors.New("a node is not there at the versions of the answer")
	errUncertain  = errors.New("it is not certain what was assumed")
)

// Shadow compares for one profile, in the background.
type Shadow struct {
	plugin    original.Plugin
	handle    fwk.Handle
	args      *config.PodTopologySpreadArgs
	questions *ask.Profile
	journals  Journals
	progress  *progress
	ledger    *assumption.Ledger
	history   *assumption.History
	replay    replay
	waiting   chan func(context.Context)
	asking    atomic.Int32
	// Those that wait for the versions of an answer; and the one that is judged again.
	disagreeing chan struct{}
	judging     sync.Mutex
	// ended is told of each outcome, for tests.
	ended func(outcome, reason string)
}

// Options of a Shadow.
type Options struct {
	Plugin          original.Plugin
	Handle          fwk.Handle
	Args            *config.PodTopologySpreadArgs
	Asking          *ask.Profile
	Server          *ask.Server
	Journals        Journals
	ReplayDirectory string
}

// Start compares until the context ends.
func Start(ctx context.Context, options Options) *Shadow {
	registerMetrics()
	s := &Shadow{
		plugin:      options.Plugin,
		handle:      options.Handle,
		args:        options.Args,
		questions:   options.Asking,
		journals:    options.Journals,
		progress:    &progress{ask: options.Asking.Status},
		ledger:      options.Server.Assumptions,
		history:     options.Server.History,
		replay:      replay{directory: options.ReplayDirectory},
		waiting:     make(chan func(context.Context), mostWaiting),
		disagreeing: make(chan struct{}, mostDisagreeing),
		ended: func(outcome, reason string) {
			outcomes.WithLabelValues(outcome, reason).Inc()
			underWay.Dec()
		},
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case compare := <-s.waiting:
					compare(ctx)
					s.asking.Add(-1)
				}
			}
		})
	}
	return s
}

// Asking is how many questions wait for an answer.
func (s *Shadow) Asking() int { return int(s.asking.Load()) }

func (s *Shadow) later(compare func(context.Context)) {
	s.asking.Add(1)
	underWay.Inc()
	select {
	case s.waiting <- compare:
	default:
		s.asking.Add(-1)
		s.ended(NotComparable, "too_many")
	}
}

// Filter compares the verdicts on all nodes. The state is the original's; nil where it has found no hard constraint in
// force. Nobody may change it afterwards.
func (s *Shadow) Filter(pod *v1.Pod, state fwk.CycleState, infos []fwk.NodeInfo) {
	nodes := make([]*v1.Node, len(infos))
	for i, info := range infos {
		nodes[i] = info.Node()
	}
	s.later(func(ctx context.Context) {
		question, err := s.questions.About(pod)
		if err != nil {
			s.ended(NotComparable, string(ask.PodRefused))
			return
		}
		answer, reason := question.Filter(ctx)
		if reason != "" {
			s.ended(NotComparable, string(reason))
			return
		}
		said := sayings{skipped: skipped}
		if state != nil {
			said = verdictsOf(ctx, s.plugin, state, pod, nodes)
		}
		s.compare(ctx, &comparison{
			pod: pod, rest: answer.Rest, original: said,
			evenkeel: func(judged sayings) sayings { return answeredVerdicts(answer, judged) },
			again: func(ctx context.Context, court *court, cluster *Cluster) (sayings, error) {
				return court.filter(ctx, pod, cluster)
			},
		})
	})
}

// Score compares the final scores of the nodes that were left; nil where the original has found no soft constraint in
// force.
func (s *Shadow) Score(pod *v1.Pod, names []string, scores fwk.NodeScoreList) {
	scores = slices.Clone(scores)
	s.later(func(ctx context.Context) {
		said := sayings{skipped: skipped}
		if scores != nil {
			said = scoresOf(scores)
		}
		question, err := s.questions.About(pod)
		if err != nil {
			s.ended(NotComparable, string(ask.PodRefused))
			return
		}
		// Nodes may have gone meanwhile. Both are asked about the others then.
		answer, names, reason := question.ScoreKnown(ctx, names)
		if reason != "" {
			s.ended(NotComparable, string(reason))
			return
		}
		s.compare(ctx, &comparison{
			pod: pod, rest: answer.Rest, original: said, scored: names,
			evenkeel: func(sayings) sayings { return answeredScores(answer, names) },
			again: func(ctx context.Context, court *court, _ *Cluster) (sayings, error) {
				return court.score(ctx, pod, names)
			},
		})
	})
}

// comparison is of one answer.
type comparison struct {
	pod      *v1.Pod
	rest     ask.Rest
	original sayings
	// scored is empty for verdicts.
	scored []string
	// evenkeel gives what Evenkeel says of what the original has judged.
	evenkeel func(judged sayings) sayings
	again    func(ctx context.Context, court *court, cluster *Cluster) (sayings, error)
}

func (s *Shadow) compare(ctx context.Context, c *comparison) {
	if len(differences(c.original, c.evenkeel(c.original))) == 0 {
		s.ended(Equal, atOnce)
		return
	}
	c.original = nil // It may wait for long.
	// Waiting for the versions keeps no other question from being asked in time.
	select {
	case s.disagreeing <- struct{}{}:
		go func() {
			defer func() { <-s.disagreeing }()
			s.decide(ctx, c)
		}()
	default:
		s.ended(NotComparable, "too_many")
	}
}

// decide ends a comparison that begins with a disagreement.
func (s *Shadow) decide(ctx context.Context, c *comparison) {
	cluster, said, err := s.judgeAgain(ctx, c)
	if err != nil {
		s.ended(NotComparable, why(err))
		return
	}
	found := differences(said, c.evenkeel(said))
	if len(found) == 0 {
		s.ended(Equal, judgedAgain)
		return
	}
	s.replay.tell(ctx, c, cluster, found, func() (json.RawMessage, error) { return s.explain(ctx, c.pod, said, c.evenkeel(said)) })
	s.ended(Different, "")
}

// explain lets Evenkeel say what it counts, and what it says of the nodes about which the two disagree.
func (s *Shadow) explain(ctx context.Context, pod *v1.Pod, original, evenkeel sayings) (json.RawMessage, error) {
	question, err := s.questions.About(pod)
	if err != nil {
		return nil, err
	}
	explanation, err := question.Explain(ctx, disputed(original, evenkeel))
	if err != nil {
		return nil, err
	}
	return protojson.Marshal(explanation)
}

// judgeAgain lets the original judge what Evenkeel has seen.
func (s *Shadow) judgeAgain(ctx context.Context, c *comparison) (*Cluster, sayings, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	states, err := s.journals.at(ctx, c.pod, c.rest, s.progress)
	if err != nil {
		return nil, nil, err
	}
	// What was being told while Evenkeel answered is known afterwards.
	if _, err := s.ledger.Await(ctx); err != nil {
		return nil, nil, errUncertain
	}
	assumed, certain := s.history.At(c.rest.Revision)
	if !certain {
		return nil, nil, errUncertain
	}
	// One at a time: the scheduler needs the processors more.
	s.judging.Lock()
	defer s.judging.Unlock()
	cluster := newCluster(states, assumed, c.pod.Namespace)
	court, err := cluster.court(ctx, s.handle, s.args)
	if err != nil {
		return nil, nil, err
	}
	said, err := c.again(ctx, court, cluster)
	return cluster, said, err
}

func why(err error) string {
	switch {
	case errors.Is(err, errUntold):
		return "versions_untold"
	case errors.Is(err, errForgotten):
		return "versions_forgotten"
	case errors.Is(err, errNotReached):
		return "versions_not_reached"
	case errors.Is(err, errOtherNodes):
		return "other_nodes"
	case errors.Is(err, errUncertain):
		return "assumptions_uncertain"
	}
	return "failed"
}
