package query

import (
	"context"
	"errors"

	"evenkeel.io/client/go/schedulerstream"
)

// Reason says why Evenkeel did not answer. It is a label of a metric.
type Reason string

const (
	// Paused: Evenkeel has failed, and is not asked for a while.
	Paused Reason = "paused"
	// Deadline: no answer came within the time that the original plugin takes.
	Deadline Reason = "deadline"
	// SnapshotUnsent: Evenkeel does not have the whole snapshot yet.
	SnapshotUnsent Reason = "snapshot_unsent"
	// ObjectRefused: Evenkeel has refused a node or a pod of the snapshot.
	ObjectRefused Reason = "object_refused"
	// PodRefused: Evenkeel refuses to evaluate this pod.
	PodRefused Reason = "pod_refused"
	// OtherVersion: Evenkeel follows the rules of another version of Kubernetes.
	OtherVersion Reason = "other_version"
	// Unavailable: Evenkeel is down, or the call failed.
	Unavailable Reason = "unavailable"
	// GivenUp: the scheduler is stopping.
	GivenUp Reason = "given_up"
)

var (
	errPaused       = errors.New("Evenkeel failed recently, and is not asked for a while")
	errUnsent       = errors.New("Evenkeel does not have the whole snapshot yet")
	errNoStream     = errors.New("no connection to Evenkeel")
	errOtherVersion = errors.New("Evenkeel follows another version of Kubernetes")
	errPodRefused   = errors.New("the pod was refused")
	errCancelled    = errors.New("the scheduler cancelled the query")
)

// ReasonOf returns the reason of a failure, or "" if err is nil.
func ReasonOf(err error) Reason {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errPaused):
		return Paused
	case errors.Is(err, errUnsent):
		return SnapshotUnsent
	case errors.Is(err, errCancelled):
		return GivenUp
	case errors.Is(err, errOtherVersion):
		return OtherVersion
	case errors.Is(err, errPodRefused):
		return PodRefused
	case errors.Is(err, schedulerstream.ErrRefused):
		return ObjectRefused
	case errors.Is(err, context.DeadlineExceeded):
		return Deadline
	}
	return Unavailable
}
