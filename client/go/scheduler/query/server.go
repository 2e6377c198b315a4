package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	"evenkeel.io/client/go/scheduler/config"
	"evenkeel.io/client/go/scheduler/snapshot"
	"evenkeel.io/client/go/schedulerstream"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	// A server that reads nothing for this long loses its stream. A cycle waits as long only then.
	maxSendTime = time.Second
	// After this time a server that has refused an object gets the snapshot again.
	refusedPause = time.Minute
	// A closed connection is opened again after this time.
	reconnectDelay = 200 * time.Millisecond
	listTimeout    = 5 * time.Second
)

// Server is an Evenkeel that is fed with the scheduler's snapshot. All profiles of a scheduler share it, because they
// share the snapshot. Update, Filter and Score are for the scheduling goroutine. They wait for the server no longer than
// the given time, except that sending may take a second once before the stream is closed.
type Server struct {
	connection *grpc.ClientConn
	state      evenkeelv1.ClusterStateClient
	// Called with the failure when the server is not asked any more, and with nil when it has answered again.
	onChange func(failure error)

	tracker *snapshot.Tracker
	// nil if no stream is open.
	stream *schedulerstream.Stream
	tables *nodetable.Tables
	// For the table of the last answer; nil before the first.
	index *nodeIndex
	pause pause
	// Whether onChange was called with a failure last.
	failed bool
}

// feeder is the name under which a scheduler feeds Evenkeel. A new leader must take over from the old one at once, so
// all replicas have the same.
const feeder = "kube-scheduler"

// NewServer creates a connection that is opened on first use. Run must be called.
func NewServer(args *config.EvenkeelTopologySpreadArgs, onChange func(failure error)) (*Server, error) {
	connection, err := dial(args)
	if err != nil {
		return nil, err
	}
	return &Server{connection: connection, state: evenkeelv1.NewClusterStateClient(connection), onChange: onChange,
		tracker: snapshot.NewTracker(feeder), tables: &nodetable.Tables{}}, nil
}

// Run keeps the connection open even if nothing is asked, and reports whether it is open, until the context ends.
func (s *Server) Run(ctx context.Context, report func(open bool)) {
	defer s.connection.Close()
	for state := s.connection.GetState(); ; state = s.connection.GetState() {
		report(state == connectivity.Ready)
		if state == connectivity.Idle {
			select {
			case <-ctx.Done():
				return
			case <-time.After(reconnectDelay):
			}
			s.connection.Connect()
		}
		if !s.connection.WaitForStateChange(ctx, state) {
			return
		}
	}
}

// Update sends what has changed in the snapshot. It fails if the server does not have all of it then.
func (s *Server) Update(ctx context.Context, nodes []fwk.NodeInfo) error {
	if !s.pause.isOver() {
		return errPaused
	}
	if s.stream == nil {
		if err := s.open(ctx); err != nil {
			s.fail(err)
			return err
		}
	}
	defer time.AfterFunc(maxSendTime, s.stream.Close).Stop()
	for _, step := range s.tracker.Changes(nodes) {
		if err := s.stream.Send(step); err != nil {
			return s.streamFailed(err)
		}
	}
	if !s.tracker.IsComplete() {
		return errUnsent
	}
	return nil
}

// open opens a stream if there is a connection. Nothing waits for one.
func (s *Server) open(ctx context.Context) error {
	if s.connection.GetState() != connectivity.Ready {
		return errNoStream
	}
	logger := klog.FromContext(ctx)
	// The stream outlives the scheduling cycle.
	stream, err := schedulerstream.Open(context.WithoutCancel(ctx), s.state, func(refusal *evenkeelv1.Refusal) {
		logger.Error(errors.New(refusal.GetError().GetMessage()), "Evenkeel refused an object; PodTopologySpread answers instead", "object", refusal.Object)
	})
	if err == nil {
		s.stream = stream
		s.tracker.Reset()
	}
	return err
}

// streamFailed closes a stream that has ended. The next one gets the whole snapshot.
func (s *Server) streamFailed(err error) error {
	s.stream.Close()
	s.stream = nil
	s.fail(err)
	return err
}

// fail begins a pause.
func (s *Server) fail(err error) {
	s.pause.begin()
	s.report(err)
}

