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

// subscription is one registration with an informer: what its store held at that moment, and what the watch has told
// since.
//
//	subscribe ──► list, of the store's version ──► events, by rising version ──► lapsed: subscribe anew
//
// The informer calls the handler for each change after the store has it, in the order of the store's changes. Changes
// that come from a watch are in the order of their versions. Changes that come from a list are in no order, and an event
// among them must not be sent: the server would say that it holds every event before.
//
// Witnesses tell the two apart. A list puts new pointers into the store for all objects, before the first change is
// handled; a watch leaves the objects alone that it does not change. So where one object of the store is still the same
// pointer, everything handled until now came from the watch. Where none is, the subscription lapses, right or wrong: the
// snapshot that follows is always right.
type subscription struct {
	kind      *kind
	store     cache.Store
	maxEvents int
	// wake is told of each change.
	wake         chan<- struct{}
	registration cache.ResourceEventHandlerRegistration

	mutex sync.Mutex
	// listed is what the store held, until it is taken.
	listed []object
	// count is how many objects the store held at the last event, last the greatest version by then.
	storeCount  int
	lastVersion uint64
	// first is the version of the first event; 0 where none has come.
	firstVersion uint64
	witnesses    []witness
	events       []event
	// lapsed says why the events are of no use any more; "" as long as they are.
	lapsed        Cause
	informerError *informerError
}

// event is what the watch tells of an object. The type is as in the watch: the server brings a UID that was deleted back
// where it is added, and never where it is modified. An object that leaves a selector and comes back has the same UID.
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

// How often a subscription is tried that lapses before the version of its list is known. Other handlers wait while one is
// registered, so it is not tried often.
const maxAttempts = 3

// How long the version of a list is waited for, and how often it is looked for.
const (
	versionTimeout      = time.Second
	versionPollInterval = 2 * time.Millisecond
)

// subscribe registers with the kind's informer, and waits until the handler has got the list. The version is that of the
// list; 0 where it is not known.
func subscribe(ctx context.Context, kind *kind, maxEvents int, wake chan<- struct{}) (*subscription, uint64, error) {
	never := time.Duration(0)
	for attempt := 1; ; attempt++ {
		s := &subscription{kind: kind, store: kind.informer.GetStore(), maxEvents: maxEvents, wake: wake}
		kind.subscription.Store(s)
		before := s.store.LastStoreSyncResourceVersion()
		registration, err := kind.informer.AddEventHandlerWithOptions(s, cache.HandlerOptions{ResyncPeriod: &never})
		if err != nil {
			return nil, 0, &informerError{kind, "takes no handler: " + err.Error()}
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

// awaitVersionOfList waits until the version of the list is known, which must be handled. It is 0 where it stays unknown.
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

// versionOfList gives a version of which the list is the exact state, and whether that is settled. The store's version
// just before or after the registration is none where it changed meanwhile, as that of a busy kind always does. But the
// list stays the state until the first event comes, and still is where none is to come.
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

// end takes the handler from the informer.
func (s *subscription) unsubscribe() {
	// It fails only for a registration that is not the informer's.
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
		// The deletion of the one before was not seen.
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

// happened takes an event that makes so many objects more.
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

// isFromTheWatch says whether everything that was handled until now came from the watch, for certain.
func (s *subscription) isFromWatch() bool {
	for _, witness := range s.witnesses {
		if stored, ok, err := s.store.GetByKey(witness.key); ok && err == nil && stored == any(witness.object) {
			return true
		}
	}
	return false
}

// testify makes a witness of an object, or renews the one that it is.
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

// takeList gives what the store held when the subscription began.
func (s *subscription) takeList() []object {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	listed := s.listed
	s.listed = nil
	return listed
}

// takeEvents gives what has come since they were taken last, and says why no more will come.
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

// reached gives the version that the store has got to by bookmarks, where the handler has handled all that the store
// holds, for certain. An informer says nothing of bookmarks, and calls the handler some time after the store has
// changed; but what the store holds shows what is still to be handled: an object of a later version, or another number
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

// keyOf is the key that informers store an object by.
func keyOf(object object) string {
	if object.GetNamespace() == "" {
		return object.GetName()
	}
	return object.GetNamespace() + "/" + object.GetName()
}

// parse reads a resource version.
func parse(version string) (uint64, bool) {
	number, err := strconv.ParseUint(version, 10, 64)
	return number, err == nil && number > 0
}
