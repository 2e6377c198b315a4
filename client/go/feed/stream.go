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

// stream is one stream of Sync, from its first snapshots until it ends in whatever way. One goroutine sends, another one
// reads the acknowledgements.
type stream struct {
	feed *Feed
	log  klog.Logger
	sync evenkeelv1.ClusterState_SyncClient
	wake chan struct{}
	// accepted is closed once the server has accepted the feeder.
	accepted chan struct{}
	// told is the version of each kind that the server was told last.
	told map[*kind]uint64

	mutex sync.Mutex
	// unread has the messages without an acknowledgement, oldest first.
	unread []sent
	// progress is when the server has acknowledged a message, or was sent one while it had acknowledged all.
	progress time.Time
	// begun is whether the server has accepted the feeder, complete whether it has taken a snapshot of each kind.
	begun, complete bool
	// missing is how many kinds it has not taken yet.
	missing int
}

// sent is a message that was sent.
type sent struct {
	kind evenkeelv1.ObjectKind
	at   time.Time
	// ended is the snapshot that it ends; nil where it ends none.
	ended *snapshot
}

type snapshot struct {
	cause   Cause
	objects int
}

var errUnacknowledged = errors.New("the server has acknowledged nothing for too long")

func newStream(feed *Feed, log klog.Logger) *stream {
	return &stream{
		feed:     feed,
		log:      log,
		wake:     make(chan struct{}, 1),
		accepted: make(chan struct{}),
		told:     make(map[*kind]uint64, len(feed.kinds)),
		missing:  len(feed.kinds),
	}
}

func (s *stream) hasBegun() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.begun
}

func (s *stream) isComplete() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.complete
}

// run feeds until the stream ends, and says why it has.
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
	go s.watchAge(ctx, cancel)
	err = s.send(ctx, takeover)
	if errors.Is(err, io.EOF) {
		// The stream has ended, and only its reader learns why.
		<-read
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	cancel(err)
	<-read
	return err
}

// read reads acknowledgements until the stream ends, and says why it has.
func (s *stream) read() error {
	instance := ""
	for {
		response, err := s.sync.Recv()
		if errors.Is(err, io.EOF) {
			return errors.New("the server has ended the stream")
		}
		if err != nil {
			return err
		}
		if instance == "" {
			instance = response.GetRevision().GetInstance()
			s.log.Info("The server has accepted this feeder", "feeder", s.feed.options.Feeder, "instance", instance)
			if s.feed.options.Hooks.Began != nil {
				s.feed.options.Hooks.Began(instance)
			}
		}
		acknowledged, ok := s.acknowledged()
		if !ok {
			return errors.New("the server has acknowledged more messages than it was sent")
		}
		s.report(acknowledged, response)
	}
}

func (s *stream) acknowledged() (sent, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.unread) == 0 {
		return sent{}, false
	}
	oldest := s.unread[0]
	s.unread = s.unread[1:]
	s.progress = time.Now()
	if !s.begun {
		s.begun = true
		close(s.accepted)
	}
	if oldest.ended != nil && oldest.ended.cause == CauseStream {
		s.missing--
		s.complete = s.missing == 0
	}
	return oldest, true
}

func (s *stream) report(acknowledged sent, response *evenkeelv1.SyncResponse) {
	hooks := s.feed.options.Hooks
	if count := len(response.Refusals); count > 0 {
		first := response.Refusals[0]
		s.log.Info("The server has refused objects", "kind", acknowledged.kind, "count", count,
			"first", first.Object, "reason", first.Error.GetReason(), "message", first.Error.GetMessage())
	}
	if hooks.Refused != nil {
		for _, refusal := range response.Refusals {
			hooks.Refused(acknowledged.kind, refusal)
		}
	}
	if hooks.Acknowledged != nil {
		hooks.Acknowledged(acknowledged.kind, response, time.Since(acknowledged.at))
	}
	if ended := acknowledged.ended; ended != nil {
		s.log.V(1).Info("The server has taken a snapshot", "kind", acknowledged.kind, "cause", ended.cause,
			"objects", ended.objects, "removed", response.RemovedCount)
		if hooks.Snapshot != nil {
			hooks.Snapshot(acknowledged.kind, ended.cause, ended.objects)
		}
	}
}

// watchAge ends the stream where nothing is acknowledged for too long.
func (s *stream) watchAge(ctx context.Context, cancel context.CancelCauseFunc) {
	most := s.feed.options.AcknowledgedWithin
	ticker := time.NewTicker(max(most/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.mutex.Lock()
			late := len(s.unread) > 0 && time.Since(s.progress) > most
			s.mutex.Unlock()
			if late {
				cancel(errUnacknowledged)
				return
			}
		}
	}
}