func (s *Server) report(err error) {
	if !s.failed {
		s.failed = true
		s.onChange(err)
	}
}

var allNodes = &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}}

// Filter asks which nodes of the updated snapshot may take the pod.
func (s *Server) Filter(ctx context.Context, question *Question, timeout time.Duration) (*Verdicts, error) {
	packed, table, err := s.ask(ctx, question, allNodes, timeout)
	if err != nil {
		return nil, err
	}
	if err := validatePassed(packed); err != nil {
		return nil, s.streamFailed(err)
	}
	if s.index == nil || s.index.table != table {
		s.index = newNodeIndex(table)
	}
	s.index.mergeMisses()
	return &Verdicts{index: s.index, packed: packed}, nil
}

// Score asks for the scores of exactly these nodes of the updated snapshot, which all may take the pod.
func (s *Server) Score(ctx context.Context, question *Question, nodes []string, timeout time.Duration) (*Scores, error) {
	candidates := &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Named{Named: &evenkeelv1.NodeNames{Names: nodes}}}
	var bits *evenkeelv1.NodeBits
	if s.index != nil {
		known, unknown := s.index.table.Bits(nodes...)
		if len(unknown) == 0 {
			bits = known
			candidates.Which = &evenkeelv1.Candidates_Bits{Bits: bits}
		}
	}
	packed, table, err := s.ask(ctx, question, candidates, timeout)
	if err != nil {
		return nil, err
	}
	scores := &Scores{table: table, packed: packed}
	if err := scores.validate(bits, nodes); err != nil {
		return nil, s.streamFailed(err)
	}
	return scores, nil
}

// ask returns the answer and the node table that it refers to.
func (s *Server) ask(ctx context.Context, question *Question, candidates *evenkeelv1.Candidates, timeout time.Duration) (*evenkeelv1.PackedAnswer, *nodetable.Table, error) {
	request := &evenkeelv1.EvaluateRequest{
		Pods: []*evenkeelv1.Pod{question.pod}, KnownNodeTableToken: s.tables.Known(),
		// The best nodes are not used.
		Options: &evenkeelv1.QueryOptions{
			Candidates: candidates, Form: evenkeelv1.AnswerForm_ANSWER_FORM_PACKED, Defaults: question.defaults, MaxBest: 1}}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer time.AfterFunc(timeout+maxSendTime, s.stream.Close).Stop()
	response, err := s.stream.Evaluate(waiting, request)
	if err != nil {
		return nil, nil, s.questionFailed(ctx, err)
	}
	packed, err := packedAnswer(response, question)
	if err != nil {
		if !errors.Is(err, errPodRefused) {
			err = s.streamFailed(err)
		}
		return nil, nil, err
	}
	table, err := s.tables.Take(request, response)
	if errors.Is(err, nodetable.ErrNotCarried) {
		go s.list(context.WithoutCancel(ctx), s.tables)
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, s.streamFailed(err)
	}
	s.pause.answered()
	if s.failed {
		s.failed = false
		s.onChange(nil)
	}
	return packed, table, nil
}

func (s *Server) questionFailed(ctx context.Context, err error) error {
	var rejected *schedulerstream.RequestError
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", errCancelled, err)
	case errors.Is(err, schedulerstream.ErrRefused):
		err = s.streamFailed(err)
		s.pause.until = time.Now().Add(refusedPause)
		return err
	case errors.As(err, &rejected) && rejected.Item.Reason == evenkeelv1.ErrorReason_ERROR_REASON_NODE_TABLE_UNKNOWN:
		s.tables, s.index = &nodetable.Tables{}, nil
		return err
	case rejected != nil, errors.Is(err, context.DeadlineExceeded):
		if s.pause.late() {
			s.report(err)
		}
		return err
	}
	return s.streamFailed(err)
}

// list gets a table that is too large for an answer. The next questions fall back to PodTopologySpread until it is here.
func (s *Server) list(ctx context.Context, tables *nodetable.Tables) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	if _, err := tables.List(ctx, s.state); err != nil {
		klog.FromContext(ctx).V(2).Info("Failed to list the nodes of Evenkeel; trying again", "reason", err.Error())
	}
}
