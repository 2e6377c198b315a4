package shadow

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

const (
	// As many changes of a kind can be undone.
	undoable = 50_000
	// How often it is looked whether a version has been reached.
	look = 20 * time.Millisecond
)

var (
	errForgotten  = errors.New("the version is older than what is remembered")
	errNotReached = errors.New("the scheduler has not got to the version in time")
)

// journal gives the objects of a kind as they were at a recent version: those of now, without the changes since. It
// hears what the scheduler hears.
//
// After a list it is not known when objects have changed, so nothing before is remembered: floor is the oldest version
// that can be given. After a deletion that has no version of its own there is none, until the next change.
type journal struct {
	// lastSync is that of the last event, bookmark or list: of the last list at least, once handlers hear of it.
	lastSync func() int64
	// noted is the greatest version that the informer has taken in, so that handlers have heard of it or will.
	noted func() int64

	mutex   sync.Mutex
	current map[string]metav1.Object
	changes []change
	last    int64
	floor   int64
	// Whether nothing can be given.
	doubtful bool
}

// change is what an object was before a version; nil where there was none.
type change struct {
	version int64
	key     string
	before  metav1.Object
}

// newJournal must be told of everything by Watch, or by the methods of a handler.
func newJournal(informer cache.SharedIndexInformer, noted func() int64) (*journal, error) {
	j := &journal{
		lastSync: func() int64 {
			return max(parse(informer.LastSyncResourceVersion()), parse(informer.GetIndexer().LastStoreSyncResourceVersion()))
		},
		noted:   noted,
		current: map[string]metav1.Object{},
	}
	_, err := informer.AddEventHandler(j)
	return j, err
}

func parse(version string) int64 {
	parsed, _ := strconv.ParseInt(version, 10, 64) // 0 is older than every version.
	return parsed
}

// OnAdd hears of an object that is new, or was listed first.
func (j *journal) OnAdd(object any, listed bool) { j.hear(object, false, listed) }

// OnUpdate hears of an object that has changed, or was listed again.
func (j *journal) OnUpdate(_, object any) { j.hear(object, false, false) }

// OnDelete hears of an object that went. One that a list did not show any more went at an unknown version.
func (j *journal) OnDelete(object any) {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		j.hear(tombstone.Obj, true, true)
		return
	}
	j.hear(object, true, false)
}

func (j *journal) hear(heard any, deleted, listed bool) {
	object, ok := heard.(metav1.Object)
	if !ok {
		return
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	key := object.GetNamespace() + "/" + object.GetName()
	version := parse(object.GetResourceVersion())
	if listed || version <= j.last {
		j.changes = nil
		j.floor = max(j.floor, j.last, version, j.lastSync())
		j.doubtful = j.doubtful || deleted && !listed
	} else {
		if j.doubtful {
			j.doubtful, j.floor = false, version
		}
		j.changes = append(j.changes, change{version: version, key: key, before: j.current[key]})
	}
	j.last = max(j.last, version)
	if deleted {
		delete(j.current, key)
	} else {
		j.current[key] = object
	}
	if len(j.changes) > undoable {
		half := len(j.changes) / 2
		j.floor = j.changes[half-1].version
		j.changes = append([]change(nil), j.changes[half:]...)
	}
}

// state is the objects at a version.
type state struct {
	objects map[string]metav1.Object
	// later has the keys of objects that came after the version.
	later map[string]bool
}

// at gives the objects of a version for which a condition holds, once the scheduler has got there.
func (j *journal) at(ctx context.Context, version int64, which func(metav1.Object) bool) (*state, error) {
	for !j.hasReached(version) {
		select {
		case <-ctx.Done():
			return nil, errNotReached
		case <-time.After(look):
		}
	}
	j.mutex.Lock()
	defer j.mutex.Unlock()
	if version < j.floor || j.doubtful {
		return nil, errForgotten
	}
	undone := map[string]metav1.Object{}
	later := map[string]bool{}
	for i := len(j.changes) - 1; i >= 0 && j.changes[i].version > version; i-- {
		undone[j.changes[i].key] = j.changes[i].before
		later[j.changes[i].key] = j.changes[i].before == nil
	}
	objects := map[string]metav1.Object{}
	for key, object := range j.current {
		if _, changed := undone[key]; !changed && which(object) {
			objects[key] = object
		}
	}
	for key, object := range undone {
		if object != nil && which(object) {
			objects[key] = object
		}
	}
	return &state{objects: objects, later: later}, nil
}

// hasReached says whether everything up to a version was heard. Bookmarks tell of versions without an object.
func (j *journal) hasReached(version int64) bool {
	synced, noted := j.lastSync(), j.noted()
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.last >= version || synced >= version && j.last >= noted
}
