// Package assumption keeps Evenkeel's assumed pods equal to the scheduler's.
package assumption

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/klog/v2"
)

const (
	// What a scheduler that died had assumed is forgotten after this time. A living one renews it.
	timeToLive = time.Minute
	renewal    = timeToLive / 3
	// Evenkeel may be away: it is told again after this time.
	pause = 50 * time.Millisecond
	// A call that takes longer is made again.
	patience = 5 * time.Second
	// No question takes longer.
	longestQuestion = 10 * time.Second
	// As many pods are told of in one round: servers refuse calls about more than 20,000, and messages of more than 16 MiB.
	mostTold = 5000
)

// ErrRefused says that Evenkeel has refused to assume a pod, so that its counts lack that pod.
var ErrRefused = errors.New("an assumed pod was refused")

// ErrUntold says that Evenkeel has not taken yet what the scheduler assumes.
var ErrUntold = errors.New("the server has not taken what the scheduler assumes")

// Ledger holds what the scheduler assumes, and tells Evenkeel of what has changed: in the background, so that no
// scheduling cycle waits for it but the next one that asks.
//
// A pod is held from Reserve until it is unreserved, or until the watch has shown it bound or gone. What the server of
// another instance does not know, because it was restarted, is told again. That one may have begun with a list from which
// the pod was missing already, so that its watch will never show it: it is told to forget the pod a while after that was
// seen bound, when every question demands a version at which it was.
type Ledger struct {
	state evenkeelv1.ClusterStateClient

	mutex sync.Mutex
	held  map[string]*holding
	// The UIDs of which Evenkeel must be told: those held are assumed, the others forgotten.
	untold map[string]struct{}
	// Whether a call is under way.
	telling bool
	// How many pods were seen before Evenkeel was told of them, for certain.
	settled int
	// Whether the last call has failed: nobody need wait for what is told then.
	failing bool
	refused map[string]struct{}
	// When pods were seen bound that more than one instance was told of.
	bound map[string]time.Time
	// That of the last write; nil where nothing was written to the instance that runs now.
	revision *evenkeelv1.Revision
	instance string
	// When it was last looked which pods must be renewed.
	renewed time.Time
	// Closed, and made anew, whenever Evenkeel has been told.
	told chan struct{}
	wake chan struct{}
	// What was told to which revision, for those who judge answers later. nil where nobody does.
	history *History
}

type holding struct {
	pod      *evenkeelv1.AssumedPod
	instance string
	since    time.Time
	// Whether another instance may have been told before.
	toldAgain bool
}

// NewLedger makes a ledger of nothing.
func NewLedger(state evenkeelv1.ClusterStateClient) *Ledger {
	return &Ledger{
		state:   state,
		held:    map[string]*holding{},
		untold:  map[string]struct{}{},
		refused: map[string]struct{}{},
		bound:   map[string]time.Time{},
		told:    make(chan struct{}),
		wake:    make(chan struct{}, 1),
		renewed: time.Now(),
	}
}

// Remember keeps a history from now on, for those who judge answers later.
func (l *Ledger) Remember() *History {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.history == nil {
		l.history = &History{}
	}
	return l.history
}

// Assume counts a pod on a node from now on.
func (l *Ledger) Assume(pod *evenkeelv1.Pod, node string) {
	l.mutex.Lock()
	uid := pod.Metadata.Uid
	l.held[uid] = &holding{pod: &evenkeelv1.AssumedPod{Pod: pod, Node: node}}
	l.change(uid)
	l.mutex.Unlock()
}

// Forget takes back what Assume did. Evenkeel keeps a pod that its watch has shown bound meanwhile.
func (l *Ledger) Forget(uid string) {
	l.mutex.Lock()
	delete(l.held, uid)
	delete(l.refused, uid)
	l.change(uid)
	l.mutex.Unlock()
}

// Bound says that the scheduler's own watch has shown the pod bound: questions demand that version from now on, so
// Evenkeel's watch will have shown it too.
func (l *Ledger) Bound(uid string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	holding, held := l.held[uid]
	if !held {
		return
	}
	delete(l.held, uid)
	delete(l.refused, uid)
	if _, untold := l.untold[uid]; untold {
		delete(l.untold, uid)
		l.settled++
	}
	if holding.toldAgain {
		l.bound[uid] = time.Now()
	}
	l.history.seen(uid)
	l.announce()
}

