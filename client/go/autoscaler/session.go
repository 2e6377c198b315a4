package autoscaler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/nodetable"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/durationpb"
	corev1 "k8s.io/api/core/v1"
)

// A server answers with up to 64 MiB.
const maxAnswerBytes = 64 << 20

const defaultCallTimeout = 30 * time.Second

// session makes the calls of one session of a server. Without an id, none is open.
type session struct {
	ctx        context.Context
	options    Options
	simulation evenkeelv1.SimulationClient
	placement  evenkeelv1.PlacementClient
	id         string
	tables     *nodetable.Tables
}

func call[Q, A any](s *session, method func(context.Context, Q, ...grpc.CallOption) (A, error), request Q) (A, error) {
	timeout := s.options.CallTimeout
	if timeout == 0 {
		timeout = defaultCallTimeout
	}
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	answer, err := method(ctx, request, grpc.MaxCallRecvMsgSize(maxAnswerBytes))
	if err != nil {
		err = callError(s.ctx, err)
	}
	return answer, err
}

// open opens a session that begins as the live state.
func (s *session) open(freshness *evenkeelv1.Freshness) error {
	request := &evenkeelv1.OpenSessionRequest{Freshness: freshness}
	if s.options.IdleTimeout > 0 {
		request.IdleTimeout = durationpb.New(s.options.IdleTimeout)
	}
	opened, err := call(s, s.simulation.OpenSession, request)
	if err == nil {
		s.id, s.tables = opened.Session, &nodetable.Tables{}
	}
	return err
}

func (s *session) close() error {
	if s.id == "" {
		return nil
	}
	id := s.id
	s.id = ""
	_, err := call(s, s.simulation.CloseSession, &evenkeelv1.CloseSessionRequest{Session: id})
	return err
}

// change makes operations in order. If a call fails, it is not known which of them were made.
func (s *session) change(operations []*evenkeelv1.SessionOperation) ([]*evenkeelv1.OperationResult, error) {
	var results []*evenkeelv1.OperationResult
	for part := range inMessages(operations) {
		response, err := call(s, s.simulation.ChangeSession, &evenkeelv1.ChangeSessionRequest{Session: s.id, Operations: part})
		if err != nil {
			return nil, err
		}
		results = append(results, response.Results...)
	}
	return results, nil
}

// verdict judges a pod on one node.
func (s *session) verdict(pod *corev1.Pod, node string) SchedulingError {
	message, err := podMessage(pod)
	if err != nil {
		return internalError(pod, err)
	}
	response, err := call(s, s.placement.WhatIf, &evenkeelv1.WhatIfRequest{
		Pod: message, Cases: []*evenkeelv1.WhatIfCase{{Node: node}},
		Session: s.id, Rules: evenkeelv1.EntryRules_ENTRY_RULES_FITTING,
	})
	if err != nil {
		return internalError(pod, err)
	}
	answer := response.Answers[0]
	if answer.GetError() != nil {
		return internalError(pod, itemError(answer.GetError()))
	}
	if excluded := verdictError(pod, answer.GetVerdict()); excluded != nil {
		return excluded
	}
	return unjudgedError(pod, response.Unjudged)
}

// passing returns which nodes pass the filters for a pod.
func (s *session) passing(pod *corev1.Pod) (func(node string) bool, SchedulingError) {
	message, err := podMessage(pod)
	if err != nil {
		return nil, internalError(pod, err)
	}
	request := filterRequest(message, s.id)
	request.Options.Form = evenkeelv1.AnswerForm_ANSWER_FORM_PACKED
	request.KnownNodeTableToken = s.tables.Known()
	response, err := call(s, s.placement.Filter, request)
	if err != nil {
		return nil, internalError(pod, err)
	}
	table, err := s.tables.Take(request, response)
	if errors.Is(err, nodetable.ErrNotCarried) {
		return s.passingByName(pod, message)
	}
	if err != nil {
		return nil, internalError(pod, err)
	}
	answer := response.Answers[0]
	packed := answer.GetPacked()
	if packed == nil {
		return nil, internalError(pod, itemError(answer.GetError()))
	}
	if packed.PassedCount > 0 {
		if err := unjudgedError(pod, packed.Unjudged); err != nil {
			return nil, err
		}
	}
	return func(node string) bool {
		at, known := table.Index(node)
		return known && at/8 < len(packed.Passed) && packed.Passed[at/8]>>(at%8)&1 == 1
	}, nil
}

// passingByName is for clusters whose node table is too large for an answer.
func (s *session) passingByName(pod *corev1.Pod, message *evenkeelv1.Pod) (func(node string) bool, SchedulingError) {
	answer, err := s.everyNode(filterRequest(message, s.id))
	if err != nil {
		return nil, internalError(pod, err)
	}
	if answer.PassedCount > 0 {
		if err := unjudgedError(pod, answer.Unjudged); err != nil {
			return nil, err
		}
	}
	passed := make(map[string]bool, answer.PassedCount)
	for _, verdict := range answer.Verdicts {
		if verdict.Code == evenkeelv1.NodeCode_NODE_CODE_SUCCESS {
			passed[verdict.Name] = true
		}
	}
	return func(node string) bool { return passed[node] }, nil
}

// nodeNames returns the names of all nodes of the session.
func (s *session) nodeNames() ([]string, error) {
	request := filterRequest(&evenkeelv1.Pod{}, s.id)
	request.Options.Candidates = &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_All{All: &evenkeelv1.AllNodes{}}}
	answer, err := s.everyNode(request)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(answer.Verdicts))
	for i, verdict := range answer.Verdicts {
		names[i] = verdict.Name
	}
	return names, nil
}

func (s *session) everyNode(request *evenkeelv1.FilterRequest) (*evenkeelv1.ReadableAnswer, error) {
	request.Options.EveryNode = true
	response, err := call(s, s.placement.Filter, request)
	if err != nil {
		return nil, err
	}
	answer := response.Answers[0]
	if answer.GetError() != nil {
		return nil, itemError(answer.GetError())
	}
	if answer.GetReadable() == nil {
		return nil, fmt.Errorf("the server sent an unknown kind of answer: %v", answer)
	}
	return answer.GetReadable(), nil
}

func filterRequest(pod *evenkeelv1.Pod, session string) *evenkeelv1.FilterRequest {
	return &evenkeelv1.FilterRequest{
		Pods:    []*evenkeelv1.Pod{pod},
		Session: session,
		Options: &evenkeelv1.QueryOptions{
			Candidates: &evenkeelv1.Candidates{Which: &evenkeelv1.Candidates_Fitting{Fitting: &evenkeelv1.FittingNodes{}}},
		},
	}
}
