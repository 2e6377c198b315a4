package feed

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// busyInformer has a store that changes just before and just after a handler is registered.
type busyInformer struct {
	cache.SharedInformer
	before, after func(cache.ResourceEventHandler)
	registrations int
}

func (b *busyInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, options cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	b.registrations++
	b.before(handler)
	registration, err := b.SharedInformer.AddEventHandlerWithOptions(handler, options)
	b.after(handler)
	return registration, err
}

// busy has the pods p0 to p99. Each of the functions makes a change, and waits until the store has it.
type busy struct {
	*cluster
	t        *testing.T
	informer *busyInformer
	changed  int
}

func newBusy(t *testing.T) *busy {
	b := &busy{cluster: newCluster(), t: t}
	for i := range 100 {
		b.pods.put(fmt.Sprintf("p%d", i))
	}
	nothing := func(cache.ResourceEventHandler) {}
	b.informer = &busyInformer{b.pods.informer(t, &corev1.Pod{}), nothing, nothing, 0}
	<-b.informer.HasSyncedChecker().Done()
	return b
}

func (b *busy) awaitStored() {
	b.t.Helper()
	_, version, _ := b.pods.now()
	for end := time.Now().Add(time.Minute); b.informer.GetStore().LastStoreSyncResourceVersion() != strconv.FormatUint(version, 10); {
		if time.Now().After(end) {
			b.t.Fatalf("the store is not within a minute at version %d", version)
		}
		time.Sleep(time.Millisecond)
	}
}

func (b *busy) next() string {
	b.changed++
	return fmt.Sprintf("p%d", b.changed)
}

func (b *busy) changes(cache.ResourceEventHandler) {
	b.pods.put(b.next())
	b.awaitStored()
}

func (b *busy) deletes(cache.ResourceEventHandler) {
	b.pods.delete(b.next())
	b.awaitStored()
}

func (b *busy) bookmarks(cache.ResourceEventHandler) {
	b.nodes.put("a")
	b.pods.bookmark()
	b.awaitStored()
}

// loses makes the subscription detect a lost event.
func (b *busy) loses(handler cache.ResourceEventHandler) {
	handler.OnDelete(cache.DeletedFinalStateUnknown{})
	b.bookmarks(handler)
}

func (b *busy) subscribe() (*subscription, uint64) {
	b.t.Helper()
	kind := &kind{number: podKind, informer: b.informer, cast: asPod}
	subscription, version, err := subscribe(context.Background(), kind, 100, make(chan struct{}, 1))
	if err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(subscription.unsubscribe)
	return subscription, version
}

func TestSubscribe_knowsTheVersionOfItsList_ifTheStoreChanges(t *testing.T) {
	type change = func(*busy, cache.ResourceEventHandler)
	nothing := func(*busy, cache.ResourceEventHandler) {}
	changes := map[string]change{"nothing": nothing, "a change": (*busy).changes, "a deletion": (*busy).deletes, "a bookmark": (*busy).bookmarks}
	for nameBefore, before := range changes {
		for nameAfter, after := range changes {
			t.Run(nameBefore+" before, and "+nameAfter+" after", func(t *testing.T) {
				b := newBusy(t)
				b.informer.before = func(handler cache.ResourceEventHandler) { before(b, handler) }
				b.informer.after = func(handler cache.ResourceEventHandler) { after(b, handler) }
				subscription, version := b.subscribe()
				listed := state{}
				for _, object := range subscription.takeList() {
					listed[string(object.GetUID())], _ = parse(object.GetResourceVersion())
				}
				if expected := b.pods.at(version); !maps.Equal(listed, expected) {
					t.Errorf("version %d is told of the list %v, and it is that of %v", version, listed, expected)
				}
				if b.informer.registrations != 1 {
					t.Errorf("a handler was registered %d times", b.informer.registrations)
				}
			})
		}
	}
}

func TestSubscribe_triesOnlyAFewTimes_ifTheVersionStaysUnknown(t *testing.T) {
	b := newBusy(t)
	b.informer.after = b.loses
	subscription, version := b.subscribe()
	if listed := subscription.takeList(); version != 0 || len(listed) != 100 {
		t.Errorf("version %d is told of %d pods", version, len(listed))
	}
	if b.informer.registrations != maxAttempts {
		t.Errorf("a handler was registered %d times", b.informer.registrations)
	}
}