// Gone says that the scheduler's own watch has shown the pod deleted.
func (l *Ledger) Gone(uid string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if _, held := l.held[uid]; !held {
		return
	}
	delete(l.held, uid)
	delete(l.refused, uid)
	l.change(uid)
	l.history.seen(uid)
}

// Disown takes back what a scheduler that died may have assumed of pods that are to be scheduled.
func (l *Ledger) Disown(uids []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, uid := range uids {
		if _, held := l.held[uid]; !held {
			l.change(uid)
		}
	}
}

// Lost says that a server of another instance has answered, which knows nothing of what was assumed.
func (l *Ledger) Lost() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.revision = nil
	l.instance = ""
	l.tellAgain(func(*holding) bool { return true })
}

// Await waits until Evenkeel has been told of everything, and gives the revision of the last write, nil where nothing was
// written. It does not wait for a server that does not answer.
func (l *Ledger) Await(ctx context.Context) (*evenkeelv1.Revision, error) {
	for {
		l.mutex.Lock()
		l.wakeUp()
		told, revision, done := l.told, l.revision, len(l.untold) == 0 && !l.telling
		failing, refused := l.failing, len(l.refused) > 0
		l.mutex.Unlock()
		switch {
		case refused:
			return nil, ErrRefused
		case done:
			return revision, nil
		case failing:
			return nil, ErrUntold
		}
		select {
		case <-told:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ErrUntold, ctx.Err())
		}
	}
}

// Standing is how far Evenkeel had been told at a moment.
type Standing struct {
	// Revision is that of the last write; nil where nothing was written.
	Revision *evenkeelv1.Revision
	// Whether there was more to tell, or a call was under way.
	pending bool
	settled int
}

