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
	timeToLive = time.Minute
	renewal    = timeToLive / 3
	// Evenkeel may be away: the background tells it again after this time, and twice as long after each further failure.
	shortestPause = 50 * time.Millisecond
	longestPause  = 200 * time.Millisecond
	// A change waits so long for a question that takes it along.
	gathering = 2 * time.Millisecond
	// A question takes no more changes along: a longer message would make it late.
	mostTakenAlong = 32
	// A call that takes longer is made again.
	patience = 5 * time.Second
	// No question takes longer.
	longestQuestion = 10 * time.Second
	// As many pods are told of in one round, and as many bytes of them: servers refuse calls about more than 20,000, and
	// messages of more than 16 MiB.
	mostTold      = 5000
	mostToldBytes = 4 << 20
)

// ErrRefused says that Evenkeel has refused to assume a pod, so that its counts lack that pod.
var ErrRefused = errors.New("an assumed pod was refused")

// ErrUntold says that Evenkeel has not taken yet what the scheduler assumes.
var ErrUntold = errors.New("the server has not taken what the scheduler assumes")

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
	evenkeel Evenkeel

	mutex sync.Mutex
	held  map[string]*holding
	// The UIDs of which Evenkeel must be told: those held are assumed, the others forgotten. Of the latter it has the time
	// since when they are not held.
	untold map[string]time.Time
	// The call that is under way; nil where none is.
	underWay *call
	// How many pods were seen before Evenkeel was told of them, for certain.
	settled int
	// Why the last call has failed; nil where it has not, or was cut. Nobody waits for what is told while it fails.
	failing error
	refused map[string]struct{}
	// The pods that were seen bound lately: for as long as Evenkeel may count them because it was told of them.
	bound map[string]*boundPod
	// When Evenkeel was first told to forget a pod, lately. Another instance, which is told next, may still count it.
	forgotten map[string]time.Time
	// That of the last write; nil where nothing was written to the instance that runs now.
	revision *evenkeelv1.Revision
	instance string
	// How many calls, up to the last one, another instance has answered than the call before.
	switches int
	// When it was last looked which pods must be renewed.
	renewed time.Time
	// Closed, and made anew, whenever Evenkeel has been told.
	told chan struct{}
	wake chan struct{}
	// Wakes up the background a while after something has changed.
	gathered *time.Timer
	// The call that a question has begun, for the background to await.
	begun chan *call
	// What was told to which revision, for those who judge answers later. nil where nobody does.
	history *History
}

type holding struct {
	pod *evenkeelv1.AssumedPod
	// How many bytes it takes to tell of it.
	size     int
	instance string
	since    time.Time
	// Whether another instance may have been told before.
	toldAgain bool
}

type boundPod struct {
	seen time.Time
	// Whether more than one instance was told of it, or a call told of it when it was seen.
	toldAgain bool
}

// NewLedger makes a ledger of nothing.
func NewLedger(evenkeel Evenkeel) *Ledger {
	l := &Ledger{
		evenkeel:  evenkeel,
		held:      map[string]*holding{},
		untold:    map[string]time.Time{},
		refused:   map[string]struct{}{},
		bound:     map[string]*boundPod{},
		forgotten: map[string]time.Time{},
		told:      make(chan struct{}),
		wake:      make(chan struct{}, 1),
		begun:     make(chan *call, 1),
		renewed:   time.Now(),
	}
	l.gathered = time.AfterFunc(0, l.tellNow)
	return l
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
	assumed := &evenkeelv1.AssumedPod{Pod: pod, Node: node}
	size := proto.Size(assumed)
	l.mutex.Lock()
	uid := pod.Metadata.Uid
	l.held[uid] = &holding{pod: assumed, size: size}
	delete(l.forgotten, uid)
	l.change(uid)
	l.mutex.Unlock()
}

// Forget takes back what Assume did. Evenkeel keeps a pod that its watch has shown bound meanwhile.
func (l *Ledger) Forget(uid string) {
	l.mutex.Lock()
	delete(l.held, uid)
	delete(l.bound, uid)
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
	l.bound[uid] = &boundPod{seen: time.Now(), toldAgain: holding.toldAgain || l.underWay.tells(uid)}
	if len(l.untold) == 0 && l.underWay == nil {
		// Nobody tries again what has failed.
		l.failing = nil
	}
	l.history.seen(uid)
	l.announce()
}

