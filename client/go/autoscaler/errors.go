package autoscaler

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
)

var (
	// ErrNodeNotFound means that the snapshot has no such node.
	ErrNodeNotFound = errors.New("node not found")
	// ErrNodeExists means that the snapshot already has a node of that name.
	ErrNodeExists = errors.New("the node is already in the snapshot")
	// ErrPodNotFound means that the node has no such pod.
	ErrPodNotFound = errors.New("pod not found")
	// ErrPodExists means that the node already has a pod of that name.
	ErrPodExists = errors.New("the pod is already on the node")
	// ErrSessionLost means that the server no longer has the session: it has expired, or the server was restarted.
	ErrSessionLost = errors.New("the session is lost")
)

// SchedulingErrorType says why a pod was not scheduled. The first three have the meanings and values of
// cluster-autoscaler's.
type SchedulingErrorType int

const (
	// SchedulingInternalError: it is not known whether the pod could be scheduled.
	SchedulingInternalError SchedulingErrorType = iota
	// FailingPredicateError: a filter excludes the node.
	FailingPredicateError
	// NoNodesPassingPredicatesFoundError: no acceptable node passes the filters.
	NoNodesPassingPredicatesFoundError
	// UnjudgedRulesError: the node passes all filters that the server judges, but others could exclude it. The pod was
	// not scheduled. Run these filters, and then use ForceAddPod.
	UnjudgedRulesError
)

// SchedulingError says why a pod was not scheduled.
type SchedulingError interface {
	error
	Type() SchedulingErrorType
	// Reasons are for people.
	Reasons() []string
	// FailingPredicateName is the name of the plugin that excludes the node, with FailingPredicateError.
	FailingPredicateName() string
	// FailingPredicateReasons are kube-scheduler's, with FailingPredicateError.
	FailingPredicateReasons() []string
	// UnjudgedRules are the rules that could exclude nodes, with UnjudgedRulesError.
	UnjudgedRules() []evenkeelv1.UnjudgedRule
}

type schedulingError struct {
	pod     *corev1.Pod
	typ     SchedulingErrorType
	cause   error
	plugin  string
	reasons []string
	rules   []evenkeelv1.UnjudgedRule
}

func (e *schedulingError) Error() string {
	text := "no node passes the filters"
	switch e.typ {
	case SchedulingInternalError:
		text = e.cause.Error()
	case FailingPredicateError:
		text = fmt.Sprintf("excluded by %s: %s", e.plugin, strings.Join(e.reasons, ", "))
	case UnjudgedRulesError:
		text = fmt.Sprintf("not judged: %v", e.rules)
	}
	return fmt.Sprintf("cannot schedule pod %s/%s: %s", e.pod.Namespace, e.pod.Name, text)
}

func (e *schedulingError) Unwrap() error { return e.cause }

func (e *schedulingError) Type() SchedulingErrorType { return e.typ }

func (e *schedulingError) Reasons() []string {
	if e.typ == FailingPredicateError {
		return e.reasons
	}
	return []string{e.Error()}
}

func (e *schedulingError) FailingPredicateName() string { return e.plugin }

func (e *schedulingError) FailingPredicateReasons() []string { return e.reasons }

func (e *schedulingError) UnjudgedRules() []evenkeelv1.UnjudgedRule { return e.rules }

func internalError(pod *corev1.Pod, cause error) SchedulingError {
	return &schedulingError{pod: pod, typ: SchedulingInternalError, cause: cause}
}

func noNodeError(pod *corev1.Pod) SchedulingError {
	return &schedulingError{pod: pod, typ: NoNodesPassingPredicatesFoundError}
}

// unjudgedError returns nil if all filters were judged. Scheduling gates are no filter.
func unjudgedError(pod *corev1.Pod, rules []evenkeelv1.UnjudgedRule) SchedulingError {
	var filters []evenkeelv1.UnjudgedRule
	for _, rule := range rules {
		if rule != evenkeelv1.UnjudgedRule_UNJUDGED_RULE_SCHEDULING_GATES {
			filters = append(filters, rule)
		}
	}
	if len(filters) == 0 {
		return nil
	}
	return &schedulingError{pod: pod, typ: UnjudgedRulesError, rules: filters}
}

// verdictError returns nil if the node passed.
func verdictError(pod *corev1.Pod, verdict *evenkeelv1.WhatIfVerdict) SchedulingError {
	switch verdict.GetCode() {
	case evenkeelv1.NodeCode_NODE_CODE_SUCCESS:
		return nil
	case evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE, evenkeelv1.NodeCode_NODE_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE:
		return &schedulingError{
			pod: pod, typ: FailingPredicateError,
			plugin:  pluginOf(verdict.Reason),
			reasons: strings.Split(verdict.Message, ", "),
		}
	default:
		return internalError(pod, fmt.Errorf("the server sent an unknown verdict: %v", verdict))
	}
}

// pluginOf is the name of the kube-scheduler plugin that excludes nodes for a reason.
func pluginOf(reason evenkeelv1.NodeReason) string {
	switch reason {
	case evenkeelv1.NodeReason_NODE_REASON_UNSCHEDULABLE:
		return "NodeUnschedulable"
	case evenkeelv1.NodeReason_NODE_REASON_UNTOLERATED_TAINT:
		return "TaintToleration"
	case evenkeelv1.NodeReason_NODE_REASON_NODE_AFFINITY, evenkeelv1.NodeReason_NODE_REASON_NODE_NAMES:
		return "NodeAffinity"
	case evenkeelv1.NodeReason_NODE_REASON_NODE_NAME:
		return "NodeName"
	case evenkeelv1.NodeReason_NODE_REASON_HOST_PORTS:
		return "NodePorts"
	case evenkeelv1.NodeReason_NODE_REASON_RESOURCES:
		return "NodeResourcesFit"
	case evenkeelv1.NodeReason_NODE_REASON_MISSING_LABEL, evenkeelv1.NodeReason_NODE_REASON_MAX_SKEW:
		return "PodTopologySpread"
	default:
		return reason.String()
	}
}

// itemError is the error of an operation or item that was rejected.
func itemError(item *evenkeelv1.ItemError) error {
	switch item.GetReason() {
	case evenkeelv1.ErrorReason_ERROR_REASON_NODE_UNKNOWN:
		return fmt.Errorf("%w: %s", ErrNodeNotFound, item.GetMessage())
	case evenkeelv1.ErrorReason_ERROR_REASON_POD_UNKNOWN:
		return fmt.Errorf("%w: %s", ErrPodNotFound, item.GetMessage())
	default:
		return fmt.Errorf("%s: %s", item.GetReason(), item.GetMessage())
	}
}

// callError lets errors.Is recognize a call's error.
func callError(ctx context.Context, err error) error {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok && info.Domain == "evenkeel.io" &&
			info.Reason == evenkeelv1.ErrorReason_ERROR_REASON_SESSION_UNKNOWN.String() {
			return fmt.Errorf("%w: %w", ErrSessionLost, err)
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	if status.Code(err) == codes.DeadlineExceeded {
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}
