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

	"evenkeel.io/client/go/scheduler/assumption"
	"evenkeel.io/client/go/scheduler/original"
	"evenkeel.io/client/go/scheduler/query"
	"google.golang.org/protobuf/encoding/protojson"
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
)

const (
	// As many questions and comparisons may wait. Where more come, they are given up.
	maxQueued = 5000
	workers   = 2
	// A question passes through as many, one after another, until it is sent: the worker, and that which writes to the
	// connection.
	sendHandoffs  = 2
	reasonTooMany = "too_many"
	// As long as the versions of an answer may take to come to the scheduler: of a kind that nothing happens to, a bookmark
	// tells about once a minute.
	versionTimeout = 90 * time.Second
	// Judging again is followed by pauses of as many times its length.
	pauseFactor = 2
)

var (
	errNodeMissing          = errors.New("a node is not there at the versions of the answer")
	errAssumptionsUncertain = errors.New("it is not certain what was assumed")
)

// Shadow compares for one profile, in the background.
type Shadow struct {
	plugin   original.Plugin
	handle   fwk.Handle
	args     *config.PodTopologySpreadArgs
	profile  *query.Profile
	journals Journals
	progress *progress
	ledger   *assumption.Ledger
	history  *assumption.History
	replays  replays
	rotation rotation
	queue    chan func(context.Context)
	inFlight atomic.Int32
	// The nodes that those hold which wait for Evenkeel.
	queuedNodes budget
	// Those that wait for the versions of an answer; and the one that is judged again.
	reevaluations budget
	reevaluating  sync.Mutex
	// ended is told of each outcome, for tests.
	onOutcome func(outcome, reason string)
}

// Options of a Shadow.
type Options struct {
	Plugin          original.Plugin
	Handle          fwk.Handle
	Args            *config.PodTopologySpreadArgs
	Profile         *query.Profile
	Client          *query.Client
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
		plugin:        options.Plugin,
		handle:        options.Handle,
		args:          options.Args,
		profile:       options.Profile,
		journals:      options.Journals,
		progress:      &progress{getStatus: options.Profile.Status},
		ledger:        options.Client.Assumptions,
		history:       options.Client.History,
		replays:       replays,
		queue:         make(chan func(context.Context), maxQueued),
		queuedNodes:   budget{maxAnswers: maxQueued, maxNodes: maxQueuedNodes},
		reevaluations: budget{maxAnswers: maxReevaluations, maxNodes: maxReevaluationNodes},
		onOutcome: func(outcome, reason string) {
			outcomes.WithLabelValues(outcome, reason).Inc()
			inProgress.Dec()
		},
	}
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case work := <-s.queue:
					work(ctx)
				}
			}
		})
	}
	return s, nil
}

// Asking is how many questions wait for an answer.
func (s *Shadow) InFlight() int { return int(s.inFlight.Load()) }

// later says whether there is room for work that holds so many nodes.
func (s *Shadow) enqueue(nodes int, work func(context.Context)) bool {
	if !s.queuedNodes.acquire(nodes) {
		return false
	}
	select {
	case s.queue <- func(ctx context.Context) {
		defer s.queuedNodes.release(nodes)
		work(ctx)
	}:
		return true
	default:
		s.queuedNodes.release(nodes)
		return false
	}
}

// asked is a question that Evenkeel answers while the original works out what it says itself. So both judge the same
// cluster, unless the watch tells one of them of a change meanwhile.
type pendingAnswer[A any] struct {
	shadow *Shadow
	pod    *v1.Pod
	done   chan struct{}
	answer A
	// When Evenkeel was asked.
	askedAt time.Time
	// Why there is no answer; empty where there is one.
	reason string
}

