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
	// As many changes of a kind can be undone.
	maxChanges = 50_000
	// How often it is looked up to which version everything was heard, while somebody waits.
	pollInterval = 20 * time.Millisecond
	// An informer that takes a list in gives no sign of it for less than this time, until the list is in its store.
	quietPeriod = time.Second
	// How often it is tried to read a store between two changes.
	settleInterval = 50 * time.Millisecond
	// It is tried for as long after a list although nobody waits. Without client-go's AtomicFIFO no store tells its version.
	settleTimeout = 10 * time.Second
)

var (
	errVersionTooOld = errors.New("the version is older than what is remembered")
	errNotReached    = errors.New("the scheduler has not got to the version in time")
)

// journal gives the objects of a kind as they were at a recent version: those of now, without the changes since. It
// hears what the scheduler hears.
//
// After a list it is not known when objects have changed, so nothing before is remembered: floor is the oldest version
// that can be given. After a deletion that has no version of its own there is none, until the next change. A list shows in
// versions that do not rise, before handlers hear of its objects. From then on nothing is given until the list is in the
// informer's store, whose objects are taken over. That is done soon, whether or not somebody waits: nothing is given of
// versions before the one that the store has then.
type journal struct {
	informer informer
	// noted is the greatest version that the informer has taken in, so that handlers have heard of it or will.
	latestObject func() int64
	// lists rises whenever the informer takes in an object whose version is not greater.
	relistSigns func() int64

	mutex         sync.Mutex
	current       map[string]metav1.Object
	changes       []change
	lastVersion   int64
	oldestVersion int64
	// Whether nothing can be given.
	uncertain bool
	// Whether a list may be under way, how many signs of lists there were, and since when there is no further one.
	relisting       bool
	relistSignCount int64
	lastRelistSign  time.Time
	// The version of the store that was taken over last, and when that was tried.
	settledVersion    int64
	lastSettleAttempt time.Time
	// Those who wait for versions, and whether it is looked for them, or for the end of a list. Thousands may wait.
	waiters waiters
	polling bool
}

// informer is what a journal asks of one.
type informer interface {
	// lastSync is that of the last event, bookmark or list that was taken in, whether or not it is in the store.
	lastSync() int64
	// stored is the version of the store: of a list at least, once handlers hear of its objects.
	stored() int64
	// list gives the objects in the store.
	list() []any
}

type sharedInformer struct{ cache.SharedIndexInformer }

func (i sharedInformer) lastSync() int64 { return max(parse(i.LastSyncResourceVersion()), i.stored()) }
func (i sharedInformer) stored() int64   { return parse(i.GetIndexer().LastStoreSyncResourceVersion()) }
func (i sharedInformer) list() []any     { return i.GetIndexer().List() }

// change is what an object was before a version; nil where there was none.
type change struct {
	version int64
	key     string
	before  metav1.Object
	// made is the object that this change has made; empty where it was there before, or was deleted.
	createdUID types.UID
}

// newJournal must be told of everything by Watch, or by the methods of a handler.
func newJournal(informer cache.SharedIndexInformer, noted, lists func() int64) (*journal, error) {
	j := &journal{informer: sharedInformer{informer}, latestObject: noted, relistSigns: lists, current: map[string]metav1.Object{}}
	_, err := informer.AddEventHandler(j)
	return j, err
}

func parse(version string) int64 {
	parsed, _ := strconv.ParseInt(version, 10, 64) // 0 is older than every version.
	return parsed
}

// OnAdd hears of an object that is new, or was listed first.
func (j *journal) OnAdd(object any, listed bool) { j.record(object, false, listed) }

// OnUpdate hears of an object that has changed, or was listed again.
func (j *journal) OnUpdate(_, object any) { j.record(object, false, false) }

