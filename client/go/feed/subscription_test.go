package feed

import (
	"fmt"
	"strconv"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
)

// stored is a subscription, and the store that an informer would change before it calls the handler.
type stored struct {
	*subscription
	t     *testing.T
	cache cache.Store
}

func pod(name string, version int) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, UID: types.UID("uid-" + name), ResourceVersion: strconv.Itoa(version)}}
}

// listed subscribes to the pods p0 to p39, with the versions 1 to 40, at version 50.
func listed(t *testing.T) stored {
	store := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc)
	s := stored{&subscription{
		kind: &kind{number: podKind, cast: asPod}, store: store, maxEvents: 3, wake: make(chan struct{}, 1)}, t, store}
	var pods []any
	for i := range 40 {
		pods = append(pods, pod(fmt.Sprintf("p%d", i), i+1))
	}
	s.replace(50, pods...)
	for _, pod := range pods {
		s.OnAdd(pod, true)
	}
	return s
}

func (s stored) replace(version int, pods ...any) {
	if err := s.cache.Replace(pods, strconv.Itoa(version)); err != nil {
		s.t.Fatal(err)
	}
}

// put changes the store, and returns the handler's call.
func (s stored) put(pod *corev1.Pod) func() {
	before, known, err := s.cache.Get(pod)
	if err == nil {
		err = s.cache.Update(pod)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if known {
		return func() { s.OnUpdate(before, pod) }
	}
	return func() { s.OnAdd(pod, false) }
}

func (s stored) delete(pod *corev1.Pod) func() {
	if err := s.cache.Delete(pod); err != nil {
		s.t.Fatal(err)
	}
	return func() { s.OnDelete(pod) }
}

func (s stored) expect(lapsed Cause, events ...string) {
	s.t.Helper()
	var got []string
	for _, event := range s.events {
		sign := map[evenkeelv1.ClusterEvent_Type]string{
			evenkeelv1.ClusterEvent_TYPE_ADDED: "+", evenkeelv1.ClusterEvent_TYPE_DELETED: "-"}[event.typ]
		got = append(got, sign+event.object.GetName()+"@"+event.object.GetResourceVersion())
	}
	if s.lapsed != lapsed || fmt.Sprint(got) != fmt.Sprint(events) {
		s.t.Errorf("expected %q and %v, got %q and %v", lapsed, events, s.lapsed, got)
	}
}

func (s stored) expectReached(reported, version uint64) {
	s.t.Helper()
	s.events = nil
	if got, ok := s.bookmarkVersion(reported); got != version || ok != (version > 0) {
		s.t.Errorf("expected %d to be reached, got %d", version, got)
	}
}

func TestSubscription_takesEventsOfTheWatch_evenIfTheHandlerIsLate(t *testing.T) {
	s := listed(t)
	calls := []func(){s.put(pod("p1", 51)), s.delete(pod("p2", 52)), s.put(pod("p1", 53))}
	for _, call := range calls {
		call()
	}
	s.expect("", "p1@51", "-p2@52", "p1@53")
}

// An object that leaves the informer's selector and comes back has the same UID.
func TestSubscription_reportsAddedObjects(t *testing.T) {
	s := listed(t)
	for _, call := range []func(){s.delete(pod("p1", 51)), s.put(pod("p1", 52)), s.put(pod("p1", 53))} {
		call()
	}
	s.expect("", "-p1@51", "+p1@52", "p1@53")
}

func TestSubscription_ignoresUpdatesThatChangeNothing(t *testing.T) {
	s := listed(t)
	s.OnUpdate(pod("p1", 2), pod("p1", 2))
	s.expect("")
}

// The change with the larger version comes first, as after a list. The other one follows.
func TestSubscription_lapsesAtTheFirstChangeOfAList(t *testing.T) {
	s := listed(t)
	var pods []any
	for i := range 40 {
		version := i + 1
		switch i {
		case 7:
			version = 60
		case 9:
			version = 55
		}
		pods = append(pods, pod(fmt.Sprintf("p%d", i), version))
	}
	s.replace(60, pods...)
	s.OnUpdate(pod("p7", 8), pods[7])
	s.expect(CauseRelist)
	s.OnUpdate(pod("p9", 10), pods[9])
	s.expect(CauseRelist)
}

func TestSubscription_lapses_ifAnAddedObjectComesFromAList(t *testing.T) {
	s := listed(t)
	pods := s.cache.List()
	for i, each := range pods {
		pods[i] = each.(*corev1.Pod).DeepCopy()
	}
	added := pod("q", 60)
	s.replace(60, append(pods, added, pod("r", 55))...)
	s.OnAdd(added, false)
	s.expect(CauseRelist)
}

func TestSubscription_lapses_ifAllWitnessesHaveChanged(t *testing.T) {
	s := listed(t)
	var last func()
	for i := range 40 {
		last = s.put(pod(fmt.Sprintf("p%d", i), 51+i))
	}
	last()
	s.expect(CauseRelist)
}

func TestSubscription_keepsWitnesses_whoseChangesItHasHandled(t *testing.T) {
	s := listed(t)
	for i := range 40 {
		s.put(pod(fmt.Sprintf("p%d", i), 51+i))()
		s.expect("", fmt.Sprintf("p%d@%d", i, 51+i))
		s.events = nil
	}
	for i := range maxWitnesses - 1 {
		s.delete(pod(fmt.Sprintf("p%d", i), 100+i))()
		s.expect("", fmt.Sprintf("-p%d@%d", i, 100+i))
		s.events = nil
	}
	s.put(pod("q", 200))()
	s.expect("", "+q@200")
	if len(s.witnesses) != 2 {
		t.Errorf("the witnesses are %v", s.witnesses)
	}
}

func TestSubscription_lapses_ifVersionsDoNotRise(t *testing.T) {
	for name, call := range map[string]func(stored) func(){
		"an older version": func(s stored) func() { return s.put(pod("p1", 30)) },
		"no version": func(s stored) func() {
			return s.put(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "q"}})
		},
		"a deletion not seen": func(s stored) func() {
			return func() { s.OnDelete(cache.DeletedFinalStateUnknown{Key: "shop/p1", Obj: pod("p1", 2)}) }
		},
		"another object's place": func(s stored) func() { p := pod("p1", 60); p.UID = "other"; return s.put(p) },
	} {
		t.Run(name, func(t *testing.T) {
			s := listed(t)
			call(s)()
			s.expect(CauseRelist)
		})
	}
}