func startQuery[A any](s *Shadow, pod *v1.Pod, nodes int, send func(context.Context, *query.Query) (A, query.Reason)) *pendingAnswer[A] {
	a := &pendingAnswer[A]{shadow: s, pod: pod, done: make(chan struct{})}
	s.inFlight.Add(1)
	end := func(reason string) {
		a.reason = reason
		close(a.done)
		s.inFlight.Add(-1)
	}
	if !s.enqueue(nodes, func(ctx context.Context) {
		question, err := s.profile.NewQuery(ctx, pod)
		if err != nil {
			end(string(query.PodRefused))
			return
		}
		var reason query.Reason
		a.askedAt = time.Now()
		a.answer, reason = send(ctx, question)
		end(string(reason))
	}) {
		end(reasonTooMany)
	}
	// The question goes out first: the original keeps all processors busy, and when it has ended the pod itself is assumed.
	for range sendHandoffs {
		runtime.Gosched()
	}
	return a
}

// compare goes on once Evenkeel has answered. What it holds of nodes is counted.
func (a *pendingAnswer[A]) compareOnceAnswered(nodes int, with func(ctx context.Context, answer A)) {
	s := a.shadow
	inProgress.Inc()
	if !s.enqueue(nodes, func(ctx context.Context) {
		select {
		case <-a.done:
		case <-ctx.Done():
			return
		}
		if a.reason != "" {
			s.onOutcome(NotComparable, a.reason)
			return
		}
		with(ctx, a.answer)
	}) {
		s.onOutcome(NotComparable, reasonTooMany)
	}
}

// Verdicts are those on all nodes.
type Verdicts struct {
	*pendingAnswer[*query.Verdicts]
}

// AskVerdicts comes before the original judges.
func (s *Shadow) AskVerdicts(pod *v1.Pod) Verdicts {
	return Verdicts{startQuery(s, pod, 0, func(ctx context.Context, q *query.Query) (*query.Verdicts, query.Reason) { return q.Filter(ctx) })}
}

// Compare compares them with the original's, in large clusters on a part of the nodes. The state is the original's; nil
// where it has found no hard constraint in force. Nobody may change it afterwards.
func (v Verdicts) Compare(state fwk.CycleState, infos []fwk.NodeInfo) {
	s, pod := v.shadow, v.pod
	nodes := s.rotation.next(infos)
	v.compareOnceAnswered(len(infos), func(ctx context.Context, answer *query.Verdicts) {
		s.finish(ctx, areVerdictsEqual(ctx, s.plugin, state, pod, nodes, answer), &comparison{
			pod: pod, askedAt: v.askedAt, state: answer.StateVersion,
			evenkeelResults: func(cluster *Cluster) results { return evenkeelVerdicts(answer, cluster.Nodes) },
		})
	})
}

// Scores are the final ones of the nodes that are left.
type Scores struct{ *pendingAnswer[knownScores] }

// scoresOfKnown are those of nodes that have not gone meanwhile.
type knownScores struct {
	*query.Scores
	nodes []string
}

// AskScores comes before the original scores these nodes.
func (s *Shadow) AskScores(pod *v1.Pod, names []string) Scores {
	return Scores{startQuery(s, pod, len(names), func(ctx context.Context, q *query.Query) (knownScores, query.Reason) {
		scores, known, reason := q.ScoreKnown(ctx, names)
		return knownScores{scores, known}, reason
	})}
}

// Compare compares them with the original's; nil where it has found no soft constraint in force. Where nodes have gone,
// the original judges the others again.
func (v Scores) Compare(scores fwk.NodeScoreList) {
	scores = slices.Clone(scores)
	s, pod := v.shadow, v.pod
	v.compareOnceAnswered(len(scores), func(ctx context.Context, answer knownScores) {
		s.finish(ctx, areScoresEqual(scores, answer.Scores), &comparison{
			pod: pod, askedAt: v.askedAt, state: answer.StateVersion, scored: answer.nodes,
			evenkeelResults: func(*Cluster) results { return evenkeelScores(answer.Scores, answer.nodes) },
		})
	})
}

