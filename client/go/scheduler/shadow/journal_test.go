package shadow

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

func node(name string, version int) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), ResourceVersion: strconv.Itoa(version)}}
}

// fakeInformer returns what a test sets.
type fakeInformer struct {
	version int64
	objects []any
	// How much the version rises whenever it is read.
	step int64
}

func (i *fakeInformer) stored() int64 {
	i.version += i.step
	return i.version
}

func (i *fakeInformer) list() []any { return i.objects }

func newTestJournal() *journal {
	j := &journal{
		current: map[string]metav1.Object{}, informer: &fakeInformer{}, changedVersion: func() int64 { return 0 },
	}
	j.OnAdd(node("a", 3), true)
	j.OnAdd(node("b", 2), true)
	return j
}

// locked runs a function with the journal's mutex held.
func (j *journal) locked(change func()) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	change()
}

// awaitEnd waits until a flag of the journal is false.
func (j *journal) awaitEnd(t *testing.T, what string, noted *bool) {
	t.Helper()
	for started, holds := time.Now(), true; holds; time.Sleep(pollInterval) {
		j.locked(func() { holds = *noted })
		if holds && time.Since(started) > time.Minute {
			t.Fatalf("after a minute, %s", what)
		}
	}
}

// passQuietPeriod makes handlers late.
func (j *journal) passQuietPeriod() {
	j.locked(func() { j.behindSince = j.behindSince.Add(-quietPeriod) })
}

func (j *journal) hasReached(version int64) bool {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	return j.advance() >= version
}

func expectAt(t *testing.T, j *journal, version int64, want ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	found, err := j.at(ctx, version, func(metav1.Object) bool { return true })
	if err != nil {
		t.Errorf("at %d: %v", version, err)
		return
	}
	var names []string
	for _, object := range found.objects {
		names = append(names, object.GetName()+object.GetResourceVersion())
	}
	slices.Sort(names)
	if !slices.Equal(names, want) {
		t.Errorf("expected %v at %d, found %v", want, version, names)
	}
}