// Standing does not wait. Where there is something to tell, the goroutine that tells goes first.
func (l *Ledger) Standing() (Standing, error) {
	l.mutex.Lock()
	l.wakeUp()
	waiting := len(l.untold) > 0
	l.mutex.Unlock()
	if waiting {
		runtime.Gosched()
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	standing := Standing{Revision: l.revision, pending: len(l.untold) > 0 || l.telling, settled: l.settled}
	switch {
	case len(l.refused) > 0:
		return standing, ErrRefused
	case standing.pending && l.failing:
		return standing, ErrUntold
	}
	return standing, nil
}

// Covers waits until Evenkeel has been told of everything, and says whether an answer at a revision, asked for at a
// standing, rests on all that was assumed then.
func (l *Ledger) Covers(ctx context.Context, standing Standing, answered *evenkeelv1.Revision) (bool, error) {
	if !standing.pending {
		return true, nil
	}
	revision, err := l.Await(ctx)
	if err != nil {
		return false, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	// A pod that was seen bound before it was told of is within newer versions than the question demanded.
	return l.settled == standing.settled && answered.GetInstance() == revision.GetInstance() &&
		answered.GetCounter() >= revision.GetCounter(), nil
}

// Run tells Evenkeel, until the context ends.
func (l *Ledger) Run(ctx context.Context) {
	renewals := time.NewTicker(renewal)
	defer renewals.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-renewals.C:
			l.mutex.Lock()
			l.renew()
			l.mutex.Unlock()
		case <-l.wake:
		}
		for {
			left, err := l.tell(ctx)
			if err == nil && left == 0 {
				break
			}
			if err == nil {
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
		}
	}
}

// change notes that Evenkeel must be told of a pod. The mutex must be held.
func (l *Ledger) change(uid string) {
	l.untold[uid] = struct{}{}
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// renew keeps what was told a while ago from being forgotten, and forgets what was seen bound a while ago. The mutex must
// be held.
func (l *Ledger) renew() {
	l.renewed = time.Now()
	for uid, holding := range l.held {
		if time.Since(holding.since) >= renewal {
			l.change(uid)
		}
	}
	for uid, since := range l.bound {
		if time.Since(since) >= longestQuestion {
			delete(l.bound, uid)
			l.change(uid)
		}
	}
}

// wakeUp renews where this process has stood still, since it may go on asking before it renews. The mutex must be held.
func (l *Ledger) wakeUp() {
	if time.Since(l.renewed) > renewal+renewal/2 {
		l.renew()
	}
}

// tellAgain is for another instance. The mutex must be held.
func (l *Ledger) tellAgain(which func(*holding) bool) {
	for uid, holding := range l.held {
		if which(holding) {
			holding.toldAgain = true
			l.change(uid)
		}
	}
}

// announce wakes those up who wait. The mutex must be held.
func (l *Ledger) announce() {
	close(l.told)
	l.told = make(chan struct{})
}

// tell makes at most one call for what is assumed and one for what is forgotten, and says how much is left to be told.
func (l *Ledger) tell(ctx context.Context) (int, error) {
	l.mutex.Lock()
	taken := l.take()
	l.telling = len(taken) > 0
	assumed := &evenkeelv1.AssumeRequest{TimeToLive: durationpb.New(timeToLive)}
	forgotten := &evenkeelv1.ForgetRequest{}
	for uid := range taken {
		if holding, held := l.held[uid]; held {
			assumed.Pods = append(assumed.Pods, holding.pod)
		} else {
			forgotten.Uids = append(forgotten.Uids, uid)
		}
	}
	l.mutex.Unlock()

	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := l.assume(ctx, assumed)
	if err == nil {
		err = l.forget(ctx, forgotten)
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.telling, l.failing = false, err != nil
	if err != nil {
		l.history.failed()
		for uid := range taken {
			l.untold[uid] = struct{}{}
			if _, held := l.held[uid]; !held {
				// It may have been seen bound meanwhile, and will be forgotten.
				l.settled++
			}
		}
	}
	l.announce()
	return len(l.untold), err
}

// take takes out what is told next. The mutex must be held.
func (l *Ledger) take() map[string]struct{} {
	if len(l.untold) <= mostTold {
		taken := l.untold
		l.untold = map[string]struct{}{}
		return taken
	}
	taken := make(map[string]struct{}, mostTold)
	for uid := range l.untold {
		if len(taken) == mostTold {
			break
		}
		taken[uid] = struct{}{}
		delete(l.untold, uid)
	}
	return taken
}

func (l *Ledger) assume(ctx context.Context, request *evenkeelv1.AssumeRequest) error {
	if len(request.Pods) == 0 {
		return nil
	}
	response, err := l.state.Assume(ctx, request)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	refusals := map[int32]*evenkeelv1.ItemError{}
	for _, refusal := range response.Refusals {
		refusals[refusal.Position] = refusal.Error
	}
	now := time.Now()
	for position, pod := range request.Pods {
		uid := pod.Pod.Metadata.Uid
		holding, held := l.held[uid]
		if !held || holding.pod != pod {
			continue
		}
		// A pod that Evenkeel knows to be deleted is counted nowhere, as the scheduler will find out.
		if refusal := refusals[int32(position)]; refusal != nil && refusal.Reason != evenkeelv1.ErrorReason_ERROR_REASON_POD_DELETED {
			klog.FromContext(ctx).Error(errors.New(refusal.Message), "Evenkeel does not assume a pod",
				"pod", klog.KRef(pod.Pod.Metadata.Namespace, pod.Pod.Metadata.Name))
			l.refused[uid] = struct{}{}
		} else {
			delete(l.refused, uid)
		}
		holding.instance, holding.since = response.Revision.Instance, now
	}
	l.history.assumed(response.Revision, request.Pods)
	l.written(response.Revision)
	return nil
}

func (l *Ledger) forget(ctx context.Context, request *evenkeelv1.ForgetRequest) error {
	if len(request.Uids) == 0 {
		return nil
	}
	response, err := l.state.Forget(ctx, request)
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.history.forgotten(response.Revision, request.Uids)
	l.written(response.Revision)
	return nil
}

// written keeps the revision of a write and, where another instance has answered, tells it of everything else that is
// held. The mutex must be held.
func (l *Ledger) written(revision *evenkeelv1.Revision) {
	l.revision = revision
	if revision.Instance == l.instance {
		return
	}
	l.instance = revision.Instance
	l.tellAgain(func(h *holding) bool { return h.instance != "" && h.instance != revision.Instance })
}
