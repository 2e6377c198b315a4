// Package shadow compares Evenkeel's answers with those of kube-scheduler's own PodTopologySpread, which count.
//
// Each uses its own state, and Evenkeel may be ahead. If they disagree, the original evaluates the pod again, on the
// objects at the versions of Evenkeel's answer and with the pods that were assumed at its revision. The answer is
// different only if the original still gives another result.
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
	// How many queries and comparisons may wait. Further ones are dropped.
	maxQueued = 5000
	workers   = 2
	// How many goroutines a query passes until it is sent: the worker, and the one that writes to the connection.
	sendHandoffs  = 2
	reasonTooMany = "too_many"
	// How long the scheduler may take to reach the versions of an answer. For a kind without events, a bookmark comes
	// about once a minute.
	versionTimeout = 90 * time.Second
	// After evaluating again, Shadow pauses for this many times as long.
	pauseFactor = 2
)

var (
	errNodeMissing          = errors.New("a scored node does not exist at the versions of the answer")
	errAssumptionsUncertain = errors.New("it is uncertain which pods were assumed")
)

// Shadow compares answers for one profile in the background.
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
	// Limits the nodes of queued queries and comparisons.
	queuedNodes budget
	// Limits those that wait for the versions of an answer. Only one is evaluated again at a time.
	reevaluations budget
	reevaluating  sync.Mutex
	// onOutcome is called with each outcome; tests replace it.
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

// Start compares until the context ends. It fails if the replay directory is not writable.
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

// InFlight is the number of queries without an answer.
func (s *Shadow) InFlight() int { return int(s.inFlight.Load()) }

// enqueue returns false if there is no room for work that holds that many nodes.
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

// pendingAnswer is the answer to a query that Evenkeel evaluates at the same time as the original, so that both see
// the same cluster unless an event arrives in between.
type pendingAnswer[A any] struct {
	shadow *Shadow
	pod    *v1.Pod
	done   chan struct{}
	answer A
	// When the query was sent.
	askedAt time.Time
	// Why there is no answer; empty if there is one.
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
	// Lets the query be sent first: the original keeps all processors busy, and the pod itself is assumed after it.
	for range sendHandoffs {
		runtime.Gosched()
	}
	return a
}

// compareOnceAnswered queues a comparison that runs once Evenkeel has answered. The nodes that it holds are counted.
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

// Verdicts are Evenkeel's verdicts on all nodes.
type Verdicts struct {
	*pendingAnswer[*query.Verdicts]
}

// AskVerdicts must be called before the original evaluates the pod.
func (s *Shadow) AskVerdicts(pod *v1.Pod) Verdicts {
	return Verdicts{startQuery(s, pod, 0, func(ctx context.Context, q *query.Query) (*query.Verdicts, query.Reason) { return q.Filter(ctx) })}
}

// Compare compares the verdicts with the original's; in large clusters only for some of the nodes. The state is the
// original's, or nil if it has found no hard constraint in force. It must not be changed afterwards.
func (v Verdicts) Compare(state fwk.CycleState, nodeInfos []fwk.NodeInfo) {
	s, pod := v.shadow, v.pod
	nodes := s.rotation.next(nodeInfos)
	v.compareOnceAnswered(len(nodeInfos), func(ctx context.Context, answer *query.Verdicts) {
		s.finish(ctx, areVerdictsEqual(ctx, s.plugin, state, pod, nodes, answer), &comparison{
			pod: pod, askedAt: v.askedAt, state: answer.StateVersion,
			evenkeelResults: func(cluster *Cluster) results { return evenkeelVerdicts(answer, cluster.Nodes) },
		})
	})
}

// Scores are Evenkeel's final scores of the remaining nodes.
type Scores struct{ *pendingAnswer[knownScores] }

// knownScores are the scores of the nodes that Evenkeel has.
type knownScores struct {
	*query.Scores
	nodes []string
}

// AskScores must be called before the original scores these nodes.
func (s *Shadow) AskScores(pod *v1.Pod, names []string) Scores {
	return Scores{startQuery(s, pod, len(names), func(ctx context.Context, q *query.Query) (knownScores, query.Reason) {
		scores, known, reason := q.ScoreKnown(ctx, names)
		return knownScores{scores, known}, reason
	})}
}

// Compare compares the scores with the original's, which are nil if it has found no soft constraint in force. If
// Evenkeel lacks some of the nodes, the original scores the others again.
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

// comparison is that of one answer.
type comparison struct {
	pod *v1.Pod
	// When the query was sent.
	askedAt time.Time
	state   query.StateVersion
	// scored is empty for verdicts.
	scored []string
	// evenkeelResults returns Evenkeel's results for the nodes of a cluster.
	evenkeelResults func(cluster *Cluster) results
}

// finish records that the answers are equal, or starts another evaluation.
func (s *Shadow) finish(ctx context.Context, equal bool, c *comparison) {
	if equal {
		s.onOutcome(Equal, reasonAtOnce)
		return
	}
	// In its own goroutine, so that waiting for the versions does not delay other queries.
	if !s.reevaluations.acquire(len(c.scored)) {
		s.onOutcome(NotComparable, reasonTooMany)
		return
	}
	go func() {
		defer s.reevaluations.release(len(c.scored))
		s.reevaluate(ctx, c)
	}()
}

// reevaluate finishes a comparison that begins with a disagreement.
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

// explain asks Evenkeel for its counts, and its verdicts on the nodes that differ.
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

// evaluateAgain lets the original evaluate the state of Evenkeel's answer.
func (s *Shadow) evaluateAgain(ctx context.Context, c *comparison) (*Cluster, results, error) {
	waiting, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	reached, err := s.journals.reach(waiting, c.pod, c.state, s.progress)
	if err != nil {
		return nil, nil, err
	}
	// After this it is known what was being sent while Evenkeel answered.
	if _, err := s.ledger.Await(waiting); err != nil {
		return nil, nil, errAssumptionsUncertain
	}
	// One at a time, and with pauses, because the scheduler needs the processors more.
	s.reevaluating.Lock()
	defer s.reevaluating.Unlock()
	started := time.Now()
	defer func() { pause(ctx, pauseFactor*time.Since(started)) }()
	// Thousands may be waiting, so each looks up the assumed pods only when it is evaluated.
	assumed, certain := s.history.At(c.state.Revision, c.askedAt, c.pod.Namespace)
	if !certain {
		return nil, nil, errAssumptionsUncertain
	}
	states, err := s.journals.at(ctx, c.pod, reached)
	if err != nil {
		return nil, nil, err
	}
	cluster := newCluster(states, assumed, c.pod.Namespace)
	result, err := cluster.evaluate(ctx, s.handle, s.args, c.pod, c.scored)
	return cluster, result, err
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
