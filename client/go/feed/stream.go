package feed

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc"
	"k8s.io/klog/v2"
)

// stream is one Sync stream, from its first snapshots until it ends for any reason. One goroutine sends, another one
// reads the acknowledgements.
type stream struct {
	feed *Feed
	log  klog.Logger
	sync evenkeelv1.ClusterState_SyncClient
	wake chan struct{}
	// Closed once the server has accepted the feeder.
	acceptedSignal chan struct{}
	// The last version of each kind that was sent.
	sentVersions map[*kind]uint64

	mutex sync.Mutex
	// Messages without an acknowledgement, oldest first.
	unacknowledged []sentMessage
	// When the server last acknowledged a message, or was sent one with none unacknowledged.
	lastProgress time.Time
	// Whether the server has accepted the feeder, and whether it has acknowledged a snapshot of each kind.
	accepted, complete bool
	// How many kinds it has not acknowledged yet.
	missingKinds int
}

// sentMessage is a message that was sent.
type sentMessage struct {
	kind   evenkeelv1.ObjectKind
	sentAt time.Time
	// The snapshot that the message ends, or nil.
	snapshot *snapshot
}

type snapshot struct {
	cause   Cause
	objects int
}

var errUnacknowledged = errors.New("the server acknowledged nothing within Options.AcknowledgeTimeout")

func newStream(feed *Feed, log klog.Logger) *stream {
	return &stream{
		feed:           feed,
		log:            log,
		wake:           make(chan struct{}, 1),
		acceptedSignal: make(chan struct{}),
		sentVersions:   make(map[*kind]uint64, len(feed.kinds)),
		missingKinds:   len(feed.kinds),
	}
}

func (s *stream) isAccepted() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.accepted
}

func (s *stream) isComplete() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.complete
}

// run feeds until the stream ends, and returns why.
func (s *stream) run(parent context.Context, takeover bool) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	sync, err := s.feed.state.Sync(ctx, grpc.ForceCodecV2(codec{}))
	if err != nil {
		return err
	}
	s.sync = sync
	read := make(chan struct{})
	go func() {
		defer close(read)
		cancel(s.read())
	}()
	go s.watchProgress(ctx, cancel)
	err = s.send(ctx, takeover)
	if errors.Is(err, io.EOF) {
		// The stream has ended, and only the reader knows why.
		<-read
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(err)
	<-read
	return err
}

// read reads acknowledgements until the stream ends, and returns why.
func (s *stream) read() error {
	instance := ""
	for {
		response, err := s.sync.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("the server closed the stream")
		}
		if err != nil {
			return err
		}
		if instance == "" {
			instance = response.GetRevision().GetInstance()
			s.log.Info("The server accepted this feeder", "feeder", s.feed.options.Feeder, "instance", instance)
			if s.feed.options.Hooks.Began != nil {
				s.feed.options.Hooks.Began(instance)
			}
		}
		acknowledged, ok := s.nextAcknowledged()
		if !ok {
			return errors.New("the server acknowledged more messages than it was sent")
		}
		s.report(acknowledged, response)
	}
}

func (s *stream) nextAcknowledged() (sentMessage, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.unacknowledged) == 0 {
		return sentMessage{}, false
	}
	oldest := s.unacknowledged[0]
	s.unacknowledged = s.unacknowledged[1:]
	s.lastProgress = time.Now()
	if !s.accepted {
		s.accepted = true
		close(s.acceptedSignal)
	}
	if oldest.snapshot != nil && oldest.snapshot.cause == CauseStream {
		s.missingKinds--
		s.complete = s.missingKinds == 0
	}
	return oldest, true
}

func (s *stream) report(acknowledged sentMessage, response *evenkeelv1.SyncResponse) {
	hooks := s.feed.options.Hooks
	if count := len(response.Refusals); count > 0 {
		first := response.Refusals[0]
		s.log.Info("The server refused objects", "kind", acknowledged.kind, "count", count,
			"first", first.Object, "reason", first.Error.GetReason(), "message", first.Error.GetMessage())
	}
	if hooks.Refused != nil {
		for _, refusal := range response.Refusals {
			hooks.Refused(acknowledged.kind, refusal)
		}
	}
	if hooks.Acknowledged != nil {
		hooks.Acknowledged(acknowledged.kind, response, time.Since(acknowledged.sentAt))
	}
	if ended := acknowledged.snapshot; ended != nil {
		s.log.V(1).Info("The server acknowledged a snapshot", "kind", acknowledged.kind, "cause", ended.cause,
			"objects", ended.objects, "removed", response.RemovedCount)
		if hooks.Snapshot != nil {
			hooks.Snapshot(acknowledged.kind, ended.cause, ended.objects)
		}
	}
}

// watchProgress ends the stream if nothing is acknowledged for too long.
func (s *stream) watchProgress(ctx context.Context, cancel context.CancelCauseFunc) {
	timeout := s.feed.options.AcknowledgeTimeout
	ticker := time.NewTicker(max(timeout/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.mutex.Lock()
			late := len(s.unacknowledged) > 0 && time.Since(s.lastProgress) > timeout
			s.mutex.Unlock()
			if late {
				cancel(errUnacknowledged)
				return
			}
		}
	}
}

