package query

import (
	"context"
	"errors"

	"evenkeel.io/client/go/evenkeelv1"
	"evenkeel.io/client/go/scheduler/assumption"
	"github.com/sony/gobreaker/v2"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Reason says why Evenkeel did not answer. It is a label of a metric.
type Reason string

const (
	// BreakerOpen: Evenkeel has failed several times and is not queried until a probe succeeds.
	BreakerOpen Reason = "breaker_open"
	// Deadline: no answer came within the deadline.
	Deadline Reason = "deadline"
	// Stale: Evenkeel did not catch up with the scheduler within the deadline.
	Stale Reason = "stale"
	// Restarted: another instance has answered, which has no assumed pods yet.
	Restarted Reason = "restarted"
	// AssumptionsUntold: Evenkeel did not acknowledge the scheduler's assumed pods within the deadline.
	AssumptionsUntold Reason = "assumptions_untold"
	// AssumptionRefused: Evenkeel has refused to count an assumed pod.
	AssumptionRefused Reason = "assumption_refused"
	// NodeUnknown: the scheduler has a node that Evenkeel does not have.
	NodeUnknown Reason = "node_unknown"
	// PodRefused: Evenkeel refuses to evaluate this pod.
	PodRefused Reason = "pod_refused"
	// Unavailable: Evenkeel is down or not ready, or the call failed.
	Unavailable Reason = "unavailable"
	// GivenUp: the scheduler is stopping.
	GivenUp Reason = "given_up"
)

var (
	errPodRefused = errors.New("the pod was refused")
	errCancelled  = errors.New("the scheduler cancelled the query")
)

// unknownNodes are the nodes of a query that the server does not have.
type unknownNodes []string

func (u unknownNodes) Error() string { return "unknown node: " + u[0] }

// ReasonOf returns the reason of a failure, or "" if err is nil.
func ReasonOf(err error) Reason {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, gobreaker.ErrOpenState), errors.Is(err, gobreaker.ErrTooManyRequests):
		return BreakerOpen
	case errors.Is(err, errCancelled):
		return GivenUp
	case errors.As(err, new(unknownNodes)):
		return NodeUnknown
	case errors.Is(err, errPodRefused):
		return PodRefused
	case errors.Is(err, assumption.ErrRefused):
		return AssumptionRefused
	case errors.Is(err, assumption.ErrUnacknowledged):
		return AssumptionsUntold
	case errors.Is(err, context.DeadlineExceeded):
		return Deadline
	}
	switch errorReason(err) {
	case evenkeelv1.ErrorReason_ERROR_REASON_OTHER_INSTANCE.String(),
		evenkeelv1.ErrorReason_ERROR_REASON_NODE_TABLE_UNKNOWN.String():
		return Restarted
	case evenkeelv1.ErrorReason_ERROR_REASON_NOT_REACHED_IN_TIME.String(),
		evenkeelv1.ErrorReason_ERROR_REASON_FRESHNESS_UNKNOWN.String():
		return Stale
	}
	if status.Code(err) == codes.DeadlineExceeded {
		return Deadline
	}
	return Unavailable
}

// errorReason returns the name of the ErrorReason that a call failed with.
func errorReason(err error) string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.Reason
		}
	}
	return ""
}

// isServerFailure returns true if a failure is one of the server, and not of a single pod or moment.
func isServerFailure(err error) bool {
	return err != nil && !errors.As(err, new(unknownNodes)) && !errors.Is(err, errPodRefused) &&
		!errors.Is(err, errCancelled) && !errors.Is(err, assumption.ErrRefused)
}
