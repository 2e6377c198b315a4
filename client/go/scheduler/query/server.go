package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/snapshot"
	"evenkeel.io/client/go/schedulerstream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	// A server that reads nothing for this long loses its stream. Only then does a cycle wait this long.
	maxSendTime = time.Second
	// After this time, such a server gets another stream. The connection to a dead server is closed by then.
	unreadPause = keepaliveTime + keepaliveTimeout
	// After this time, a server that has refused an object gets the snapshot again.
	refusedPause = time.Minute
	// A closed connection is opened again after this time.
	reconnectDelay = 200 * time.Millisecond
	listTimeout    = 5 * time.Second
	// How long a cycle waits for the server's status.
	statusTimeout = 100 * time.Millisecond
)

// Server is an Evenkeel that is fed with the scheduler's snapshot. All profiles of a scheduler share it, because they
// share the snapshot. Its methods are for the scheduling goroutine, except Run. They wait for an answer no longer
// than the given time, and for the server to read what is sent no longer than a second.
type Server struct {
	// That of the scheduler, because streams outlive scheduling cycles.
	ctx        context.Context
	connection *grpc.ClientConn
	state      evenkeelv1.ClusterStateClient
	// Called with the failure when the server is no longer asked, and with nil when it has answered again.
	onChange func(failure error)

	tracker *snapshot.Tracker
	// How many nodes the updated snapshot has.
	nodes int
	// nil if no stream is open.
	stream *schedulerstream.Stream
	tables *nodetable.Tables
	// Whether a table is being listed.
	listing atomic.Bool
	// The table of the last valid answer, which has all nodes of the snapshot; nil before the first.
	latest *nodetable.Table
	pause  pause
	// Whether onChange was called with a failure last.
	failed bool
}

// feeder is the name under which a scheduler feeds Evenkeel. A new leader must take over from the old one at once, so
// all replicas have the same.
const feeder = "kube-scheduler"

// kubernetesVersion is the minor version of the scheduler. Another one may have other rules.
const kubernetesVersion = "1.36"

// NewServer creates a connection that is opened on first use. Run must be called. Both end with the context.
func NewServer(ctx context.Context, args *config.EvenkeelTopologySpreadArgs, onChange func(failure error)) (*Server, error) {
	connection, err := dial(args)
	if err != nil {
		return nil, err
	}
	return &Server{ctx: ctx, connection: connection, state: evenkeelv1.NewClusterStateClient(connection), onChange: onChange,
		tracker: snapshot.NewTracker(feeder), tables: &nodetable.Tables{}}, nil
}

// Run keeps the connection open even if nothing is asked, and reports whether it is open.
func (s *Server) Run(report func(open bool)) {
	defer s.connection.Close()
	s.connection.Connect()
	for state := s.connection.GetState(); ; state = s.connection.GetState() {
		report(state == connectivity.Ready)
		if state == connectivity.Idle {
			select {
			case <-s.ctx.Done():
				return
			case <-time.After(reconnectDelay):
			}
			s.connection.Connect()
		}
		if !s.connection.WaitForStateChange(s.ctx, state) {
			return
		}
	}
}

// Update sends what has changed in the snapshot. It fails if the server does not have all of it then.
func (s *Server) Update(nodes []fwk.NodeInfo) error {
	if !s.pause.isOver() {
		return errPaused
	}
	if s.stream == nil {
		if err := s.open(); err != nil {
			s.fail(err)
			return err
		}
	}
	s.nodes = len(nodes)
	err := s.sending(func() error {
		for _, step := range s.tracker.Changes(nodes) {
			if err := s.stream.Send(step); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && !s.tracker.IsComplete() {
		err = errUnsent
	}
	return err
}

// sending sends something. It closes the stream if the server does not read it.
func (s *Server) sending(send func() error) error {
	unread := time.AfterFunc(maxSendTime, s.stream.Close)
	err := send()
	if read := unread.Stop(); err != nil {
		err = s.streamFailed(err)
		if !read {
			s.pause.atLeast(unreadPause)
		}
	}
	return err
}

// open opens a stream if there is a connection. Nothing waits for one.
func (s *Server) open() error {
	// Without a connection, the call fails at once, and says why.
	if state := s.connection.GetState(); state != connectivity.Ready && state != connectivity.TransientFailure {
		return errNoStream
	}
	if err := s.checkVersion(); err != nil {
		return err
	}
	var first sync.Once
	stream, err := schedulerstream.Open(s.ctx, s.state, func(refusal *evenkeelv1.Refusal) {
		first.Do(func() {
			klog.FromContext(s.ctx).Error(errors.New(refusal.GetError().GetMessage()),
				"Evenkeel refused an object, and perhaps others; PodTopologySpread answers instead", "object", refusal.Object)
		})
	})
	if err == nil {
		s.stream = stream
		s.forgetTables()
		s.tracker.Reset()
	}
	return err
}

func (s *Server) checkVersion() error {
	ctx, cancel := context.WithTimeout(s.ctx, statusTimeout)
	defer cancel()
	status, err := s.state.GetStatus(ctx, &evenkeelv1.GetStatusRequest{})
	if err == nil && status.KubernetesVersion != kubernetesVersion {
		err = fmt.Errorf("%w: it is %q, and that of the scheduler is %q", errOtherVersion, status.KubernetesVersion, kubernetesVersion)
	}
	return err
}

func (s *Server) forgetTables() { s.tables, s.latest = &nodetable.Tables{}, nil }

// Sent returns the nodes and the pods on them that were sent with the last Update.
func (s *Server) Sent() ([]*v1.Node, []*v1.Pod) { return s.tracker.Sent() }

// streamFailed closes a stream that has ended. The next one gets the whole snapshot.
func (s *Server) streamFailed(err error) error {
	if s.stream != nil {
		s.stream.Close()
		s.stream = nil
	}
	s.fail(err)
	return err
}

// fail begins a pause.
func (s *Server) fail(err error) {
	s.pause.begin()
	s.report(err)
}

func (s *Server) report(err error) {
	if s.failed {
		klog.FromContext(s.ctx).V(2).Info("Evenkeel has failed again", "reason", err.Error())
		return
	}
	s.failed = true
	s.onChange(err)
}

var allNodes = &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}}

// Await waits for the answer to a question, if that could be sent. It must be called before the next Update.
type Await[T any] func(ctx context.Context, timeout time.Duration) (T, error)

// AskVerdicts asks which nodes of the updated snapshot may take the pod. The verdicts are on exactly these nodes.
func (s *Server) AskVerdicts(question *Question) Await[*Verdicts] {
	await := s.ask(question, allNodes, func(answer *answer) error { return answer.validateVerdicts(s.nodes) })
	return func(ctx context.Context, timeout time.Duration) (*Verdicts, error) {
		answer, err := await(ctx, timeout)
		return (*Verdicts)(answer), err
	}
}

// AskScores asks for the scores of exactly these nodes of the updated snapshot, which all may take the pod.
func (s *Server) AskScores(question *Question, nodes []string) Await[*Scores] {
	candidates := &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Named{Named: &evenkeelv1.NodeNames{Names: nodes}}}
	if s.latest != nil {
		if bits, unknown := s.latest.Bits(nodes...); len(unknown) == 0 {
			candidates.Which = &evenkeelv1.Candidates_Bits{Bits: bits}
		}
	}
	await := s.ask(question, candidates, func(answer *answer) error { return (*Scores)(answer).validate(nodes) })
	return func(ctx context.Context, timeout time.Duration) (*Scores, error) {
		answer, err := await(ctx, timeout)
		return (*Scores)(answer), err
	}
}