func TestJournal_revertsLaterChanges(t *testing.T) {
	j := newTestJournal()
	j.OnUpdate(nil, node("a", 5))
	j.OnAdd(node("c", 7), false)
	j.OnDelete(node("b", 8))
	j.OnUpdate(nil, node("c", 9))
	expectAt(t, j, 3, "a3", "b2")
	expectAt(t, j, 4, "a3", "b2")
	expectAt(t, j, 5, "a5", "b2")
	expectAt(t, j, 7, "a5", "b2", "c7")
	expectAt(t, j, 8, "a5", "c7")
	expectAt(t, j, 9, "a5", "c9")
	found, err := j.at(context.Background(), 5, func(metav1.Object) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if later := slices.Collect(maps.Keys(found.later)); !found.later["c"] || found.later["b"] || found.later["a"] {
		t.Errorf("%v came later", later)
	}
}

func TestJournal_dropsVersionsBeforeAList(t *testing.T) {
	j := newTestJournal()
	j.OnUpdate(nil, node("a", 5))
	j.OnUpdate(nil, node("a", 5)) // Listed again, unchanged.
	expectAt(t, j, 5, "a5", "b2")
	if _, err := j.at(context.Background(), 4, func(metav1.Object) bool { return true }); !errors.Is(err, errVersionTooOld) {
		t.Errorf("got %v", err)
	}
	j.informer = &fakeInformer{version: 20, objects: []any{j.current["/a"]}}
	j.changedVersion = func() int64 { return 20 }
	j.OnDelete(cache.DeletedFinalStateUnknown{Key: "/b", Obj: node("b", 2)})
	j.passQuietPeriod()
	if _, err := j.at(context.Background(), 12, func(metav1.Object) bool { return true }); !errors.Is(err, errVersionTooOld) {
		t.Errorf("got %v", err)
	}
	expectAt(t, j, 20, "a5")
}

// Deletions may come without a known version, so it is not known at which versions the objects existed.
func TestJournal_dropsVersionsBeforeDeletionsAtUnknownVersions(t *testing.T) {
	j := newTestJournal()
	j.OnUpdate(nil, node("a", 5))
	j.OnDelete(node("b", 2))
	j.OnDelete(node("a", 5))
	j.informer = &fakeInformer{version: 7}
	for version := int64(3); version <= 7; version++ {
		if _, err := j.at(context.Background(), version, func(metav1.Object) bool { return true }); !errors.Is(err, errVersionTooOld) {
			t.Errorf("at %d: got %v", version, err)
		}
	}
	j.OnAdd(node("c", 8), false)
	if _, err := j.at(context.Background(), 7, func(metav1.Object) bool { return true }); !errors.Is(err, errVersionTooOld) {
		t.Errorf("got %v", err)
	}
	expectAt(t, j, 8, "c8")
}

func TestJournal_waitsForAVersion(t *testing.T) {
	j := newTestJournal()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := j.at(ctx, 6, func(metav1.Object) bool { return true }); !errors.Is(err, errNotReached) {
		t.Errorf("got %v", err)
	}
	// The bookmark has this version, but the handler was not called yet for an object with an earlier one.
	j.informer = &fakeInformer{version: 6}
	j.changedVersion = func() int64 { return 5 }
	if j.hasReached(6) {
		t.Error("an object has not arrived yet")
	}
	j.OnUpdate(nil, node("a", 5))
	expectAt(t, j, 6, "a5", "b2")
}

// A list may show objects in the order of their versions, like a watch, although changes in between are missing.
func TestJournal_returnsNothingDuringARelist(t *testing.T) {
	j := newTestJournal()
	store := &fakeInformer{version: 5}
	j.informer = store
	j.OnUpdate(nil, node("a", 5))
	expectAt(t, j, 5, "a5", "b2")
	j.OnAdd(node("c", 6), false)
	// The watch broke: a7, b8 and a9 were missed. The list has b10, a11, and the unchanged c6.
	store.version, store.objects = 12, []any{node("a", 11), node("b", 10), node("c", 6)}
	j.changedVersion = func() int64 { return 12 }
	j.OnUpdate(nil, node("b", 10))
	for _, version := range []int64{6, 8, 10, 12} {
		if j.hasReached(version) {
			t.Errorf("version %d is returned before a11 has arrived", version)
		}
	}
	j.passQuietPeriod()
	expectAt(t, j, 12, "a11", "b10", "c6")
	// Handler calls for objects of the list are ignored. Events of the watch are not.
	j.OnUpdate(nil, node("a", 11))
	j.OnDelete(cache.DeletedFinalStateUnknown{Key: "/d", Obj: node("d", 4)})
	j.OnUpdate(nil, node("c", 13))
	j.OnDelete(node("b", 14))
	expectAt(t, j, 12, "a11", "b10", "c6")
	expectAt(t, j, 13, "a11", "b10", "c13")
	expectAt(t, j, 14, "a11", "c13")
	for version := int64(5); version < 12; version++ {
		if _, err := j.at(context.Background(), version, func(metav1.Object) bool { return true }); !errors.Is(err, errVersionTooOld) {
			t.Errorf("at %d: got %v", version, err)
		}
	}
}

// Under load a store changes all the time. It is taken over as soon as it can be read between two changes.
func TestJournal_settlesWhileTheStoreChanges(t *testing.T) {
	j := newTestJournal()
	store := &fakeInformer{version: 8, step: 1}
	j.informer = store
	j.changedVersion = func() int64 { return 8 }
	if j.hasReached(8) {
		t.Error("version 8 is returned before handlers were called")
	}
	j.passQuietPeriod()
	if j.hasReached(8) {
		t.Error("the store was taken over although it changed meanwhile")
	}
	j.locked(func() { store.step, store.version, store.objects = 0, 15, []any{node("a", 8)} })
	expectAt(t, j, 15, "a8")
}

// The first answers after a quiet time are evaluated again, too: a relist ends even if no one waits.
func TestJournal_settlesBeforeAnyoneWaits(t *testing.T) {
	j := newTestJournal()
	store := &fakeInformer{version: 9, objects: []any{node("a", 3), node("b", 2)}}
	j.informer = store
	j.changedVersion = func() int64 { return 9 }
	j.OnUpdate(nil, node("b", 2))
	j.awaitEnd(t, "it polls although it has the list", &j.polling)
	j.locked(func() { store.version = 11 })
	j.OnUpdate(nil, node("a", 10))
	j.OnDelete(node("b", 11))
	expectAt(t, j, 9, "a3", "b2")
	expectAt(t, j, 10, "a10", "b2")
	expectAt(t, j, 11, "a10")
	j.awaitEnd(t, "it polls although no one waits", &j.polling)
}

// countingInformer is empty, and counts how often it is polled.
type countingInformer struct {
	looks  atomic.Int64
	synced atomic.Int64
}

func (i *countingInformer) stored() int64 {
	i.looks.Add(1)
	return i.synced.Load()
}

func (i *countingInformer) list() []any { return nil }

// A comparison for each cycle of a minute may wait for a bookmark.
func TestJournal_pollsOnceForAllWaiters(t *testing.T) {
	j := newTestJournal()
	store := &countingInformer{}
	j.informer = store
	const waiting = 1000
	var ended sync.WaitGroup
	var reached atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range int64(waiting) {
		ended.Go(func() {
			if j.await(ctx, 4+i%4) == nil {
				reached.Add(1)
			} else if ctx.Err() == nil {
				t.Error("the wait was cancelled")
			}
		})
	}
	await := func(count int64) {
		t.Helper()
		for started := time.Now(); reached.Load() < count; time.Sleep(time.Millisecond) {
			if time.Since(started) > time.Minute {
				t.Fatalf("%d waiters were woken, expected %d", reached.Load(), count)
			}
		}
		time.Sleep(3 * pollInterval)
		if reached.Load() != count {
			t.Errorf("%d waiters were woken, expected %d", reached.Load(), count)
		}
	}
	await(0)
	store.looks.Store(0)
	started := time.Now()
	time.Sleep(10 * pollInterval)
	if looks, maxLooks := store.looks.Load(), int64(time.Since(started)/pollInterval)+1; looks == 0 || looks > maxLooks {
		t.Errorf("it polled %d times, expected at most %d", looks, maxLooks)
	}
	j.OnAdd(node("c", 4), false)
	await(waiting / 4)
	store.synced.Store(6)
	await(waiting / 4 * 3)
	cancel()
	ended.Wait()
	time.Sleep(3 * pollInterval)
	store.looks.Store(0)
	time.Sleep(3 * pollInterval)
	if looks := store.looks.Load(); looks != 0 || len(j.waiters) != 0 {
		t.Errorf("it polled %d times although no one waits", looks)
	}
	// Polling starts again for the next waiter.
	store.synced.Store(7)
	if err := j.await(t.Context(), 7); err != nil {
		t.Error(err)
	}
}
