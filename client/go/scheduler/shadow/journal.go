package shadow

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

const (
	// How many changes of a kind can be reverted.
	maxChanges = 50_000
	// How often the journal checks which version it has reached while callers wait.
	pollInterval = 20 * time.Millisecond
	// Handlers are called for a change within this time. If they are not, the change is a list.
	quietPeriod = time.Second
	// How often the journal tries to read a store between two changes.
	settleInterval = 50 * time.Millisecond
	// How long it tries to settle after a list even if no one waits.
	settleTimeout = 10 * time.Second
)

var (
	errVersionTooOld = errors.New("the version is older than the journal")
	errNotReached    = errors.New("the scheduler did not reach the version in time")
)

// journal returns the objects of a kind as they were at a recent version, by reverting changes to the current
// objects. It handles the same events as the scheduler.
//
// It is not known at which versions the objects of a list have changed, so the journal drops everything before a
// list: oldestVersion is the oldest version that it can return. After a deletion without a known version it can
// return none until the next change.
//
// A version is returned only while the journal has handled everything up to the last change of the informer's store.
// The store has the version of a list before handlers are called for its objects, none of which may have that
// version. If the journal does not catch up, it therefore takes over the objects of the store. This happens soon,
// whether or not someone waits, because the journal returns no versions before the one that the store has then.
type journal struct {
	informer informer
	// changedVersion is the version of the store after its last change. It is at least that of each object, event or list
	// in the store.
	changedVersion func() int64

	mutex         sync.Mutex
	current       map[string]metav1.Object
	changes       []change
	lastVersion   int64
	oldestVersion int64
	// Whether no version can be returned.
	uncertain bool
	// Since when handlers were not called for changes in the store; zero if they were called for all.
	behindSince time.Time
	// The version of the store that was taken over last, and when that was last tried.
	settledVersion    int64
	lastSettleAttempt time.Time
	// Callers that wait for versions, possibly thousands, and whether a goroutine polls for them or until the journal
	// has caught up.
	waiters waiters
	polling bool
}

// informer is the part of an informer that a journal uses.
type informer interface {
	// stored is the version of the store, which bookmarks also raise.
	stored() int64
	// list returns the objects in the store.
	list() []any
}

type sharedInformer struct{ cache.SharedIndexInformer }

func (i sharedInformer) stored() int64 { return parse(i.GetIndexer().LastStoreSyncResourceVersion()) }
func (i sharedInformer) list() []any   { return i.GetIndexer().List() }

// change is the state of an object before a version; nil if it did not exist.
type change struct {
	version int64
	key     string
	before  metav1.Object
	// createdUID is the UID of the object that this change has created; empty if it existed before or was deleted.
	createdUID types.UID
}

// newJournal returns a journal that handles the events of an informer.
func newJournal(informer cache.SharedIndexInformer, changedVersion func() int64) (*journal, error) {
	j := &journal{informer: sharedInformer{informer}, changedVersion: changedVersion, current: map[string]metav1.Object{}}
	_, err := informer.AddEventHandler(j)
	return j, err
}

func parse(version string) int64 {
	parsed, _ := strconv.ParseInt(version, 10, 64) // 0 is older than every version.
	return parsed
}

// OnAdd handles an object that was added, or was in the first list.
func (j *journal) OnAdd(object any, listed bool) { j.record(object, false, listed) }

// OnUpdate handles an object that has changed, or was listed again.
func (j *journal) OnUpdate(_, object any) { j.record(object, false, false) }

// OnDelete handles a deleted object. If it was missing from a list, the version of the deletion is unknown.
func (j *journal) OnDelete(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		j.record(tombstone.Obj, true, true)
		return
	}
	j.record(object, true, false)
}