// comparison is of one answer.
type comparison struct {
	pod *v1.Pod
	// When Evenkeel was asked.
	askedAt time.Time
	state   query.StateVersion
	// scored is empty for verdicts.
	scored []string
	// evenkeel gives what Evenkeel says of the nodes that the original has judged, or would have.
	evenkeelResults func(cluster *Cluster) results
}

// end ends a comparison, or lets the original judge again.
func (s *Shadow) finish(ctx context.Context, equal bool, c *comparison) {
	if equal {
		s.onOutcome(Equal, reasonAtOnce)
		return
	}
	// Waiting for the versions keeps no other question from being asked in time.
	if !s.reevaluations.acquire(len(c.scored)) {
		s.onOutcome(NotComparable, reasonTooMany)
		return
	}
	go func() {
		defer s.reevaluations.release(len(c.scored))
		s.reevaluate(ctx, c)
	}()
}

// decide ends a comparison that begins with a disagreement.
func (s *Shadow) reevaluate(ctx context.Context, c *comparison) {
	cluster, original, err := s.evaluateAgain(ctx, c)
	if err != nil {
		s.onOutcome(NotComparable, reasonOf(err))
		return
	}
	evenkeel := c.evenkeelResults(cluster)
	found := differences(original, evenkeel)
	if len(found) == 0 {
		s.onOutcome(Equal, reasonJudgedAgain)
		return
	}
	s.replays.report(ctx, &Replay{
		Version: replayVersion, Pod: c.pod, Args: s.args, Revision: c.state.Revision, Versions: c.state.ResourceVersions,
		Scored: c.scored, Evenkeel: evenkeel, Differences: found, Cluster: cluster,
	}, func() (json.RawMessage, error) { return s.explain(ctx, c.pod, differingNodes(original, evenkeel)) })
	s.onOutcome(Different, "")
}

// explain lets Evenkeel say what it counts, and what it says of the nodes about which the two disagree.
func (s *Shadow) explain(ctx context.Context, pod *v1.Pod, nodes []string) (json.RawMessage, error) {
	question, err := s.profile.NewQuery(ctx, pod)
	if err != nil {
		return nil, err
	}
	explanation, err := question.Explain(ctx, nodes)
	if err != nil {
		return nil, err
	}
	return protojson.Marshal(explanation)
}

// judgeAgain lets the original judge what Evenkeel has seen.
func (s *Shadow) evaluateAgain(ctx context.Context, c *comparison) (*Cluster, results, error) {
	waiting, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	reached, err := s.journals.reach(waiting, c.pod, c.state, s.progress)
	if err != nil {
		return nil, nil, err
	}
	// What was being told while Evenkeel answered is known afterwards.
	if _, err := s.ledger.Await(waiting); err != nil {
		return nil, nil, errAssumptionsUncertain
	}
	// One at a time, and with pauses: the scheduler needs the processors more.
	s.reevaluating.Lock()
	defer s.reevaluating.Unlock()
	begun := time.Now()
	defer func() { pause(ctx, pauseFactor*time.Since(begun)) }()
	// Thousands may wait for their turn: each holds what was assumed only while it is judged.
	assumed, certain := s.history.At(c.state.Revision, c.askedAt, c.pod.Namespace)
	if !certain {
		return nil, nil, errAssumptionsUncertain
	}
	states, err := s.journals.at(ctx, c.pod, reached)
	if err != nil {
		return nil, nil, err
	}
	cluster := newCluster(states, assumed, c.pod.Namespace)
	judged, err := cluster.evaluate(ctx, s.handle, s.args, c.pod, c.scored)
	return cluster, judged, err
}

func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}

func reasonOf(err error) string {
	switch {
	case errors.Is(err, errVersionsMissing):
		return "versions_untold"
	case errors.Is(err, errVersionTooOld):
		return "versions_forgotten"
	case errors.Is(err, errNotReached):
		return "versions_not_reached"
	case errors.Is(err, errNodeMissing):
		return "other_nodes"
	case errors.Is(err, errAssumptionsUncertain):
		return "assumptions_uncertain"
	}
	return "failed"
}