func TestSubscription_lapses_ifTooManyEventsWait(t *testing.T) {
	s := listed(t)
	for i := range 3 {
		s.put(pod("p1", 60+i))()
	}
	s.expect("", "p1@60", "p1@61", "p1@62")
	s.put(pod("p1", 63))()
	s.expect(CauseSlow)
}

func TestReached_isTheVersionOfABookmark(t *testing.T) {
	s := listed(t)
	s.expectReached(50, 0)
	s.cache.Bookmark("60")
	s.expectReached(50, 60)
	s.expectReached(60, 0)
}

func TestReached_isNothing_asLongAsAChangeIsNotHandled(t *testing.T) {
	for name, change := range map[string]func(stored) func(){
		"a change":    func(s stored) func() { return s.put(pod("p1", 71)) },
		"a deletion":  func(s stored) func() { return s.delete(pod("p2", 71)) },
		"an addition": func(s stored) func() { return s.put(pod("q", 71)) },
	} {
		t.Run(name, func(t *testing.T) {
			s := listed(t)
			call := change(s)
			s.cache.Bookmark("80")
			s.expectReached(50, 0)
			call()
			s.expectReached(71, 80)
		})
	}
}

func TestReached_isNothing_asLongAsEventsWait(t *testing.T) {
	s := listed(t)
	s.put(pod("p1", 71))()
	s.cache.Bookmark("80")
	if version, ok := s.bookmarkVersion(50); ok {
		t.Errorf("version %d is reached", version)
	}
}

func TestReached_isTheVersionOfAList_thatHasChangedNothing(t *testing.T) {
	s := listed(t)
	pods := s.cache.List()
	for i, each := range pods {
		pods[i] = each.(*corev1.Pod).DeepCopy()
	}
	s.replace(60, pods...)
	s.expectReached(50, 60)
	s.put(pod("p1", 61))()
	s.expect("", "p1@61")
}