// Gone says that the scheduler's own watch has shown the pod deleted.
func (l *Ledger) Gone(uid string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	_, held := l.held[uid]
	if _, bound := l.bound[uid]; !held && !bound {
		return
	}
	delete(l.held, uid)
	delete(l.bound, uid)
	delete(l.refused, uid)
	l.change(uid)
	if held {
		l.history.seen(uid)
	}
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
		told, revision, done := l.told, l.revision, len(l.untold) == 0 && l.underWay == nil
		failing, refused := l.failing, len(l.refused) > 0
		l.mutex.Unlock()
		if !done {
			l.tellNow()
		}
		switch {
		case refused:
			return nil, ErrRefused
		case done:
			return revision, nil
		case failing != nil:
			return nil, fmt.Errorf("%w: %v", ErrUntold, failing)
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

// Standing sends what is to be told, where that is little, no call is under way, and the last one has not failed. It does
// not wait for the answer, and not longer than the context for the connection.
func (l *Ledger) Standing(ctx context.Context) (Standing, error) {
	l.mutex.Lock()
	l.wakeUp()
	takesAlong := l.failing == nil && len(l.untold) <= mostTakenAlong
	l.mutex.Unlock()
	if takesAlong {
		if call := l.begin(ctx); call != nil {
			l.begun <- call
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	standing := Standing{Revision: l.revision, pending: len(l.untold) > 0 || l.underWay != nil, settled: l.settled}
	switch {
	case len(l.refused) > 0:
		return standing, ErrRefused
	case standing.pending && l.failing != nil:
		return standing, fmt.Errorf("%w: %v", ErrUntold, l.failing)
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
		case call := <-l.begun:
			// Where it fails, it is made again at once.
			_ = l.finish(ctx, call)
		}
		pause := shortestPause
		for call := l.begin(ctx); call != nil; call = l.begin(ctx) {
			if l.finish(ctx, call) == nil && !l.isTossed() {
				pause = shortestPause
				continue
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, longestPause)
		}
	}
}

// change notes that Evenkeel must be told of a pod. The mutex must be held.
func (l *Ledger) change(uid string) {
	if len(l.untold) == 0 {
		l.gathered.Reset(gathering)
	}
	l.note(uid, l.untold[uid])
}

// note puts a UID among those of which Evenkeel must be told. One that is not held is so since a time; zero where that is
// now. The mutex must be held.
func (l *Ledger) note(uid string, notHeld time.Time) {
	if _, held := l.held[uid]; held {
		notHeld = time.Time{}
	} else if notHeld.IsZero() {
		notHeld = time.Now()
	}
	l.untold[uid] = notHeld
}

// expire drops the UIDs of pods that Evenkeel has forgotten by itself: it was told of them for the last time before they
// were not held any more, or by a call that was under way then. The mutex must be held.
func (l *Ledger) expire() {
	var expired []string
	for uid, notHeld := range l.untold {
		if !notHeld.IsZero() && time.Since(notHeld) >= timeToLive+patience {
			delete(l.untold, uid)
			l.settled++
			expired = append(expired, uid)
		}
	}
	if len(expired) > 0 {
		// Answers of the revisions until the next write may be from before or after that.
		l.history.forgotten(l.revision, expired)
		l.history.failed()
	}
	if len(l.untold) == 0 {
		// Nobody tries again what has failed.
		l.failing = nil
		l.announce()
	}
}

// tellNow wakes up the background.
func (l *Ledger) tellNow() {
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
	for uid, bound := range l.bound {
		switch age := time.Since(bound.seen); {
		case bound.toldAgain && age >= longestQuestion:
			delete(l.bound, uid)
			l.change(uid)
		case age >= timeToLive+patience:
			delete(l.bound, uid)
		}
	}
	for uid, told := range l.forgotten {
		if time.Since(told) >= timeToLive+patience {
			delete(l.forgotten, uid)
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
	for uid := range l.forgotten {
		l.change(uid)
	}
}

// announce wakes those up who wait. The mutex must be held.
func (l *Ledger) announce() {
	close(l.told)
	l.told = make(chan struct{})
}

// call tells Evenkeel of some pods: first of those that are assumed, and when it has taken these, of the others.
type call struct {
	taken     map[string]time.Time
	assumed   *evenkeelv1.AssumeRequest
	forgotten *evenkeelv1.ForgetRequest
	// These wait for the answers. nil where there is no such pod, or where it is not sent yet.
	assumption func() (*evenkeelv1.AssumeResponse, error)
	forgetting func() (*evenkeelv1.ForgetResponse, error)
	ctx        context.Context
	cancel     context.CancelFunc
	// Whether whoever has begun it could not wait until it was sent.
	cut bool
}

func (c *call) tells(uid string) bool {
	if c == nil {
		return false
	}
	_, taken := c.taken[uid]
	return taken
}

// begin sends what is to be told. It gives nil where there is nothing, or where a call is under way. Whoever gets a call
// must see to it that it is finished. The context bounds the time to send.
func (l *Ledger) begin(ctx context.Context) *call {
	c := l.next()
	if c == nil {
		return nil
	}
	c.ctx, c.cancel = context.WithTimeout(context.WithoutCancel(ctx), patience)
	stop := context.AfterFunc(ctx, c.cancel)
	if len(c.assumed.Pods) > 0 {
		c.assumption = l.evenkeel.Assume(c.ctx, c.assumed)
	} else {
		c.forgetting = l.evenkeel.Forget(c.ctx, c.forgotten)
	}
	c.cut = !stop()
	return c
}

// next takes out what is told next.
func (l *Ledger) next() *call {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.underWay != nil {
		return nil
	}
	if l.failing != nil {
		l.expire()
	}
	if len(l.untold) == 0 {
		return nil
	}
	l.gathered.Stop()
	c := &call{
		taken:     l.take(),
		assumed:   &evenkeelv1.AssumeRequest{TimeToLive: durationpb.New(timeToLive)},
		forgotten: &evenkeelv1.ForgetRequest{},
	}
	for uid := range c.taken {
		if holding, held := l.held[uid]; held {
			c.assumed.Pods = append(c.assumed.Pods, holding.pod)
		} else {
			c.forgotten.Uids = append(c.forgotten.Uids, uid)
		}
	}
	l.underWay = c
	return c
}

// finish waits for the answers of a call, and notes them.
func (l *Ledger) finish(ctx context.Context, c *call) error {
	defer c.cancel()
	stop := context.AfterFunc(ctx, c.cancel)
	defer stop()
	err := l.answered(ctx, c)
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.underWay = nil
	if err != nil {
		l.history.failed()
		for uid, notHeld := range c.taken {
			if _, held := l.held[uid]; !held {
				l.settled++
				if _, bound := l.bound[uid]; bound {
					continue
				}
			}
			if _, again := l.untold[uid]; !again {
				l.note(uid, notHeld)
			}
		}
	}
	// A call that was cut says nothing of Evenkeel. It is made again at once.
	if err == nil || len(l.untold) == 0 {
		l.failing = nil
	} else if l.failing != nil || !c.cut {
		l.failing = err
	}
	l.announce()
	return err
}

func (l *Ledger) answered(ctx context.Context, c *call) error {
	if c.assumption != nil {
		if err := l.awaitAssumed(ctx, c); err != nil {
			return err
		}
		if len(c.forgotten.Uids) == 0 {
			return nil
		}
		c.forgetting = l.evenkeel.Forget(c.ctx, c.forgotten)
	}
	return l.awaitForgotten(c)
}

// take takes out what is told next: one pod at least. The mutex must be held.
func (l *Ledger) take() map[string]time.Time {
	taken := make(map[string]time.Time, min(len(l.untold), mostTold))
	bytes := 0
	for uid, notHeld := range l.untold {
		size := len(uid)
		if holding, held := l.held[uid]; held {
			size = holding.size
		}
		if len(taken) == mostTold || len(taken) > 0 && bytes+size > mostToldBytes {
			return taken
		}
		bytes += size
		taken[uid] = notHeld
		delete(l.untold, uid)
	}
	l.untold = map[string]time.Time{} // It may have had room for many.
	return taken
}

func (l *Ledger) awaitAssumed(ctx context.Context, c *call) error {
	response, err := c.assumption()
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
	for position, pod := range c.assumed.Pods {
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
		holding.instance, holding.since = response.GetRevision().GetInstance(), now
	}
	l.history.assumed(response.GetRevision(), c.assumed.Pods)
	l.written(response.GetRevision())
	return nil
}

func (l *Ledger) awaitForgotten(c *call) error {
	response, err := c.forgetting()
	if err != nil {
		return err
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.history.forgotten(response.GetRevision(), c.forgotten.Uids)
	l.written(response.GetRevision())
	now := time.Now()
	for _, uid := range c.forgotten.Uids {
		_, held := l.held[uid]
		if _, again := l.forgotten[uid]; !held && !again {
			l.forgotten[uid] = now
		}
	}
	return nil
}

// written keeps the revision of a write and, where another instance has answered, tells it of everything else that is
// held. The mutex must be held.
func (l *Ledger) written(revision *evenkeelv1.Revision) {
	l.revision = revision
	if revision.GetInstance() == l.instance {
		l.switches = 0
		return
	}
	l.switches++
	l.instance = revision.GetInstance()
	l.tellAgain(func(h *holding) bool { return h.instance != "" && h.instance != l.instance })
}

// isTossed says whether one instance after another answers, as where something spreads calls over replicas. Each of them is
// told everything again, which would go on without a pause.
func (l *Ledger) isTossed() bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.switches > 1
}
