package feed

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"k8s.io/client-go/tools/cache"
)

// subscription is one registration with an informer: the content of its store at that moment, and the events of the
// watch since.
//
//	subscribe ──► list, at the store's version ──► events, by rising version ──► lapsed: subscribe again
//
// The informer calls the handler for each change after the store has it, in the order of the store's changes. Changes
// from a watch are in the order of their versions. Changes from a list are in no order, and an event among them must
// not be sent: the server would report that it has all events before it.
//
// Witnesses distinguish the two. A list puts new pointers into the store for all objects before the first change is
// handled; a watch keeps the pointers of objects that do not change. If any witness still has the same pointer in the
// store, everything handled so far came from the watch. If none has, the subscription lapses. This may be
// unnecessary, but the snapshot that follows is always correct.
type subscription struct {
	kind      *kind
	store     cache.Store
	maxEvents int
	// wake receives a signal for each change.
	wake         chan<- struct{}
	registration cache.ResourceEventHandlerRegistration

	mutex sync.Mutex
	// listed is the content of the store, until takeList is called.
	listed []object
	// storeCount is how many objects the store held at the last event, lastVersion the greatest version so far.
	storeCount  int
	lastVersion uint64
	// firstVersion is the version of the first event; 0 if there was none.
	firstVersion uint64
	witnesses    []witness
	events       []event
	// lapsed says why the events can no longer be used; "" while they can.
	lapsed        Cause
	informerError *informerError
}

// event is an event of the watch. It has the same type as in the watch: the server revives a deleted UID when it is
// added, but not when it is modified. An object that leaves a selector and comes back has the same UID.
type event struct {
	typ    evenkeelv1.ClusterEvent_Type
	object object
}

func (e event) isDeletion() bool { return e.typ == evenkeelv1.ClusterEvent_TYPE_DELETED }

// witness is an object of the store, and the pointer that the store had when it was handled.
type witness struct {
	key    string
	object object
}

const maxWitnesses = 16

// How often to subscribe if a subscription lapses before the version of its list is known. Kept small, because other
// handlers wait while one is registered.
const maxAttempts = 3

// How long to wait for the version of a list, and how often to check.
const (
	versionTimeout      = time.Second
	versionPollInterval = 2 * time.Millisecond
)

// subscribe registers with the kind's informer, and waits until the handler has received the list. It returns the
// version of the list, or 0 if that is unknown.
func subscribe(ctx context.Context, kind *kind, maxEvents int, wake chan<- struct{}) (*subscription, uint64, error) {
	never := time.Duration(0)
	for attempt := 1; ; attempt++ {
		s := &subscription{kind: kind, store: kind.informer.GetStore(), maxEvents: maxEvents, wake: wake}
		kind.subscription.Store(s)
		before := s.store.LastStoreSyncResourceVersion()
		registration, err := kind.informer.AddEventHandlerWithOptions(s, cache.HandlerOptions{ResyncPeriod: &never})
		if err != nil {
			return nil, 0, &informerError{kind, "rejected a handler: " + err.Error()}
		}
		after := s.store.LastStoreSyncResourceVersion()
		s.registration = registration
		if err := awaitDone(ctx, registration.HasSyncedChecker(), s.check); err != nil {
			s.unsubscribe()
			return nil, 0, err
		}
		if before == after {
			version, _ := parse(after)
			return s, version, nil
		}
		version, err := s.awaitListVersion(ctx)
		if err != nil {
			s.unsubscribe()
			return nil, 0, err
		}
		if version > 0 || attempt == maxAttempts {
			return s, version, nil
		}
		s.unsubscribe()
	}
}