// ask sends a question.
func (s *Server) ask(question *Question, candidates *evenkeelv1.Candidates, validate func(*answer) error) Await[*answer] {
	request := &evenkeelv1.EvaluateRequest{
		Pods: []*evenkeelv1.Pod{question.pod}, KnownNodeTableToken: s.tables.Known(),
		// The best nodes are not used.
		Options: &evenkeelv1.QueryOptions{
			Candidates: candidates, Form: evenkeelv1.AnswerForm_ANSWER_FORM_PACKED, Defaults: question.defaults, MaxBest: 1}}
	var sent *schedulerstream.Question
	failure := errNoStream
	if s.stream != nil {
		failure = s.sending(func() (err error) {
			sent, err = s.stream.Ask(s.ctx, request)
			return err
		})
	}
	return func(ctx context.Context, timeout time.Duration) (*answer, error) {
		if failure != nil {
			return nil, failure
		}
		waiting, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		response, err := sent.Answer(waiting)
		if err != nil {
			return nil, s.questionFailed(ctx, err)
		}
		packed, err := packedAnswer(response, question)
		if errors.Is(err, errPodRefused) {
			return nil, err
		}
		if err != nil {
			return nil, s.streamFailed(err)
		}
		table, err := s.tables.Take(request, response)
		if errors.Is(err, nodetable.ErrNotCarried) {
			s.listNodes()
			return nil, s.questionFailed(ctx, err)
		}
		if err == nil && table != s.latest {
			err = validateTable(table, s.tracker.Names())
		}
		found := &answer{table: table, packed: packed}
		if err == nil {
			err = validate(found)
		}
		if err != nil {
			return nil, s.streamFailed(err)
		}
		s.latest = table
		s.pause.answered()
		if s.failed && s.pause.length == 0 { // Otherwise many answers are still late.
			s.failed = false
			s.onChange(nil)
		}
		return found, nil
	}
}

func (s *Server) questionFailed(ctx context.Context, err error) error {
	var rejected *schedulerstream.RequestError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errCancelled, err)
	case errors.Is(err, schedulerstream.ErrRefused):
		err = s.streamFailed(err)
		s.pause.atLeast(refusedPause)
		return err
	case errors.As(err, &rejected) && rejected.Item.Reason == evenkeelv1.ErrorReason_ERROR_REASON_NODE_TABLE_UNKNOWN:
		s.forgetTables()
		return err
	case rejected != nil, errors.Is(err, context.DeadlineExceeded), errors.Is(err, nodetable.ErrNotCarried):
		if s.pause.answeredLate() {
			s.report(err)
		}
		return err
	}
	return s.streamFailed(err)
}

// listNodes gets a node table that is too large for an answer, in the background.
func (s *Server) listNodes() {
	tables := s.tables
	if !s.listing.CompareAndSwap(false, true) {
		return
	}
	go func() {
		defer s.listing.Store(false)
		ctx, cancel := context.WithTimeout(s.ctx, listTimeout)
		defer cancel()
		if _, err := tables.List(ctx, s.state); err != nil {
			klog.FromContext(ctx).V(2).Info("Failed to list the nodes of Evenkeel", "reason", err.Error())
		}
	}()
}