// send sends a snapshot of each kind, then events, bookmarks, and snapshots of kinds that were relisted.
func (s *stream) send(ctx context.Context, takeover bool) error {
	begin := &evenkeelv1.BeginSnapshot{Feeder: s.feed.options.Feeder, Takeover: takeover}
	for _, kind := range s.feed.kinds {
		begin.Kinds = append(begin.Kinds, kind.number)
	}
	if err := s.begin(sentMessage{}, begin); err != nil {
		return err
	}
	select {
	case <-s.acceptedSignal:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	subscriptions := make([]*subscription, len(s.feed.kinds))
	defer func() {
		for _, subscription := range subscriptions {
			if subscription != nil {
				subscription.unsubscribe()
			}
		}
	}()
	for i, kind := range s.feed.kinds {
		var err error
		if subscriptions[i], err = s.sendKind(ctx, kind, CauseStream); err != nil {
			return err
		}
	}
	ticker := time.NewTicker(s.feed.timing.pollInterval)
	defer ticker.Stop()
	for poll := false; ; {
		for i, kind := range s.feed.kinds {
			events, lapsed, err := subscriptions[i].takeEvents()
			switch {
			case err != nil:
			case lapsed != "":
				subscriptions[i].unsubscribe()
				subscriptions[i], err = s.sendKind(ctx, kind, lapsed)
			case len(events) > 0:
				err = s.sendEvents(kind, events)
			case poll:
				err = s.bookmark(kind, subscriptions[i])
			}
			if err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.wake:
			poll = false
		case <-ticker.C:
			poll = true
		}
	}
}

// sendKind sends a snapshot from the informer's store. The following events are those of the returned subscription,
// which is nil if there is an error.
func (s *stream) sendKind(ctx context.Context, kind *kind, cause Cause) (*subscription, error) {
	subscription, version, err := subscribe(ctx, kind, s.feed.options.MaxWaiting, s.wake)
	if err != nil {
		return nil, err
	}
	if err := s.sendSnapshot(kind, cause, subscription.takeList(), version); err != nil {
		subscription.unsubscribe()
		return nil, err
	}
	s.sentVersions[kind] = version
	return subscription, nil
}

func (s *stream) sendSnapshot(kind *kind, cause Cause, listed []object, version uint64) error {
	if cause != CauseStream {
		s.log.V(1).Info("Sending a snapshot of a kind again", "kind", kind.name(), "cause", cause, "objects", len(listed))
		err := s.begin(sentMessage{kind: kind.number}, &evenkeelv1.BeginSnapshot{
			Feeder: s.feed.options.Feeder, Kinds: []evenkeelv1.ObjectKind{kind.number}})
		if err != nil {
			return err
		}
	}
	objects := &message{kind: kind.number, step: requestObjects}
	for _, object := range listed {
		if err := objects.addObject(object); err != nil {
			return err
		}
		if objects.isFull() {
			if err := s.sendMessage(objects); err != nil {
				return err
			}
			objects = &message{kind: kind.number, step: requestObjects}
		}
	}
	if objects.items > 0 {
		if err := s.sendMessage(objects); err != nil {
			return err
		}
	}
	end := &evenkeelv1.KindVersion{Kind: kind.number}
	if version > 0 {
		end.ResourceVersion = strconv.FormatUint(version, 10)
	}
	return s.sendAs(
		sentMessage{kind: kind.number, snapshot: &snapshot{cause, len(listed)}},
		&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{
			EndSnapshot: &evenkeelv1.EndSnapshot{Kinds: []*evenkeelv1.KindVersion{end}}}})
}

func (s *stream) sendEvents(kind *kind, events []event) error {
	for len(events) > 0 {
		some := &message{kind: kind.number, step: requestEvents}
		for len(events) > 0 && !some.isFull() {
			if err := some.addEvent(events[0]); err != nil {
				return err
			}
			s.sentVersions[kind], _ = parse(events[0].object.GetResourceVersion())
			events = events[1:]
		}
		if err := s.sendMessage(some); err != nil {
			return err
		}
	}
	return nil
}

// bookmark sends the version that a kind without changes has reached.
func (s *stream) bookmark(kind *kind, subscription *subscription) error {
	version, ok := subscription.bookmarkVersion(s.sentVersions[kind])
	if !ok {
		return nil
	}
	s.sentVersions[kind] = version
	bookmark := &message{kind: kind.number, step: requestEvents}
	bookmark.addBookmark(strconv.FormatUint(version, 10))
	return s.sendMessage(bookmark)
}

func (s *stream) begin(sent sentMessage, begin *evenkeelv1.BeginSnapshot) error {
	return s.sendAs(sent, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: begin}})
}

func (s *stream) sendMessage(message *message) error {
	return s.sendAs(sentMessage{kind: message.kind}, message)
}

// sendAs sends a *message or a *SyncRequest. It blocks until the server accepts it.
func (s *stream) sendAs(sent sentMessage, request any) error {
	s.mutex.Lock()
	sent.sentAt = time.Now()
	if len(s.unacknowledged) == 0 {
		s.lastProgress = sent.sentAt
	}
	s.unacknowledged = append(s.unacknowledged, sent)
	s.mutex.Unlock()
	return s.sync.SendMsg(request)
}
