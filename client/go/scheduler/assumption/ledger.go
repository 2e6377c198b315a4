// Package assumption keeps the pods that Evenkeel assumes in sync with the scheduler's assumed pods.
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
	// Evenkeel forgets the assumed pods of a scheduler that died after this time. A live scheduler renews them.
	timeToLive    = time.Minute
	renewInterval = timeToLive / 3
	// Backoff between attempts while Evenkeel is unavailable. It doubles after each failure.
	minBackoff = 50 * time.Millisecond
	maxBackoff = 200 * time.Millisecond
	// How long a change waits for a query to send it along.
	batchDelay = 2 * time.Millisecond
	// A query sends at most this many changes along, because a larger message would delay it.
	maxPiggybacked = 32
	// A call that takes longer is cancelled and retried.
	callTimeout = 5 * time.Second
	// No query takes longer.
	maxQueryDuration = 10 * time.Second
	// Limits of one call. Servers reject calls with more than 20,000 pods, and messages of more than 16 MiB.
	maxPodsPerCall  = 5000
	maxBytesPerCall = 4 << 20
)

// ErrRefused means that Evenkeel has refused to assume a pod, so its counts lack that pod.
var ErrRefused = errors.New("an assumed pod was refused")

// ErrUnacknowledged means that Evenkeel has not acknowledged everything that the scheduler assumes.
var ErrUnacknowledged = errors.New("the server has not acknowledged the scheduler's assumed pods")

// Ledger holds the pods that the scheduler assumes, and sends changes to Evenkeel. The next query sends them just
// before itself; if no query comes, the background sender does. Only a scheduling cycle that queries Evenkeel waits
// for the acknowledgement.
//
// A pod is assumed from Reserve until Unreserve, or until the watch has shown it bound or deleted. A restarted server
// is a new instance and is sent all assumed pods again. A new instance may also be a replica that was used before, so
// it is also sent what was forgotten recently.
//
// The watch of a server may never show such a pod in two cases, so the ledger has the server forget it:
//   - The pod was deleted before the server listed its pods, and was sent to the server after that. The ledger
//     forgets the pod some time after it was seen bound: by then every query demands a version at which it was.
//   - The pod was sent to the server, which then listed its pods after that pod was deleted. For as long as the
//     server may count a bound pod, the ledger forgets it when it sees it deleted.
type Ledger struct {
	client Client

	mutex   sync.Mutex
	assumed map[string]*assumedPod
	// UIDs to send: assumed pods are sent with Assume, others with Forget. The value is when the pod stopped being
	// assumed; zero for assumed pods.
	pending map[string]time.Time
	// nil if no call is in flight.
	inFlight *call
	// How many pods have left pending, or a failed call, without a successful call. Lets Covers detect them.
	settledCount int
	// Why the last call failed; nil if it succeeded or was interrupted. While calls fail, queries do not wait for
	// them.
	lastError error
	refused   map[string]struct{}
	// Pods seen bound recently, for as long as Evenkeel may count them as assumed.
	bound map[string]*boundPod
	// When a pod was first forgotten on the server. Kept for as long as another instance may still count it.
	forgotten map[string]time.Time
	// The revision of the last write; nil if nothing was written to the current instance.
	revision *evenkeelv1.Revision
	instance string
	// How many consecutive calls were each answered by a different instance than the call before.
	instanceSwitches int
	// When the ledger last checked which pods to renew.
	lastRenewal time.Time
	// Closed and replaced whenever a call ends.
	updated chan struct{}
	wake    chan struct{}
	// Wakes the background sender some time after a change.
	batchTimer *time.Timer
	// A call that a query has started, for the background sender to finish.
	started chan *call
	// nil unless answers are compared later.
	history *History
}

type assumedPod struct {
	pod *evenkeelv1.AssumedPod
	// Size of the encoded pod in bytes.
	size     int
	instance string
	sentAt   time.Time
	// Whether another instance may have been sent the pod before.
	resent bool
}

type boundPod struct {
	seenAt time.Time
	// Whether more than one instance was sent the pod, or a call with it was in flight when it was seen bound.
	forgetLater bool
}

// NewLedger returns an empty ledger. Run must be called.
func NewLedger(client Client) *Ledger {
	l := &Ledger{
		client:      client,
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

// KeepHistory records a history from now on.
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

// Forget reverts Assume. Evenkeel keeps a pod that its watch has shown bound in the meantime.
func (l *Ledger) Forget(uid string) {
	l.mutex.Lock()
	delete(l.assumed, uid)
	delete(l.bound, uid)
	delete(l.refused, uid)
	l.markPending(uid)
	l.mutex.Unlock()
}

// Bound reports that the scheduler's own watch has shown the pod bound. Queries demand that version from now on, so
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
		// Nothing is left to retry.
		l.lastError = nil
	}
	l.history.addSeen(uid)
	l.notifyWaiters()
}

// Gone reports that the scheduler's own watch has shown the pod deleted.
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

// ForgetOrphans forgets what a scheduler that died may have assumed. The UIDs are those of pods that are still to be
// scheduled.
func (l *Ledger) ForgetOrphans(uids []string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, uid := range uids {
		if _, isAssumed := l.assumed[uid]; !isAssumed {
			l.markPending(uid)
		}
	}
}

// InstanceLost reports that another instance of the server has answered, which has no assumed pods.
func (l *Ledger) InstanceLost() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.revision = nil
	l.instance = ""
	l.resend(func(*assumedPod) bool { return true })
}

