package assumption

import (
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/protobuf/proto"
)

// at looks up what a query sent now would see.
func at(history *History, revision *evenkeelv1.Revision) (map[string]*evenkeelv1.AssumedPod, bool) {
	return history.At(revision, time.Now(), "shop")
}

func TestHistory_returnsAssumedPodsAtARevision(t *testing.T) {
	history := &History{}
	assume := func(counter int64, uid string) {
		history.addAssumed(&evenkeelv1.Revision{Instance: "one", Counter: counter}, []*evenkeelv1.AssumedPod{{Pod: pod(uid), Node: "n"}})
	}
	assume(3, "a")
	assume(5, "b")
	history.addForgotten(&evenkeelv1.Revision{Instance: "one", Counter: 7}, []string{"a"})
	history.addFailed()
	assume(9, "c")
	for counter, want := range map[int64][]string{2: nil, 3: {"a"}, 6: {"a", "b"}, 9: {"b", "c"}, 20: {"b", "c"}} {
		assumed, certain := at(history, &evenkeelv1.Revision{Instance: "one", Counter: counter})
		if found := slices.Sorted(maps.Keys(assumed)); !slices.Equal(found, want) || !certain {
			t.Errorf("%v at %d, certain %t", found, counter, certain)
		}
	}
	if _, certain := at(history, &evenkeelv1.Revision{Instance: "one", Counter: 8}); certain {
		t.Error("pods of a failed call are reported as certain")
	}
	history.fold(2)
	if assumed, _ := at(history, &evenkeelv1.Revision{Instance: "one", Counter: 6}); len(assumed) != 2 {
		t.Errorf("%v at 6", assumed)
	}
	history.addAssumed(&evenkeelv1.Revision{Instance: "two", Counter: 1}, []*evenkeelv1.AssumedPod{{Pod: pod("d"), Node: "n"}})
	if assumed, _ := at(history, &evenkeelv1.Revision{Instance: "two", Counter: 1}); len(assumed) != 1 || !proto.Equal(assumed["d"].Pod, pod("d")) {
		t.Errorf("%v of the other instance", assumed)
	}
	if assumed, _ := at(history, &evenkeelv1.Revision{Instance: "one", Counter: 9}); len(assumed) != 2 {
		t.Errorf("%v of the instance before", assumed)
	}
}

// Changes after an old query can no longer be undone: a pod that is missing here may be counted there.
func TestHistory_isUncertain_ifTheQueryIsOlderThanFoldedWrites(t *testing.T) {
	history := &History{}
	one := func(counter int64) *evenkeelv1.Revision {
		return &evenkeelv1.Revision{Instance: "one", Counter: counter}
	}
	before := time.Now()
	history.addAssumed(one(3), []*evenkeelv1.AssumedPod{{Pod: pod("a"), Node: "n"}})
	asked := time.Now()
	history.addSeen("a")
	history.addAssumed(one(9), []*evenkeelv1.AssumedPod{{Pod: pod("b"), Node: "n"}})
	expect := func(asked time.Time, revision int64, certain bool, uids ...string) {
		t.Helper()
		assumed, isCertain := history.At(one(revision), asked, "shop")
		if found := slices.Sorted(maps.Keys(assumed)); !slices.Equal(found, uids) || isCertain != certain {
			t.Errorf("%v at %d, certain %t", found, revision, isCertain)
		}
	}
	expect(before, 2, true)
	expect(asked, 5, true, "a")
	history.fold(1)
	expect(before, 2, false)
	expect(asked, 5, true, "a")
	// The answer may come from a version at which the pod was not bound, and count it as assumed.
	history.fold(1)
	expect(asked, 5, false)
	expect(time.Now(), 9, true, "b")
}

func TestHistory_returnsThePodsOfOneNamespace(t *testing.T) {
	history := &History{}
	revision := &evenkeelv1.Revision{Instance: "one", Counter: 1}
	other := pod("other")
	other.Metadata.Namespace = "lab"
	for range 2 {
		history.addAssumed(revision, []*evenkeelv1.AssumedPod{{Pod: pod("a"), Node: "n"}, {Pod: other, Node: "n"}})
		if assumed, certain := history.At(revision, time.Now(), "lab"); len(assumed) != 1 || assumed["other"] == nil || !certain {
			t.Errorf("%v, certain %t", assumed, certain)
		}
		history.fold(2)
	}
}

// Comparisons read while writes are added and folded.
func TestHistory_canBeReadWhileItIsWritten(t *testing.T) {
	history := &History{}
	const writes = 2000
	var reading sync.WaitGroup
	for range 2 {
		reading.Go(func() {
			for found := 0; found < writes; {
				assumed, certain := at(history, &evenkeelv1.Revision{Instance: "one", Counter: writes})
				if certain && len(assumed) < found {
					t.Errorf("%d pods after %d", len(assumed), found)
				}
				found = max(found, len(assumed))
			}
		})
	}
	for i := range int64(writes) {
		history.addAssumed(&evenkeelv1.Revision{Instance: "one", Counter: i + 1}, []*evenkeelv1.AssumedPod{{Pod: pod(strconv.FormatInt(i, 10)), Node: "n"}})
		if i%100 == 99 {
			history.mutex.Lock()
			history.fold(50)
			history.mutex.Unlock()
		}
	}
	reading.Wait()
}
