// Package assumption keeps Evenkeel's assumed pods equal to the scheduler's.
package assumption

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"k8s.io/klog/v2"
)

const (
	// What a scheduler that died had assumed is forgotten after this time. A living one renews it.
	timeToLive    = time.Minute
	renewInterval = timeToLive / 3
	// Evenkeel may be away: the background tells it again after this time, and twice as long after each further failure.
	minBackoff = 50 * time.Millisecond
	maxBackoff = 200 * time.Millisecond
	// A change waits so long for a question that takes it along.
	batchDelay = 2 * time.Millisecond
	// A question takes no more changes along: a longer message would make it late.
	maxPiggybacked = 32
	// A call that takes longer is made again.
	callTimeout = 5 * time.Second
	// No question takes longer.
	maxQueryDuration = 10 * time.Second
	// As many pods are told of in one round, and as many bytes of them: servers refuse calls about more than 20,000, and
	// messages of more than 16 MiB.
	maxPodsPerCall  = 5000
	maxBytesPerCall = 4 << 20
)

// ErrRefused says that Evenkeel has refused to assume a pod, so that its counts lack that pod.
var ErrRefused = errors.New("an assumed pod was refused")

// ErrUntold says that Evenkeel has not taken yet what the scheduler assumes.
var ErrUnacknowledged = errors.New("the server has not taken what the scheduler assumes")

// Ledger holds what the scheduler assumes, and tells Evenkeel of what has changed. The next question sends it just before
// itself, or the background does where none comes. No scheduling cycle waits for the answer but one that asks.
//
// A pod is held from Reserve until it is unreserved, or until the watch has shown it bound or gone. A server that was
// restarted is another instance, and is told again of the pods held. Another instance may also be a replica that was told
// before: it is told again what was forgotten lately.
//
// Its watch may never show such a pod, in two cases, so it is told to forget it:
//   - The pod was deleted before the server listed its pods, and the server was told of it after that. It is told to
//     forget the pod a while after that was seen bound: by then every question demands a version at which it was.
//   - The server was told of the pod, and listed its pods after that one was deleted. It is told to forget a pod that is
//     seen deleted for as long as it may count it.
type Ledger struct {
	client Client

	mutex   sync.Mutex
	assumed map[string]*assumedPod
	// The UIDs of which Evenkeel must be told: those held are assumed, the others forgotten. Of the latter it has the time
	// since when they are not held.
	pending map[string]time.Time
	// The call that is under way; nil where none is.
	inFlight *call
	// How many pods were seen before Evenkeel was told of them, for certain.
	settledCount int
	// Why the last call has failed; nil where it has not, or was cut. Nobody waits for what is told while it fails.
	lastError error
	refused   map[string]struct{}
	// The pods that were seen bound lately: for as long as Evenkeel may count them because it was told of them.
	bound map[string]*boundPod
	// When Evenkeel was first told to forget a pod, lately. Another instance, which is told next, may still count it.
	forgotten map[string]time.Time
	// That of the last write; nil where nothing was written to the instance that runs now.
	revision *evenkeelv1.Revision
	instance string
	// How many calls, up to the last one, another instance has answered than the call before.
	instanceSwitches int
	// When it was last looked which pods must be renewed.
	lastRenewal time.Time
	// Closed, and made anew, whenever Evenkeel has been told.
	updated chan struct{}
	wake    chan struct{}
	// Wakes up the background a while after something has changed.
	batchTimer *time.Timer
	// The call that a question has begun, for the background to await.
	started chan *call
	// What was told to which revision, for those who judge answers later. nil where nobody does.
	history *History
}

type assumedPod struct {
	pod *evenkeelv1.AssumedPod
	// How many bytes it takes to tell of it.
	size     int
	instance string
	sentAt   time.Time
	// Whether another instance may have been told before.
	resent bool
}

type boundPod struct {
	seenAt time.Time
	// Whether more than one instance was told of it, or a call told of it when it was seen.
	forgetLater bool
}