// send sends a snapshot of each kind, then events, bookmarks, and snapshots of kinds whose order was lost.
func (s *stream) send(ctx context.Context, takeover bool) error {
	begin := &evenkeelv1.BeginSnapshot{Feeder: s.feed.options.Feeder, Takeover: takeover}
	for _, kind := range s.feed.kinds {
		begin.Kinds = append(begin.Kinds, kind.number)
	}
	if err := s.begin(sent{}, begin); err != nil {
		return err
	}
	select {
	case <-s.accepted:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	subscriptions := make([]*subscription, len(s.feed.kinds))
	defer func() {
		for _, subscription := range subscriptions {
			if subscription != nil {
				subscription.end()
			}
		}
	}()
	for i, kind := range s.feed.kinds {
		var err error
		if subscriptions[i], err = s.snapshot(ctx, kind, CauseStream); err != nil {
			return err
		}
	}
	ticker := time.NewTicker(s.feed.pace.look)
	defer ticker.Stop()
	for look := false; ; {
		for i, kind := range s.feed.kinds {
			events, lapsed, err := subscriptions[i].takeEvents()
			switch {
			case err != nil:
			case lapsed != "":
				subscriptions[i].end()
				subscriptions[i], err = s.snapshot(ctx, kind, lapsed)
			case len(events) > 0:
				err = s.events(kind, events)
			case look:
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
			look = false
		case <-ticker.C:
			look = true
		}
	}
}

// snapshot sends what an informer's store holds. The events that follow are those of the subscription that it returns;
// that is nil where there is an error.
func (s *stream) snapshot(ctx context.Context, kind *kind, cause Cause) (*subscription, error) {
	subscription, version, err := subscribe(ctx, kind, s.feed.options.MostWaiting, s.wake)
	if err != nil {
		return nil, err
	}
	if err := s.sendSnapshot(kind, cause, subscription.takeList(), version); err != nil {
		subscription.end()
		return nil, err
	}
	s.told[kind] = version
	return subscription, nil
}

func (s *stream) sendSnapshot(kind *kind, cause Cause, listed []object, version uint64) error {
	if cause != CauseStream {
		s.log.V(1).Info("A kind is sent as a whole", "kind", kind.name(), "cause", cause, "objects", len(listed))
		err := s.begin(sent{kind: kind.number}, &evenkeelv1.BeginSnapshot{
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
		sent{kind: kind.number, ended: &snapshot{cause, len(listed)}},
		&evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_EndSnapshot{
			EndSnapshot: &evenkeelv1.EndSnapshot{Kinds: []*evenkeelv1.KindVersion{end}}}})
}

func (s *stream) events(kind *kind, events []event) error {
	for len(events) > 0 {
		some := &message{kind: kind.number, step: requestEvents}
		for len(events) > 0 && !some.isFull() {
			if err := some.addEvent(events[0]); err != nil {
				return err
			}
			s.told[kind], _ = parse(events[0].object.GetResourceVersion())
			events = events[1:]
		}
		if err := s.sendMessage(some); err != nil {
			return err
		}
	}
	return nil
}

// bookmark tells how far a kind has got of which nothing has changed.
func (s *stream) bookmark(kind *kind, subscription *subscription) error {
	version, ok := subscription.reached(s.told[kind])
	if !ok {
		return nil
	}
	s.told[kind] = version
	bookmark := &message{kind: kind.number, step: requestEvents}
	bookmark.addBookmark(strconv.FormatUint(version, 10))
	return s.sendMessage(bookmark)
}

func (s *stream) begin(as sent, begin *evenkeelv1.BeginSnapshot) error {
	return s.sendAs(as, &evenkeelv1.SyncRequest{Step: &evenkeelv1.SyncRequest_BeginSnapshot{BeginSnapshot: begin}})
}

func (s *stream) sendMessage(message *message) error {
	return s.sendAs(sent{kind: message.kind}, message)
}

// sendAs sends a *message or a *SyncRequest. It waits as long as the server takes nothing.
func (s *stream) sendAs(as sent, request any) error {
	s.mutex.Lock()
	as.at = time.Now()
	if len(s.unread) == 0 {
		s.progress = as.at
	}
	s.unread = append(s.unread, as)
	s.mutex.Unlock()
	return s.sync.SendMsg(request)
}
