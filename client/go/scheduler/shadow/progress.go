package shadow

import (
	"context"
	"fmt"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
)

const (
	// How often Evenkeel's status is requested at most, no matter how many comparisons wait for it.
	progressInterval = 500 * time.Millisecond
	// Timeout of that request.
	progressTimeout = 5 * time.Second
)

// progress knows how far Evenkeel's feeds have got. All comparisons share the last status.
type progress struct {
	getStatus func(context.Context) (*evenkeelv1.GetStatusResponse, error)

	mutex     sync.Mutex
	lastAsked time.Time
	// nil if Evenkeel did not answer.
	last *evenkeelv1.GetStatusResponse
}

// unchanged waits until Evenkeel knows that a kind had no events between the version in an answer and a later
// version. An answer has the version of the last event, and a bookmark shows that there was none since.
func (p *progress) unchanged(ctx context.Context, instance string, kind evenkeelv1.ObjectKind, from, to int64) error {
	for {
		if status := p.now(ctx); status != nil {
			if status.Revision.GetInstance() != instance {
				return fmt.Errorf("%w: Evenkeel was restarted", errVersionTooOld)
			}
			named, held := versionsOf(status, kind)
			if named > from {
				return fmt.Errorf("%w: there was an event at version %d", errVersionTooOld, named)
			}
			if named == from && held >= to {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: it is not known whether there were events since", errVersionTooOld)
		case <-time.After(progressInterval):
		}
	}
}

func (p *progress) now(ctx context.Context) *evenkeelv1.GetStatusResponse {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if time.Since(p.lastAsked) >= progressInterval {
		asking, cancel := context.WithTimeout(ctx, progressTimeout)
		defer cancel()
		p.last = nil
		if status, err := p.getStatus(asking); err == nil {
			p.last = status
		}
		p.lastAsked = time.Now()
	}
	return p.last
}

// versionsOf returns the version of the last event of a kind, and the version up to which all events are included.
func versionsOf(status *evenkeelv1.GetStatusResponse, kind evenkeelv1.ObjectKind) (named, held int64) {
	for _, state := range status.Kinds {
		if state.Kind == kind {
			return parse(state.ResourceVersion), parse(state.HeldVersion)
		}
	}
	return 0, 0
}