func (j *journal) record(changed any, deleted, listed bool) {
	object, ok := changed.(metav1.Object)
	if !ok {
		return
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	key := keyOf(object)
	version := parse(object.GetResourceVersion())
	if version <= j.settledVersion && !(deleted && j.isCurrent(object)) {
		return
	}
	if listed || version <= j.lastVersion {
		j.changes = nil
		j.oldestVersion = max(j.oldestVersion, j.lastVersion, version, j.informer.stored())
		j.uncertain = j.uncertain || deleted && !listed
	} else {
		if j.uncertain {
			j.uncertain, j.oldestVersion = false, version
		}
		added := change{version: version, key: key, before: j.current[key]}
		if !deleted && (added.before == nil || added.before.GetUID() != object.GetUID()) {
			added.createdUID = object.GetUID()
		}
		j.changes = append(j.changes, added)
	}
	if version > j.lastVersion {
		j.lastVersion, j.behindSince = version, time.Time{}
	}
	if deleted {
		delete(j.current, key)
	} else {
		j.current[key] = object
	}
	if len(j.changes) > maxChanges {
		half := len(j.changes) / 2
		j.oldestVersion = j.changes[half-1].version
		j.changes = append([]change(nil), j.changes[half:]...)
	}
	j.advance()
}

func keyOf(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// startPolling must be called with the mutex held.
func (j *journal) startPolling() {
	if !j.polling {
		j.polling = true
		go j.pollUntilIdle()
	}
}

// settle takes over the objects of the store if handlers are not called for its last change. Later handler calls up
// to its version are ignored. The mutex must be held.
func (j *journal) settle() {
	if time.Since(j.behindSince) < quietPeriod || time.Since(j.lastSettleAttempt) < settleInterval {
		return
	}
	j.lastSettleAttempt = time.Now()
	version := j.informer.stored()
	objects := j.informer.list()
	if j.informer.stored() != version {
		return
	}
	clear(j.current)
	for _, object := range objects {
		if listed, ok := object.(metav1.Object); ok {
			j.current[keyOf(listed)] = listed
		}
	}
	j.behindSince, j.uncertain, j.changes = time.Time{}, false, nil
	j.lastVersion = max(j.lastVersion, version)
	j.oldestVersion, j.settledVersion = max(j.oldestVersion, version), version
}

// isCurrent returns true if the journal holds this very object.
func (j *journal) isCurrent(object metav1.Object) bool {
	held := j.current[keyOf(object)]
	return held != nil && held.GetUID() == object.GetUID() && held.GetResourceVersion() == object.GetResourceVersion()
}

// state is the objects at a version.
type state struct {
	objects map[string]metav1.Object
	// later has the UIDs of objects that were created after the version.
	later map[types.UID]bool
}

// await waits until the scheduler has reached a version.
func (j *journal) await(ctx context.Context, version int64) error {
	j.mutex.Lock()
	if j.advance() >= version {
		j.mutex.Unlock()
		return nil
	}
	waiter := j.waiters.add(version)
	j.startPolling()
	j.mutex.Unlock()
	select {
	case <-waiter.reached:
		return nil
	case <-ctx.Done():
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if j.waiters.remove(waiter) {
		return errNotReached
	}
	return nil
}

// pollUntilIdle polls until no one waits and the journal has caught up.
func (j *journal) pollUntilIdle() {
	for j.poll() {
		time.Sleep(pollInterval)
	}
}

// poll returns true if someone still waits, or the journal has not caught up.
func (j *journal) poll() bool {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.advance()
	j.polling = len(j.waiters) > 0 || !j.behindSince.IsZero() && time.Since(j.behindSince) < settleTimeout
	return j.polling
}

// at returns the objects at a version that satisfy a condition, once the scheduler has reached it.
func (j *journal) at(ctx context.Context, version int64, which func(metav1.Object) bool) (*state, error) {
	if err := j.await(ctx, version); err != nil {
		return nil, err
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if version < j.oldestVersion || j.uncertain {
		return nil, errVersionTooOld
	}
	reverted := map[string]metav1.Object{}
	later := map[types.UID]bool{}
	for i := len(j.changes) - 1; i >= 0 && j.changes[i].version > version; i-- {
		reverted[j.changes[i].key] = j.changes[i].before
		if uid := j.changes[i].createdUID; uid != "" {
			later[uid] = true
		}
	}
	objects := map[string]metav1.Object{}
	for key, object := range j.current {
		if _, changed := reverted[key]; !changed && which(object) {
			objects[key] = object
		}
	}
	for key, object := range reverted {
		if object != nil && which(object) {
			objects[key] = object
		}
	}
	return &state{objects: objects, later: later}, nil
}

// oldest returns the oldest version that can be returned, unless the state is uncertain.
func (j *journal) oldest() int64 {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.oldestVersion
}

// advance returns the version up to which all changes were handled, or a negative one while some are not, and wakes
// those that wait for it. Bookmarks raise the version without a change. The mutex must be held.
func (j *journal) advance() int64 {
	// In this order, so that a change in between makes changed greater than what was handled.
	stored, changed := j.informer.stored(), j.changedVersion()
	if j.lastVersion < changed {
		if j.behindSince.IsZero() {
			j.behindSince = time.Now()
		}
		j.startPolling()
		j.settle()
	}
	if j.lastVersion < changed {
		return -1
	}
	j.behindSince = time.Time{}
	reached := max(j.lastVersion, stored)
	j.waiters.wake(reached)
	return reached
}