// Await waits until Evenkeel has acknowledged everything, and returns the revision of the last write, or nil if
// nothing was written. It fails at once if the last call has failed.
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

// Checkpoint is what Evenkeel had acknowledged at some moment.
type Checkpoint struct {
	// Revision is that of the last write; nil if nothing was written.
	Revision *evenkeelv1.Revision
	// Whether more was to be sent, or a call was in flight.
	pending      bool
	settledCount int
}

// Flush sends pending changes if there are few, no call is in flight, and the last call has not failed. It does not
// wait for the acknowledgement. The context bounds how long it waits for the connection.
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

// Covers waits until Evenkeel has acknowledged everything, and returns true if an answer includes everything that was
// assumed at the checkpoint. The query was sent after the checkpoint, and the answer has the given revision.
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
	// A pod that was seen bound before it was sent is included only at newer versions than the query demanded.
	return l.settledCount == checkpoint.settledCount && answered.GetInstance() == revision.GetInstance() &&
		answered.GetCounter() >= revision.GetCounter(), nil
}

// Run sends changes until the context ends.
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
			// If it fails, the loop below retries it at once.
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

// markPending marks a pod to be sent. The mutex must be held.
func (l *Ledger) markPending(uid string) {
	if len(l.pending) == 0 {
		l.batchTimer.Reset(batchDelay)
	}
	l.addPending(uid, l.pending[uid])
}

// addPending adds a UID to pending. A pod that is not assumed has been released at the given time; zero means now.
// The mutex must be held.
func (l *Ledger) addPending(uid string, releasedAt time.Time) {
	if _, isAssumed := l.assumed[uid]; isAssumed {
		releasedAt = time.Time{}
	} else if releasedAt.IsZero() {
		releasedAt = time.Now()
	}
	l.pending[uid] = releasedAt
}

// expire drops the UIDs of pods that Evenkeel has expired by itself: they were last sent before they were released,
// or by a call that was in flight then. The mutex must be held.
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
		// Answers at revisions before the next write may or may not include them.
		l.history.addForgotten(l.revision, expired)
		l.history.addFailed()
	}
	if len(l.pending) == 0 {
		// Nothing is left to retry.
		l.lastError = nil
		l.notifyWaiters()
	}
}

// wakeSender wakes the background sender.
func (l *Ledger) wakeSender() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// renew marks pods for renewal before they expire, and forgets pods that were seen bound some time ago. The mutex
// must be held.
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

// renewIfOverdue renews if this process was suspended, because queries may run before the timer does. The mutex must
// be held.
func (l *Ledger) renewIfOverdue() {
	if time.Since(l.lastRenewal) > renewInterval+renewInterval/2 {
		l.renew()
	}
}

// resend marks pods for another instance. The mutex must be held.
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

// notifyWaiters wakes callers of Await. The mutex must be held.
func (l *Ledger) notifyWaiters() {
	close(l.updated)
	l.updated = make(chan struct{})
}

// call sends a batch of pods: first the assumed ones, then, once Evenkeel has acknowledged these, the forgotten ones.
type call struct {
	batch         map[string]time.Time
	assumeRequest *evenkeelv1.AssumeRequest
	forgetRequest *evenkeelv1.ForgetRequest
	// These wait for the responses. nil if there is no such pod, or if the request is not sent yet.
	awaitAssume func() (*evenkeelv1.AssumeResponse, error)
	awaitForget func() (*evenkeelv1.ForgetResponse, error)
	ctx         context.Context
	cancel      context.CancelFunc
	// Whether the context of the caller ended while the request was being sent.
	interrupted bool
}

func (c *call) contains(uid string) bool {
	if c == nil {
		return false
	}
	_, taken := c.batch[uid]
	return taken
}

// begin sends a batch of pending pods. It returns nil if nothing is pending or a call is in flight. The caller must
// make sure that finish is called. The context bounds the time to send.
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

// next takes the next batch out of pending.
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

// finish waits for the responses of a call and records them.
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
			if _, isPending := l.pending[uid]; !isPending {
				l.addPending(uid, releasedAt)
			}
		}
	}
	// An interrupted call says nothing about the server. It is retried at once.
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

// takeBatch removes at least one pod from pending. The mutex must be held.
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
	l.pending = map[string]time.Time{} // Releases the memory of a large map.
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
		// Evenkeel counts a pod that it knows to be deleted or bound as the watch shows it. The scheduler will see that too.
		if refusal := refusals[int32(position)]; refusal != nil && refusal.Reason != evenkeelv1.ErrorReason_ERROR_REASON_POD_DELETED &&
			refusal.Reason != evenkeelv1.ErrorReason_ERROR_REASON_POD_BOUND {
			klog.FromContext(ctx).Error(errors.New(refusal.Message), "Evenkeel refused to assume a pod; PodTopologySpread answers until the pod is bound",
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
		if _, isForgotten := l.forgotten[uid]; !isAssumed && !isForgotten {
			l.forgotten[uid] = now
		}
	}
	return nil
}

// recordWrite records the revision of a write. If another instance has answered, it marks all other assumed pods to
// be sent to that instance. The mutex must be held.
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

// isFlapping returns true if each call is answered by a different instance, as behind a load balancer. Each of them
// is sent everything again, which would repeat without a pause.
func (l *Ledger) isFlapping() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.instanceSwitches > 1
}
