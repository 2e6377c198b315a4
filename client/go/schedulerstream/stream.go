// Package schedulerstream feeds a server and asks it about pods on one stream of SyncAndEvaluate, so that each answer
// is based on exactly the changes that were sent before the question.
package schedulerstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ErrRefused means that the server has refused objects, so that its answers are not based on the whole state. It lasts
// until a snapshot of all kinds has ended in which no object was refused.
var ErrRefused = errors.New("the server has refused objects of this stream")

// Stream is a stream of SyncAndEvaluate. Any goroutine may call its methods. Send, Ask and Evaluate block while the
// server reads nothing, until Close is called. When the stream has ended, open another one and send a snapshot.
type Stream struct {
	stream    grpc.BidiStreamingClient[evenkeelv1.SyncAndEvaluateRequest, evenkeelv1.SyncAndEvaluateResponse]
	onRefused func(*evenkeelv1.Refusal)
	cancel    context.CancelFunc
	ended     chan struct{}

	sending sync.Mutex
	lastTag int64

	mutex sync.Mutex
	// The questions without an answer, by tag.
	questions map[int64]chan<- answer
	// The tags of unacknowledged steps that begin or end a snapshot of all kinds.
	bounds  map[int64]bound
	failure error

	// Used only by the reader: whether the server lacks an object, whether a snapshot of all kinds is in progress, and
	// whether one of its objects was refused.
	refused, inSnapshot, refusedInSnapshot bool
}

type bound int

const (
	begin bound = iota + 1
	end
)

type answer struct {
	response *evenkeelv1.EvaluateResponse
	err      error
}

// RequestError is the error of a question that the server has rejected. The stream stays open.
type RequestError struct{ Item *evenkeelv1.ItemError }

func (e *RequestError) Error() string { return e.Item.GetMessage() }

// Open opens a stream, which ends with its context. Refused objects are passed to onRefused, in order, unless it is nil.
// It must not use the stream, which reads nothing meanwhile.
func Open(ctx context.Context, state evenkeelv1.ClusterStateClient, onRefused func(*evenkeelv1.Refusal)) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	stream, err := state.SyncAndEvaluate(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	s := &Stream{
		stream: stream, onRefused: onRefused, cancel: cancel, ended: make(chan struct{}),
		questions: map[int64]chan<- answer{}, bounds: map[int64]bound{}}
	go s.read()
	return s, nil
}

// Close ends the stream.
func (s *Stream) Close() { s.cancel() }

// Ended is closed when the stream has ended. Err then returns the reason.
func (s *Stream) Ended() <-chan struct{} { return s.ended }

// Err returns why the stream has ended, or nil.
func (s *Stream) Err() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.failure
}

// Send sends a step of a snapshot, or events. It does not wait for the acknowledgement, because a later question is
// answered only once the server has applied the step.
func (s *Stream) Send(step *evenkeelv1.SyncRequest) error {
	s.sending.Lock()
	defer s.sending.Unlock()
	tag := s.nextTag()
	if reached := boundOf(step); reached != 0 {
		s.mutex.Lock()
		s.bounds[tag] = reached
		s.mutex.Unlock()
	}
	return s.send(&evenkeelv1.SyncAndEvaluateRequest{Tag: tag, Sync: step})
}

func boundOf(step *evenkeelv1.SyncRequest) bound {
	switch step := step.GetStep().(type) {
	case *evenkeelv1.SyncRequest_BeginSnapshot:
		if len(step.BeginSnapshot.GetKinds()) == 0 {
			return begin
		}
	case *evenkeelv1.SyncRequest_EndSnapshot:
		if len(step.EndSnapshot.GetKinds()) == 0 {
			return end
		}
	}
	return 0
}

// Evaluate asks a question, and waits for the answer, at most until the deadline of ctx, which the server knows. See
// Question.Answer for its errors.
func (s *Stream) Evaluate(ctx context.Context, request *evenkeelv1.EvaluateRequest) (*evenkeelv1.EvaluateResponse, error) {
	question, err := s.Ask(ctx, request)
	if err != nil {
		return nil, err
	}
	return question.Answer(ctx)
}

