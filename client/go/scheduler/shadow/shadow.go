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
	"fmt"
	"runtime"
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
	// As many questions and comparisons may wait. Where more come, they are given up.
	mostWaiting = 5000
	workers     = 2
	// A question passes through as many, one after another, until it is sent: the worker, and that which writes to the
	// connection.
	goroutines = 2
	tooMany    = "too_many"
	// As long as the versions of an answer may take to come to the scheduler: of a kind that nothing happens to, a bookmark
	// tells about once a minute.
	patience = 90 * time.Second
	// Judging again is followed by pauses of as many times its length.
	pauses = 2
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
	replays   replays
	rotation  rotation
	waiting   chan func(context.Context)
	asking    atomic.Int32
	// The nodes that those hold which wait for Evenkeel.
	held room
	// Those that wait for the versions of an answer; and the one that is judged again.
	disagreeing room
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

// Start compares until the context ends. It fails where the directory of replays cannot be written to.
func Start(ctx context.Context, options Options) (*Shadow, error) {
	registerMetrics()
	replays := replays{directory: options.ReplayDirectory}
	if err := replays.check(); err != nil {
		return nil, fmt.Errorf("replayDirectory: %w", err)
	}
	s := &Shadow{
		plugin:      options.Plugin,
		handle:      options.Handle,
		args:        options.Args,
		questions:   options.Asking,
		journals:    options.Journals,
		progress:    &progress{ask: options.Asking.Status},
		ledger:      options.Server.Assumptions,
		history:     options.Server.History,
		replays:     replays,
		waiting:     make(chan func(context.Context), mostWaiting),
		held:        room{mostAnswers: mostWaiting, mostNodes: mostHeld},
		disagreeing: room{mostAnswers: mostDisagreeing, mostNodes: mostNodes},
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
				case work := <-s.waiting:
					work(ctx)
				}
			}
		})
	}
	return s, nil
}

// Asking is how many questions wait for an answer.
func (s *Shadow) Asking() int { return int(s.asking.Load()) }

// later says whether there is room for work that holds so many nodes.
func (s *Shadow) later(nodes int, work func(context.Context)) bool {
	if !s.held.take(nodes) {
		return false
	}
	select {
	case s.waiting <- func(ctx context.Context) {
		defer s.held.give(nodes)
		work(ctx)
	}:
		return true
	default:
		s.held.give(nodes)
		return false
	}
}

// asked is a question that Evenkeel answers while the original works out what it says itself. So both judge the same
// cluster, unless the watch tells one of them of a change meanwhile.
type asked[A any] struct {
	shadow *Shadow
	pod    *v1.Pod
	done   chan struct{}
	answer A
	// When Evenkeel was asked.
	at time.Time
	// Why there is no answer; empty where there is one.
	reason string
}

func begin[A any](s *Shadow, pod *v1.Pod, nodes int, put func(context.Context, *ask.Question) (A, ask.Reason)) *asked[A] {
	a := &asked[A]{shadow: s, pod: pod, done: make(chan struct{})}
	s.asking.Add(1)
	end := func(reason string) {
		a.reason = reason
		close(a.done)
		s.asking.Add(-1)
	}
	if !s.later(nodes, func(ctx context.Context) {
		question, err := s.questions.About(ctx, pod)
		if err != nil {
			end(string(ask.PodRefused))
			return
		}
		var reason ask.Reason
		a.at = time.Now()
		a.answer, reason = put(ctx, question)
		end(string(reason))
	}) {
		end(tooMany)
	}
	// The question goes out first: the original keeps all processors busy, and when it has ended the pod itself is assumed.
	for range goroutines {
		runtime.Gosched()
	}
	return a
}

// compare goes on once Evenkeel has answered. What it holds of nodes is counted.
func (a *asked[A]) compare(nodes int, with func(ctx context.Context, answer A)) {
	s := a.shadow
	underWay.Inc()
	if !s.later(nodes, func(ctx context.Context) {
		select {
		case <-a.done:
		case <-ctx.Done():
			return
		}
		if a.reason != "" {
			s.ended(NotComparable, a.reason)
			return
		}
		with(ctx, a.answer)
	}) {
		s.ended(NotComparable, tooMany)
	}
}

// Verdicts are those on all nodes.
type Verdicts struct{ *asked[*ask.Verdicts] }

// AskVerdicts comes before the original judges.
func (s *Shadow) AskVerdicts(pod *v1.Pod) Verdicts {
	return Verdicts{begin(s, pod, 0, func(ctx context.Context, q *ask.Question) (*ask.Verdicts, ask.Reason) { return q.Filter(ctx) })}
}

// Compare compares them with the original's, in large clusters on a part of the nodes. The state is the original's; nil
// where it has found no hard constraint in force. Nobody may change it afterwards.
func (v Verdicts) Compare(state fwk.CycleState, infos []fwk.NodeInfo) {
	s, pod := v.shadow, v.pod
	nodes := s.rotation.next(infos)
	v.compare(len(infos), func(ctx context.Context, answer *ask.Verdicts) {
		s.end(ctx, areVerdictsEqual(ctx, s.plugin, state, pod, nodes, answer), &comparison{
			pod: pod, asked: v.at, rest: answer.Rest,
			evenkeel: func(cluster *Cluster) sayings { return answeredVerdicts(answer, cluster.Nodes) },
		})
	})
}