// NewLedger makes a ledger of nothing.
func NewLedger(evenkeel Client) *Ledger {
	l := &Ledger{
		client:      evenkeel,
		assumed:     map[string]*assumedPod{},
		pending:     map[string]time.Time{},
		refused:     map[string]struct{}{},
		bound:       map[string]*boundPod{},
		forgotten:   map[string]time.Time{},
		updated:     make(chan struct{}),
		wake:        make(chan struct{}, 1),
		started:     make(chan *call, 1),
		lastRenewal: time.Now(),
	}
	l.batchTimer = time.AfterFunc(0, l.wakeSender)
	return l
}

// Remember keeps a history from now on, for those who judge answers later.
func (l *Ledger) KeepHistory() *History {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.history == nil {
		l.history = &History{}
	}
	return l.history
}

// Assume counts a pod on a node from now on.
func (l *Ledger) Assume(pod *evenkeelv1.Pod, node string) {
	assumed := &evenkeelv1.AssumedPod{Pod: pod, Node: node}
	size := proto.Size(assumed)
	l.mutex.Lock()
	uid := pod.Metadata.Uid
	l.assumed[uid] = &assumedPod{pod: assumed, size: size}
	delete(l.forgotten, uid)
	l.markPending(uid)
	l.mutex.Unlock()
}

// Forget takes back what Assume did. Evenkeel keeps a pod that its watch has shown bound meanwhile.
func (l *Ledger) Forget(uid string) {
	l.mutex.Lock()
	delete(l.assumed, uid)
	delete(l.bound, uid)
	delete(l.refused, uid)
	l.markPending(uid)
	l.mutex.Unlock()
}

// Bound says that the scheduler's own watch has shown the pod bound: questions demand that version from now on, so
// Evenkeel's watch will have shown it too.
func (l *Ledger) Bound(uid string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	pod, isAssumed := l.assumed[uid]
	if !isAssumed {
		return
	}
	delete(l.assumed, uid)
	delete(l.refused, uid)
	if _, isPending := l.pending[uid]; isPending {
		delete(l.pending, uid)
		l.settledCount++
	}
	l.bound[uid] = &boundPod{seenAt: time.Now(), forgetLater: pod.resent || l.inFlight.contains(uid)}
	if len(l.pending) == 0 && l.inFlight == nil {
		// Nobody tries again what has failed.
		l.lastError = nil
	}
	l.history.addSeen(uid)
	l.notifyWaiters()
}

// Gone says that the scheduler's own watch has shown the pod deleted.
func (l *Ledger) Gone(uid string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, isAssumed := l.assumed[uid]
	if _, bound := l.bound[uid]; !isAssumed && !bound {
		return
	}
	delete(l.assumed, uid)
	delete(l.bound, uid)
	delete(l.refused, uid)
	l.markPending(uid)
	if isAssumed {
		l.history.addSeen(uid)
	}
}

// Disown takes back what a scheduler that died may have assumed of pods that are to be scheduled.
func (l *Ledger) ForgetOrphans(uids []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, uid := range uids {
		if _, isAssumed := l.assumed[uid]; !isAssumed {
			l.markPending(uid)
		}
	}
}

// Lost says that a server of another instance has answered, which knows nothing of what was assumed.
func (l *Ledger) InstanceLost() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.revision = nil
	l.instance = ""
	l.resend(func(*assumedPod) bool { return true })
}

// Await waits until Evenkeel has been told of everything, and gives the revision of the last write, nil where nothing was
// written. It does not wait for a server that does not answer.
func (l *Ledger) Await(ctx context.Context) (*evenkeelv1.Revision, error) {
	for {
		l.mutex.Lock()
		l.renewIfOverdue()
		updated, revision, done := l.updated, l.revision, len(l.pending) == 0 && l.inFlight == nil
		lastError, refused := l.lastError, len(l.refused) > 0
		l.mutex.Unlock()
		if !done {
			l.wakeSender()
		}
		switch {
		case refused:
			return nil, ErrRefused
		case done:
			return revision, nil
		case lastError != nil:
			return nil, fmt.Errorf("%w: %v", ErrUnacknowledged, lastError)
		}
		select {
		case <-updated:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ErrUnacknowledged, ctx.Err())
		}
	}
}