// Question is a question that was sent.
type Question struct {
	stream  *Stream
	tag     int64
	answers <-chan answer
}

// Ask sends a question, and the deadline of ctx, after which the server does not answer it. Its answer includes the
// steps that were sent before, and none that is sent afterwards.
func (s *Stream) Ask(ctx context.Context, request *evenkeelv1.EvaluateRequest) (*Question, error) {
	answers := make(chan answer, 1)
	message := &evenkeelv1.SyncAndEvaluateRequest{Request: request}
	if deadline, ok := ctx.Deadline(); ok {
		// 0 would mean no timeout.
		message.Timeout = durationpb.New(max(time.Until(deadline), time.Nanosecond))
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	message.Tag = s.nextTag()
	s.mutex.Lock()
	s.questions[message.Tag] = answers
	s.mutex.Unlock()
	if err := s.send(message); err != nil {
		return nil, err
	}
	return &Question{stream: s, tag: message.Tag, answers: answers}, nil
}

// Answer waits for the answer, until ctx ends. An answer that has arrived is returned even then. It returns a
// RequestError if the server rejects the question, and the answer with ErrRefused if the server lacks objects. May be
// called once.
func (q *Question) Answer(ctx context.Context) (*evenkeelv1.EvaluateResponse, error) {
	var err error
	select {
	case answered := <-q.answers:
		return answered.response, answered.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-q.stream.ended:
		err = q.stream.Err()
	}
	select {
	case answered := <-q.answers:
		return answered.response, answered.err
	default:
	}
	q.stream.mutex.Lock()
	delete(q.stream.questions, q.tag)
	q.stream.mutex.Unlock()
	return nil, err
}

func (s *Stream) nextTag() int64 {
	s.lastTag++
	return s.lastTag
}

func (s *Stream) send(message *evenkeelv1.SyncAndEvaluateRequest) error {
	if s.stream.Send(message) == nil {
		return nil
	}
	// Only the reader learns why.
	<-s.ended
	return s.Err()
}

func (s *Stream) read() {
	defer s.cancel()
	for {
		response, err := s.stream.Recv()
		if err == nil {
			err = s.take(response)
		}
		if err != nil {
			s.mutex.Lock()
			s.failure = err
			s.mutex.Unlock()
			close(s.ended)
			return
		}
	}
}

// take reads one response. Responses arrive in the order of their requests.
func (s *Stream) take(response *evenkeelv1.SyncAndEvaluateResponse) error {
	s.mutex.Lock()
	question := s.questions[response.Tag]
	reached := s.bounds[response.Tag]
	delete(s.questions, response.Tag)
	delete(s.bounds, response.Tag)
	s.mutex.Unlock()
	var answered answer
	switch result := response.Result.(type) {
	case *evenkeelv1.SyncAndEvaluateResponse_Sync:
		s.takeAcknowledgement(result.Sync, reached)
		return nil
	case *evenkeelv1.SyncAndEvaluateResponse_Error:
		answered.err = &RequestError{Item: result.Error}
	case *evenkeelv1.SyncAndEvaluateResponse_Response:
		answered.response = result.Response
		if s.refused {
			answered.err = ErrRefused
		}
	default:
		return fmt.Errorf("the response with tag %d has no result", response.Tag)
	}
	if question != nil {
		question <- answered
	}
	return nil
}

func (s *Stream) takeAcknowledgement(acknowledged *evenkeelv1.SyncResponse, reached bound) {
	refused := len(acknowledged.Refusals) > 0
	switch {
	case reached == begin:
		s.inSnapshot, s.refusedInSnapshot = true, false
	case reached == end && s.inSnapshot:
		s.inSnapshot, s.refused = false, s.refusedInSnapshot
	default:
		s.refused = s.refused || refused
		s.refusedInSnapshot = s.refusedInSnapshot || refused
	}
	if s.onRefused != nil {
		for _, refusal := range acknowledged.Refusals {
			s.onRefused(refusal)
		}
	}
}