// Scores are the final ones of the nodes that are left.
type Scores struct{ *asked[scoresOfKnown] }

// scoresOfKnown are those of nodes that have not gone meanwhile.
type scoresOfKnown struct {
	*ask.Scores
	nodes []string
}

// AskScores comes before the original scores these nodes.
func (s *Shadow) AskScores(pod *v1.Pod, names []string) Scores {
	return Scores{begin(s, pod, len(names), func(ctx context.Context, q *ask.Question) (scoresOfKnown, ask.Reason) {
		scores, known, reason := q.ScoreKnown(ctx, names)
		return scoresOfKnown{scores, known}, reason
	})}
}

// Compare compares them with the original's; nil where it has found no soft constraint in force. Where nodes have gone,
// the original judges the others again.
func (v Scores) Compare(scores fwk.NodeScoreList) {
	scores = slices.Clone(scores)
	s, pod := v.shadow, v.pod
	v.compare(len(scores), func(ctx context.Context, answer scoresOfKnown) {
		s.end(ctx, areScoresEqual(scores, answer.Scores), &comparison{
			pod: pod, asked: v.at, rest: answer.Rest, scored: answer.nodes,
			evenkeel: func(*Cluster) sayings { return answeredScores(answer.Scores, answer.nodes) },
		})
	})
}

// comparison is of one answer.
type comparison struct {
	pod *v1.Pod
	// When Evenkeel was asked.
	asked time.Time
	rest  ask.Rest
	// scored is empty for verdicts.
	scored []string
	// evenkeel gives what Evenkeel says of the nodes that the original has judged, or would have.
	evenkeel func(cluster *Cluster) sayings
}

// end ends a comparison, or lets the original judge again.
func (s *Shadow) end(ctx context.Context, equal bool, c *comparison) {
	if equal {
		s.ended(Equal, atOnce)
		return
	}
	// Waiting for the versions keeps no other question from being asked in time.
	if !s.disagreeing.take(len(c.scored)) {
		s.ended(NotComparable, tooMany)
		return
	}
	go func() {
		defer s.disagreeing.give(len(c.scored))
		s.decide(ctx, c)
	}()
}

// decide ends a comparison that begins with a disagreement.
func (s *Shadow) decide(ctx context.Context, c *comparison) {
	cluster, judged, err := s.judgeAgain(ctx, c)
	if err != nil {
		s.ended(NotComparable, why(err))
		return
	}
	said := c.evenkeel(cluster)
	found := differences(judged, said)
	if len(found) == 0 {
		s.ended(Equal, judgedAgain)
		return
	}
	s.replays.tell(ctx, &Replay{
		Version: replayVersion, Pod: c.pod, Args: s.args, Revision: c.rest.Revision, Versions: c.rest.Versions,
		Scored: c.scored, Evenkeel: said, Differences: found, Cluster: cluster,
	}, func() (json.RawMessage, error) { return s.explain(ctx, c.pod, disputed(judged, said)) })
	s.ended(Different, "")
}

// explain lets Evenkeel say what it counts, and what it says of the nodes about which the two disagree.
func (s *Shadow) explain(ctx context.Context, pod *v1.Pod, disputed []string) (json.RawMessage, error) {
	question, err := s.questions.About(ctx, pod)
	if err != nil {
		return nil, err
	}
	explanation, err := question.Explain(ctx, disputed)
	if err != nil {
		return nil, err
	}
	return protojson.Marshal(explanation)
}

// judgeAgain lets the original judge what Evenkeel has seen.
func (s *Shadow) judgeAgain(ctx context.Context, c *comparison) (*Cluster, sayings, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	reached, err := s.journals.reach(waiting, c.pod, c.rest, s.progress)
	if err != nil {
		return nil, nil, err
	}
	// What was being told while Evenkeel answered is known afterwards.
	if _, err := s.ledger.Await(waiting); err != nil {
		return nil, nil, errUncertain
	}
	// One at a time, and with pauses: the scheduler needs the processors more.
	s.judging.Lock()
	defer s.judging.Unlock()
	begun := time.Now()
	defer func() { pause(ctx, pauses*time.Since(begun)) }()
	// Thousands may wait for their turn: each holds what was assumed only while it is judged.
	assumed, certain := s.history.At(c.rest.Revision, c.asked, c.pod.Namespace)
	if !certain {
		return nil, nil, errUncertain
	}
	states, err := s.journals.at(ctx, c.pod, reached)
	if err != nil {
		return nil, nil, err
	}
	cluster := newCluster(states, assumed, c.pod.Namespace)
	judged, err := cluster.judge(ctx, s.handle, s.args, c.pod, c.scored)
	return cluster, judged, err
}

func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
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
