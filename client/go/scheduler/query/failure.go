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

// Reason says why Evenkeel has not answered. It is the label of a metric.
type Reason string

const (
	// BreakerOpen: Evenkeel failed a few times, and is not asked until a probe is answered.
	BreakerOpen Reason = "breaker_open"
	// Deadline: no answer came in time.
	Deadline Reason = "deadline"
	// Stale: Evenkeel had not got as far as the scheduler in time.
	Stale Reason = "stale"
	// Restarted: another instance has answered, which does not know yet what was assumed.
	Restarted Reason = "restarted"
	// AssumptionsUntold: Evenkeel has not taken in time what the scheduler assumes.
	AssumptionsUntold Reason = "assumptions_untold"
	// AssumptionRefused: Evenkeel has refused to count an assumed pod.
	AssumptionRefused Reason = "assumption_refused"
	// NodeUnknown: the scheduler has a node that Evenkeel has not.
	NodeUnknown Reason = "node_unknown"
	// PodRefused: Evenkeel does not judge this pod.
	PodRefused Reason = "pod_refused"
	// Unavailable: Evenkeel is not there, is not ready, or the call failed.
	Unavailable Reason = "unavailable"
	// GivenUp: the scheduler stops.
	GivenUp Reason = "given_up"
)

var (
	errPodRefused = errors.New("the pod was refused")
	errCancelled  = errors.New("the scheduler has given the question up")
)

// unknownNodes are those of a question that the server does not have.
type unknownNodes []string

func (u unknownNodes) Error() string { return "a node is not known: " + u[0] }

// ReasonOf puts a failure into one word. It is empty where there is none.
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

// said is the name of the ErrorReason that a call failed with.
func errorReason(err error) string {
	for _, detail := range status.Convert(err).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.Reason
		}
	}
	return ""
}

// isOfTheServer says whether a failure tells something of the server, and not of one pod or one moment.
func isServerFailure(err error) bool {
	return err != nil && !errors.As(err, new(unknownNodes)) && !errors.Is(err, errPodRefused) &&
		!errors.Is(err, errCancelled) && !errors.Is(err, assumption.ErrRefused)
}