// awaitListVersion waits until the version of the handled list is known. It returns 0 if it stays unknown.
func (s *subscription) awaitListVersion(ctx context.Context) (uint64, error) {
	for end := time.Now().Add(versionTimeout); ; {
		version, settled := s.listVersion()
		if settled || time.Now().After(end) {
			return version, nil
		}
		select {
		case <-time.After(versionPollInterval):
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// listVersion returns a version at which the list is the exact state, and whether that is final. The store's version
// just before or after the registration cannot be used if it changed in between, as it always does for a busy kind.
// But the list remains the exact state until the first event, or if there is none.
func (s *subscription) listVersion() (uint64, bool) {
	s.mutex.Lock()
	first, lapsed := s.firstVersion, s.lapsed
	s.mutex.Unlock()
	switch {
	case first > 0:
		return first - 1, true
	case lapsed != "":
		return 0, true
	default:
		return s.bookmarkVersion(0)
	}
}

// unsubscribe removes the handler from the informer.
func (s *subscription) unsubscribe() {
	// It fails only for a registration of another informer.
	_ = s.kind.informer.RemoveEventHandler(s.registration)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.listed, s.events = nil, nil
}

// OnAdd implements cache.ResourceEventHandler.
func (s *subscription) OnAdd(added any, isInInitialList bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object, ok := s.cast(added)
	if !ok {
		return
	}
	if !isInInitialList {
		s.addEvent(event{evenkeelv1.ClusterEvent_TYPE_ADDED, object}, 1)
		return
	}
	version, _ := parse(object.GetResourceVersion())
	s.listed = append(s.listed, object)
	s.storeCount++
	s.lastVersion = max(s.lastVersion, version)
	s.addWitness(object)
}

// OnUpdate implements cache.ResourceEventHandler.
func (s *subscription) OnUpdate(old, updated any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	before, ok := s.cast(old)
	if !ok {
		return
	}
	after, ok := s.cast(updated)
	if !ok {
		return
	}
	if before.GetUID() != after.GetUID() {
		// The deletion of the previous object was not seen.
		s.lapse(CauseRelist)
	} else if before.GetResourceVersion() != after.GetResourceVersion() {
		s.addEvent(event{evenkeelv1.ClusterEvent_TYPE_MODIFIED, after}, 0)
	}
}

// OnDelete implements cache.ResourceEventHandler.
func (s *subscription) OnDelete(deleted any) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, unseen := deleted.(cache.DeletedFinalStateUnknown); unseen {
		s.lapse(CauseRelist)
	} else if object, ok := s.cast(deleted); ok {
		s.addEvent(event{evenkeelv1.ClusterEvent_TYPE_DELETED, object}, -1)
	}
}

func (s *subscription) cast(stored any) (object, bool) {
	object, ok := s.kind.cast(stored)
	if !ok && s.informerError == nil {
		s.informerError = &informerError{s.kind, fmt.Sprintf("must not hold %T", stored)}
		s.signal()
	}
	return object, ok
}

// addEvent adds an event that changes the number of objects by delta.
func (s *subscription) addEvent(event event, delta int) {
	version, ok := parse(event.object.GetResourceVersion())
	switch {
	case s.lapsed != "":
	case !ok || version <= s.lastVersion || !s.isFromWatch():
		s.lapse(CauseRelist)
	case len(s.events) == s.maxEvents:
		s.lapse(CauseSlow)
	default:
		if s.firstVersion == 0 {
			s.firstVersion = version
		}
		s.lastVersion = version
		s.storeCount += delta
		if event.isDeletion() {
			s.removeWitness(event.object)
		} else {
			s.addWitness(event.object)
		}
		s.events = append(s.events, event)
		s.signal()
	}
}

func (s *subscription) lapse(cause Cause) {
	if s.lapsed == "" {
		s.lapsed = cause
		s.events = nil
		s.signal()
	}
}

func (s *subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// isFromWatch returns true if everything handled so far is certain to come from the watch.
func (s *subscription) isFromWatch() bool {
	for _, witness := range s.witnesses {
		if stored, ok, err := s.store.GetByKey(witness.key); ok && err == nil && stored == any(witness.object) {
			return true
		}
	}
	return false
}

// addWitness makes an object a witness, or updates it if it is one.
func (s *subscription) addWitness(object object) {
	key := keyOf(object)
	for i := range s.witnesses {
		if s.witnesses[i].key == key {
			s.witnesses[i].object = object
			return
		}
	}
	if len(s.witnesses) < maxWitnesses {
		s.witnesses = append(s.witnesses, witness{key, object})
	}
}

func (s *subscription) removeWitness(object object) {
	key := keyOf(object)
	s.witnesses = slices.DeleteFunc(s.witnesses, func(witness witness) bool { return witness.key == key })
}

// takeList returns the content of the store when the subscription started.
func (s *subscription) takeList() []object {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	listed := s.listed
	s.listed = nil
	return listed
}

// takeEvents returns the events since the last call, and why no more will come.
func (s *subscription) takeEvents() ([]event, Cause, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	events := s.events
	s.events = nil
	return events, s.lapsed, s.checkLocked()
}

func (s *subscription) waiting() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.events)
}

func (s *subscription) check() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.checkLocked()
}

func (s *subscription) checkLocked() error {
	if s.informerError != nil {
		return s.informerError
	}
	return s.kind.checkRunning()
}

// bookmarkVersion returns the version that the store has reached by bookmarks, if the handler is certain to have
// handled all that the store holds. An informer does not report bookmarks, and calls the handler some time after the
// store has changed. But the store shows what is still to be handled: an object of a later version, or another number
// of objects.
func (s *subscription) bookmarkVersion(sent uint64) (uint64, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	text := s.store.LastStoreSyncResourceVersion()
	version, ok := parse(text)
	if !ok || version <= sent || s.lapsed != "" || len(s.events) > 0 {
		return 0, false
	}
	stored := s.store.List()
	if s.store.LastStoreSyncResourceVersion() != text || len(stored) != s.storeCount {
		return 0, false
	}
	for _, each := range stored {
		object, ok := s.cast(each)
		if !ok {
			return 0, false
		}
		if held, ok := parse(object.GetResourceVersion()); !ok || held > s.lastVersion {
			return 0, false
		}
	}
	if !s.isFromWatch() {
		// A list has changed nothing but the pointers.
		s.witnesses = nil
		for _, each := range stored[:min(len(stored), maxWitnesses)] {
			if object, ok := s.cast(each); ok {
				s.addWitness(object)
			}
		}
	}
	return version, true
}

// keyOf is the key of an object in an informer's store.
func keyOf(object object) string {
	if object.GetNamespace() == "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}

// parse parses a resource version.
func parse(version string) (uint64, bool) {
	number, err := strconv.ParseUint(version, 10, 64)
	return number, err == nil && number > 0
}