// OnDelete hears of an object that went. One that a list did not show any more went at an unknown version.
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
	j.checkForRelist()
	key := keyOf(object)
	version := parse(object.GetResourceVersion())
	if version <= j.settledVersion && !(deleted && j.isCurrent(object)) {
		return
	}
	if deleted && listed {
		j.markRelisting()
	}
	if listed || version <= j.lastVersion {
		j.changes = nil
		j.oldestVersion = max(j.oldestVersion, j.lastVersion, version, j.informer.lastSync())
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
	j.lastVersion = max(j.lastVersion, version)
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
	if !j.relisting {
		j.waiters.wake(j.lastVersion)
	}
}

func keyOf(object metav1.Object) string { return object.GetNamespace() + "/" + object.GetName() }

// watchForLists must be called with the mutex held.
func (j *journal) checkForRelist() {
	if signs := j.relistSigns(); signs != j.relistSignCount {
		j.relistSignCount, j.changes = signs, nil
		j.markRelisting()
	}
}

// mayList notes a sign of a list. The mutex must be held.
func (j *journal) markRelisting() {
	j.relisting, j.lastRelistSign = true, time.Now()
	j.startPolling()
}

// startLooking must be called with the mutex held.
func (j *journal) startPolling() {
	if !j.polling {
		j.polling = true
		go j.pollUntilIdle()
	}
}

// settle takes over what is in the store, once a list that may be under way is certain to be there. What handlers still
// have to hear of up to its version is passed over. The mutex must be held.
func (j *journal) settle() {
	if !j.relisting || time.Since(j.lastRelistSign) < quietPeriod || time.Since(j.lastSettleAttempt) < settleInterval {
		return
	}
	j.lastSettleAttempt = time.Now()
	version := j.informer.stored()
	if version < j.informer.lastSync() {
		return
	}
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
	j.relisting, j.uncertain, j.changes = false, false, nil
	j.lastVersion = max(j.lastVersion, version)
	j.oldestVersion, j.settledVersion = max(j.oldestVersion, version), version
}

// holds says whether this very object is held.
func (j *journal) isCurrent(object metav1.Object) bool {
	held := j.current[keyOf(object)]
	return held != nil && held.GetUID() == object.GetUID() && held.GetResourceVersion() == object.GetResourceVersion()
}

// state is the objects at a version.
type state struct {
	objects map[string]metav1.Object
	// later has those of objects that came after the version.
	later map[types.UID]bool
}

// await waits until the scheduler has got to a version.
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

// keepLooking looks for all who wait, until nobody does and no list is under way.
func (j *journal) pollUntilIdle() {
	for j.poll() {
		time.Sleep(pollInterval)
	}
}

// isAwaited looks, and says whether somebody waits all the same, or a list may still be under way.
func (j *journal) poll() bool {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if len(j.waiters) > 0 || j.relisting {
		j.advance()
	}
	j.polling = len(j.waiters) > 0 || j.relisting && time.Since(j.lastRelistSign) < settleTimeout
	return j.polling
}

// at gives the objects of a version for which a condition holds, once the scheduler has got there.
func (j *journal) at(ctx context.Context, version int64, which func(metav1.Object) bool) (*state, error) {
	if err := j.await(ctx, version); err != nil {
		return nil, err
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if version < j.oldestVersion || j.uncertain || j.relisting {
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

// oldest is the oldest version that can be given, where one can.
func (j *journal) oldest() int64 {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.oldestVersion
}

// look gives the version up to which everything was heard, negative while a list may be under way, and wakes those up who
// wait for it. Bookmarks tell of versions without an object. The mutex must be held.
func (j *journal) advance() int64 {
	// In this order: an object between the two makes noted greater than what was heard.
	synced, noted := j.informer.lastSync(), j.latestObject()
	j.checkForRelist()
	j.settle()
	if j.relisting {
		return -1
	}
	reached := j.lastVersion
	if j.lastVersion >= noted {
		reached = max(reached, synced)
	}
	j.waiters.wake(reached)
	return reached
}