// Standing is how far Evenkeel had been told at a moment.
type Checkpoint struct {
	// Revision is that of the last write; nil where nothing was written.
	Revision *evenkeelv1.Revision
	// Whether there was more to tell, or a call was under way.
	pending      bool
	settledCount int
}

// Standing sends what is to be told, where that is little, no call is under way, and the last one has not failed. It does
// not wait for the answer, and not longer than the context for the connection.
func (l *Ledger) Flush(ctx context.Context) (Checkpoint, error) {
	l.mutex.Lock()
	l.renewIfOverdue()
	piggyback := l.lastError == nil && len(l.pending) <= maxPiggybacked
	l.mutex.Unlock()
	if piggyback {
		if call := l.begin(ctx); call != nil {
			l.started <- call
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	checkpoint := Checkpoint{Revision: l.revision, pending: len(l.pending) > 0 || l.inFlight != nil, settledCount: l.settledCount}
	switch {
	case len(l.refused) > 0:
		return checkpoint, ErrRefused
	case checkpoint.pending && l.lastError != nil:
		return checkpoint, fmt.Errorf("%w: %v", ErrUnacknowledged, l.lastError)
	}
	return checkpoint, nil
}

// Covers waits until Evenkeel has been told of everything, and says whether an answer at a revision, asked for at a
// standing, rests on all that was assumed then.
func (l *Ledger) Covers(ctx context.Context, checkpoint Checkpoint, answered *evenkeelv1.Revision) (bool, error) {
	if !checkpoint.pending {
		return true, nil
	}
	revision, err := l.Await(ctx)
	if err != nil {
		return false, err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	// A pod that was seen bound before it was told of is within newer versions than the question demanded.
	return l.settledCount == checkpoint.settledCount && answered.GetInstance() == revision.GetInstance() &&
		answered.GetCounter() >= revision.GetCounter(), nil
}

// Run tells Evenkeel, until the context ends.
func (l *Ledger) Run(ctx context.Context) {
	renewals := time.NewTicker(renewInterval)
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
		case call := <-l.started:
			// Where it fails, it is made again at once.
			_ = l.finish(ctx, call)
		}
		backoff := minBackoff
		for call := l.begin(ctx); call != nil; call = l.begin(ctx) {
			if l.finish(ctx, call) == nil && !l.isFlapping() {
				backoff = minBackoff
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(backoff):
			}
			backoff = min(2*backoff, maxBackoff)
		}
	}
}

// change notes that Evenkeel must be told of a pod. The mutex must be held.
func (l *Ledger) markPending(uid string) {
	if len(l.pending) == 0 {
		l.batchTimer.Reset(batchDelay)
	}
	l.addPending(uid, l.pending[uid])
}

// note puts a UID among those of which Evenkeel must be told. One that is not held is so since a time; zero where that is
// now. The mutex must be held.
func (l *Ledger) addPending(uid string, releasedAt time.Time) {
	if _, isAssumed := l.assumed[uid]; isAssumed {
		releasedAt = time.Time{}
	} else if releasedAt.IsZero() {
		releasedAt = time.Now()
	}
	l.pending[uid] = releasedAt
}

// expire drops the UIDs of pods that Evenkeel has forgotten by itself: it was told of them for the last time before they
// were not held any more, or by a call that was under way then. The mutex must be held.
func (l *Ledger) expire() {
	var expired []string
	for uid, releasedAt := range l.pending {
		if !releasedAt.IsZero() && time.Since(releasedAt) >= timeToLive+callTimeout {
			delete(l.pending, uid)
			l.settledCount++
			expired = append(expired, uid)
		}
	}
	if len(expired) > 0 {
		// Answers of the revisions until the next write may be from before or after that.
		l.history.addForgotten(l.revision, expired)
		l.history.addFailed()
	}
	if len(l.pending) == 0 {
		// Nobody tries again what has failed.
		l.lastError = nil
		l.notifyWaiters()
	}
}

// tellNow wakes up the background.
func (l *Ledger) wakeSender() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// renew keeps what was told a while ago from being forgotten, and forgets what was seen bound a while ago. The mutex must
// be held.
func (l *Ledger) renew() {
	l.lastRenewal = time.Now()
	for uid, pod := range l.assumed {
		if time.Since(pod.sentAt) >= renewInterval {
			l.markPending(uid)
		}
	}
	for uid, bound := range l.bound {
		switch age := time.Since(bound.seenAt); {
		case bound.forgetLater && age >= maxQueryDuration:
			delete(l.bound, uid)
			l.markPending(uid)
		case age >= timeToLive+callTimeout:
			delete(l.bound, uid)
		}
	}
	for uid, forgottenAt := range l.forgotten {
		if time.Since(forgottenAt) >= timeToLive+callTimeout {
			delete(l.forgotten, uid)
		}
	}
}

// wakeUp renews where this process has stood still, since it may go on asking before it renews. The mutex must be held.
func (l *Ledger) renewIfOverdue() {
	if time.Since(l.lastRenewal) > renewInterval+renewInterval/2 {
		l.renew()
	}
}

// tellAgain is for another instance. The mutex must be held.
func (l *Ledger) resend(which func(*assumedPod) bool) {
	for uid, pod := range l.assumed {
		if which(pod) {
			pod.resent = true
			l.markPending(uid)
		}
	}
	for uid := range l.forgotten {
		l.markPending(uid)
	}
}

// announce wakes those up who wait. The mutex must be held.
func (l *Ledger) notifyWaiters() {
	close(l.updated)
	l.updated = make(chan struct{})
}

// call tells Evenkeel of some pods: first of those that are assumed, and when it has taken these, of the others.
type call struct {
	batch         map[string]time.Time
	assumeRequest *evenkeelv1.AssumeRequest
	forgetRequest *evenkeelv1.ForgetRequest
	// These wait for the answers. nil where there is no such pod, or where it is not sent yet.
	awaitAssume func() (*evenkeelv1.AssumeResponse, error)
	awaitForget func() (*evenkeelv1.ForgetResponse, error)
	ctx         context.Context
	cancel      context.CancelFunc
	// Whether whoever has begun it could not wait until it was sent.
	interrupted bool
}

func (c *call) contains(uid string) bool {
	if c == nil {
		return false
	}
	_, taken := c.batch[uid]
	return taken
}

// begin sends what is to be told. It gives nil where there is nothing, or where a call is under way. Whoever gets a call
// must see to it that it is finished. The context bounds the time to send.
func (l *Ledger) begin(ctx context.Context) *call {
	c := l.next()
	if c == nil {
		return nil
	}
	c.ctx, c.cancel = context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	stop := context.AfterFunc(ctx, c.cancel)
	if len(c.assumeRequest.Pods) > 0 {
		c.awaitAssume = l.client.Assume(c.ctx, c.assumeRequest)
	} else {
		c.awaitForget = l.client.Forget(c.ctx, c.forgetRequest)
	}
	c.interrupted = !stop()
	return c
}

// next takes out what is told next.
func (l *Ledger) next() *call {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.inFlight != nil {
		return nil
	}
	if l.lastError != nil {
		l.expire()
	}
	if len(l.pending) == 0 {
		return nil
	}
	l.batchTimer.Stop()
	c := &call{
		batch:         l.takeBatch(),
		assumeRequest: &evenkeelv1.AssumeRequest{TimeToLive: durationpb.New(timeToLive)},
		forgetRequest: &evenkeelv1.ForgetRequest{},
	}
	for uid := range c.batch {
		if pod, isAssumed := l.assumed[uid]; isAssumed {
			c.assumeRequest.Pods = append(c.assumeRequest.Pods, pod.pod)
		} else {
			c.forgetRequest.Uids = append(c.forgetRequest.Uids, uid)
		}
	}
	l.inFlight = c
	return c
}

// finish waits for the answers of a call, and notes them.
func (l *Ledger) finish(ctx context.Context, c *call) error {
	defer c.cancel()
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	err := l.awaitResponses(ctx, c)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.inFlight = nil
	if err != nil {
		l.history.addFailed()
		for uid, releasedAt := range c.batch {
			if _, isAssumed := l.assumed[uid]; !isAssumed {
				l.settledCount++
				if _, bound := l.bound[uid]; bound {
					continue
				}
			}
			if _, again := l.pending[uid]; !again {
				l.addPending(uid, releasedAt)
			}
		}
	}
	// A call that was cut says nothing of Evenkeel. It is made again at once.
	if err == nil || len(l.pending) == 0 {
		l.lastError = nil
	} else if l.lastError != nil || !c.interrupted {
		l.lastError = err
	}
	l.notifyWaiters()
	return err
}

func (l *Ledger) awaitResponses(ctx context.Context, c *call) error {
	if c.awaitAssume != nil {
		if err := l.finishAssume(ctx, c); err != nil {
			return err
		}
		if len(c.forgetRequest.Uids) == 0 {
			return nil
		}
		c.awaitForget = l.client.Forget(c.ctx, c.forgetRequest)
	}
	return l.finishForget(c)
}

// take takes out what is told next: one pod at least. The mutex must be held.
func (l *Ledger) takeBatch() map[string]time.Time {
	batch := make(map[string]time.Time, min(len(l.pending), maxPodsPerCall))
	bytes := 0
	for uid, releasedAt := range l.pending {
		size := len(uid)
		if pod, isAssumed := l.assumed[uid]; isAssumed {
			size = pod.size
		}
		if len(batch) == maxPodsPerCall || len(batch) > 0 && bytes+size > maxBytesPerCall {
			return batch
		}
		bytes += size
		batch[uid] = releasedAt
		delete(l.pending, uid)
	}
	l.pending = map[string]time.Time{} // It may have had room for many.
	return batch
}

func (l *Ledger) finishAssume(ctx context.Context, c *call) error {
	response, err := c.awaitAssume()
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
	for position, pod := range c.assumeRequest.Pods {
		uid := pod.Pod.Metadata.Uid
		assumed, isAssumed := l.assumed[uid]
		if !isAssumed || assumed.pod != pod {
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
		assumed.instance, assumed.sentAt = response.GetRevision().GetInstance(), now
	}
	l.history.addAssumed(response.GetRevision(), c.assumeRequest.Pods)
	l.recordWrite(response.GetRevision())
	return nil
}

func (l *Ledger) finishForget(c *call) error {
	response, err := c.awaitForget()
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.history.addForgotten(response.GetRevision(), c.forgetRequest.Uids)
	l.recordWrite(response.GetRevision())
	now := time.Now()
	for _, uid := range c.forgetRequest.Uids {
		_, isAssumed := l.assumed[uid]
		if _, again := l.forgotten[uid]; !isAssumed && !again {
			l.forgotten[uid] = now
		}
	}
	return nil
}

// written keeps the revision of a write and, where another instance has answered, tells it of everything else that is
// held. The mutex must be held.
func (l *Ledger) recordWrite(revision *evenkeelv1.Revision) {
	l.revision = revision
	if revision.GetInstance() == l.instance {
		l.instanceSwitches = 0
		return
	}
	l.instanceSwitches++
	l.instance = revision.GetInstance()
	l.resend(func(h *assumedPod) bool { return h.instance != "" && h.instance != l.instance })
}

// isTossed says whether one instance after another answers, as where something spreads calls over replicas. Each of them is
// told everything again, which would go on without a pause.
func (l *Ledger) isFlapping() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.instanceSwitches > 1
}
