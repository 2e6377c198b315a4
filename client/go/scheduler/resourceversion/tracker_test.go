package resourceversion

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/scheduler"
)

func pod(name, version string) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: name, ResourceVersion: version, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "test"}}}}
}

// stored is what a scheduler's pod informer keeps of a pod.
func stored(t *testing.T, change func(informers.SharedInformerFactory)) *v1.Pod {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := scheduler.NewInformerFactory(fake.NewClientset(pod("web", "7")), 0)
	change(factory)
	informer := factory.Core().V1().Pods().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	found, _, err := informer.GetIndexer().GetByKey("shop/web")
	if err != nil {
		t.Fatal(err)
	}
	return found.(*v1.Pod)
}

func TestWatch_keepsTheTransformsOfOthers(t *testing.T) {
	stock := stored(t, func(factory informers.SharedInformerFactory) { factory.Core().V1().Pods().Informer() })
	ours := stored(t, func(factory informers.SharedInformerFactory) {
		if err := new(Tracker).Watch(factory, true); err != nil {
			t.Fatal(err)
		}
	})
	if stock.ManagedFields != nil || !reflect.DeepEqual(stock, ours) {
		t.Errorf("the stock scheduler keeps %v, this one %v", stock, ours)
	}
}

// Another plugin may set its transform later.
func TestWatch_recordsVersions_ifAnotherTransformIsSet(t *testing.T) {
	versions := &Tracker{}
	kept := stored(t, func(factory informers.SharedInformerFactory) {
		if err := versions.Watch(factory, false); err != nil {
			t.Fatal(err)
		}
		if err := factory.Core().V1().Pods().Informer().SetTransform(func(object any) (any, error) {
			object.(*v1.Pod).Annotations = map[string]string{"by": "another"}
			return object, nil
		}); err != nil {
			t.Fatal(err)
		}
	})
	if version := versions.Latest(evenkeelv1.ObjectKind_OBJECT_KIND_POD); version != 7 || kept.Annotations["by"] != "another" {
		t.Errorf("version %d was recorded for %v", version, kept)
	}
}

func TestWatch_recordsAVersionBeforeHandlersAreCalled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset(pod("web", "7"))
	factory := scheduler.NewInformerFactory(client, 0)
	versions := &Tracker{}
	if err := versions.Watch(factory, false); err != nil {
		t.Fatal(err)
	}
	noted := make(chan int64, 3)
	hear := func(any) { noted <- versions.Latest(evenkeelv1.ObjectKind_OBJECT_KIND_POD) }
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: hear, UpdateFunc: func(any, any) { hear(nil) }, DeleteFunc: hear}); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if version := <-noted; version != 7 {
		t.Errorf("version %d was recorded for the list", version)
	}
	if err := client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), pod("web", "12"), "shop"); err != nil {
		t.Fatal(err)
	}
	if version := <-noted; version != 12 {
		t.Errorf("version %d was recorded for the event", version)
	}
	want := []*evenkeelv1.KindVersion{{Kind: evenkeelv1.ObjectKind_OBJECT_KIND_POD, ResourceVersion: "12"}}
	if demand := versions.Demand(true); len(demand) != 1 || demand[0].String() != want[0].String() {
		t.Errorf("%v is demanded", demand)
	}
}

func TestRecord_keepsTheGreatest(t *testing.T) {
	versions := &Tracker{}
	for _, version := range []string{"9", "10", "8", "", "x"} {
		versions.Record(evenkeelv1.ObjectKind_OBJECT_KIND_POD, pod("web", version))
	}
	if version := versions.Latest(evenkeelv1.ObjectKind_OBJECT_KIND_POD); version != 10 {
		t.Errorf("version %d is the greatest", version)
	}
}

func TestWatch_createsNoInformersOfOwners_unlessRequested(t *testing.T) {
	factory := scheduler.NewInformerFactory(fake.NewClientset(), 0)
	if err := new(Tracker).Watch(factory, false); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	for typ := range factory.WaitForCacheSync(ctx.Done()) {
		if name := typ.Elem().Name(); name != "Pod" && name != "Node" {
			t.Errorf("%s is watched", name)
		}
	}
}

// fakeCluster serves the lists and watches of an informer. The test provides them.
type fakeCluster struct {
	t        *testing.T
	versions *Tracker
	lists    chan runtime.Object
	watches  chan *watch.FakeWatcher
	factory  informers.SharedInformerFactory
}

func newFakeCluster(t *testing.T, resource string, owners bool) *fakeCluster {
	t.Helper()
	l := &fakeCluster{
		t: t, versions: &Tracker{},
		lists: make(chan runtime.Object, 2), watches: make(chan *watch.FakeWatcher, 2),
	}
	client := fake.NewClientset()
	client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, <-l.lists, nil })
	client.PrependWatchReactor(resource, func(clienttesting.Action) (bool, watch.Interface, error) { return true, <-l.watches, nil })
	l.factory = informers.NewSharedInformerFactory(client, 0)
	if err := l.versions.Watch(l.factory, owners); err != nil {
		t.Fatal(err)
	}
	return l
}

// start returns the watch that follows the first list.
func (l *fakeCluster) start(first runtime.Object) *watch.FakeWatcher {
	watched := watch.NewFake()
	l.lists <- first
	l.watches <- watched
	l.factory.Start(l.t.Context().Done())
	l.factory.WaitForCacheSync(l.t.Context().Done())
	return watched
}

// relist breaks a watch so that another list follows, and returns the watch after that.
func (l *fakeCluster) relist(broken *watch.FakeWatcher, next runtime.Object) *watch.FakeWatcher {
	watched := watch.NewFake()
	l.lists <- next
	l.watches <- watched
	broken.Error(&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: 410})
	return watched
}

// watchDeletions handles deletions of nodes like a scheduler that retries a pod, and sends what is demanded then.
func (l *fakeCluster) watchDeletions() chan string {
	l.t.Helper()
	demands := make(chan string, 1)
	if _, err := l.factory.Core().V1().Nodes().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(any) { demands <- l.demanded() }}); err != nil {
		l.t.Fatal(err)
	}
	return demands
}

// demanded is the version of the only kind; empty if there is none.
func (l *fakeCluster) demanded() string {
	switch demand := l.versions.Demand(true); len(demand) {
	case 0:
		return ""
	case 1:
		return demand[0].ResourceVersion
	default:
		return fmt.Sprint(demand)
	}
}

func await(t *testing.T, what string, is func() bool) {
	t.Helper()
	for started := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(started) > 30*time.Second {
			t.Fatal(what)
		}
	}
}

func (l *fakeCluster) awaitDemand(version string) {
	l.t.Helper()
	await(l.t, version+" is not demanded", func() bool { return l.demanded() == version })
}

func node(name, version string) v1.Node {
	return v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, ResourceVersion: version}}
}

func nodes(version string, items ...v1.Node) *v1.NodeList {
	return &v1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: items}
}

func services(version string, names ...string) *v1.ServiceList {
	list := &v1.ServiceList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, name := range names {
		list.Items = append(list.Items, v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name, ResourceVersion: "5"}})
	}
	return list
}

// A deletion before the first list has no known version, so the version of the list is demanded, which no object has.
// It is known as soon as the scheduler has the list.
func TestWatch_demandsTheFirstList(t *testing.T) {
	for name, items := range map[string][]v1.Node{
		"in the order of their versions": {node("a", "3"), node("b", "5")},
		"in another order":               {node("a", "5"), node("b", "3")},
		"a single one":                   {node("a", "5")},
	} {
		l := newFakeCluster(t, "nodes", false)
		l.start(nodes("7", items...))
		if demanded := l.demanded(); demanded != "7" {
			t.Errorf("%s: %s is demanded", name, demanded)
		}
	}
}

// A bookmark follows a list that is so long that handlers are still being called for it.
func TestWatch_demandsNoBookmark(t *testing.T) {
	l := newFakeCluster(t, "nodes", false)
	var items []v1.Node
	for i := range 20_000 {
		items = append(items, node(fmt.Sprint("node-", i), strconv.Itoa(1+i%50)))
	}
	watched := l.start(nodes("70", items...))
	recorded := &l.versions.kinds[evenkeelv1.ObjectKind_OBJECT_KIND_NODE]
	await(t, "the list is not recorded without a query", func() bool {
		return recorded.version.Load() == 70 && recorded.included.Load() == recorded.changes.Load()
	})
	store := l.factory.Core().V1().Nodes().Informer().GetIndexer()
	for _, version := range []string{"80", "90"} {
		bookmark := node("", version)
		watched.Action(watch.Bookmark, &bookmark)
		await(t, "the bookmark does not arrive", func() bool { return store.LastStoreSyncResourceVersion() == version })
		if demanded := l.demanded(); demanded != "70" {
			t.Errorf("%s is demanded after the bookmark of %s", demanded, version)
		}
	}
	changed := node("node-1", "95")
	watched.Modify(&changed)
	l.awaitDemand("95")
}

// Nor is a bookmark demanded if the first list was empty: the first object comes from the watch.
func TestWatch_demandsNoBookmark_afterAnEmptyList(t *testing.T) {
	l := newFakeCluster(t, "nodes", false)
	watched := l.start(nodes("7"))
	added, bookmark := node("a", "9"), node("", "20")
	watched.Add(&added)
	recorded := &l.versions.kinds[evenkeelv1.ObjectKind_OBJECT_KIND_NODE]
	await(t, "the event is not recorded without a query", func() bool {
		return recorded.version.Load() == 9 && recorded.included.Load() == recorded.changes.Load()
	})
	watched.Action(watch.Bookmark, &bookmark)
	store := l.factory.Core().V1().Nodes().Informer().GetIndexer()
	await(t, "the bookmark does not arrive", func() bool { return store.LastStoreSyncResourceVersion() == "20" })
	if demanded := l.demanded(); demanded != "9" {
		t.Errorf("version %s is demanded", demanded)
	}
}

func TestWatch_demandsADeletion_whenHandlersAreCalled(t *testing.T) {
	l := newFakeCluster(t, "nodes", false)
	demands := l.watchDeletions()
	watched := l.start(nodes("7", node("gone", "5"), node("kept", "3")))
	gone := node("gone", "12")
	watched.Delete(&gone)
	if demanded := <-demands; demanded != "12" {
		t.Errorf("version %s is demanded", demanded)
	}
}

// A deletion that a broken watch has missed has no known version either. Handlers of the deletion demand the version
// of the list that shows it.
func TestWatch_demandsAListThatShowsAnObjectMissing(t *testing.T) {
	// Consecutive lists are a second apart.
	var all []chan string
	for range 10 {
		l := newFakeCluster(t, "nodes", false)
		all = append(all, l.watchDeletions())
		broken := l.start(nodes("7", node("gone", "5"), node("kept", "3")))
		l.relist(broken, nodes("20", node("kept", "3")))
	}
	for _, demands := range all {
		if demanded := <-demands; demanded != "20" {
			t.Errorf("version %s is demanded when the first handler is called", demanded)
		}
	}
}

// An empty list announces no change of an object.
func TestWatch_demandsAListThatShowsAllObjectsMissing(t *testing.T) {
	l := newFakeCluster(t, "nodes", false)
	broken := l.start(nodes("7", node("gone", "5")))
	l.relist(broken, nodes("20"))
	l.awaitDemand("20")
}

// All other objects may be new.
func TestWatch_demandsAListThatShowsAnObjectMissing_andOthersNew(t *testing.T) {
	l := newFakeCluster(t, "nodes", false)
	broken := l.start(nodes("7", node("gone", "5"), node("kept", "3")))
	l.relist(broken, nodes("20", node("kept", "9"), node("new", "11")))
	l.awaitDemand("20")
}

// Only default constraints depend on owners.
func TestDemand_includesOwners_ifRequested(t *testing.T) {
	l := newFakeCluster(t, "services", true)
	l.start(services("7", "one", "two"))
	l.awaitDemand("7")
	if demand := l.versions.Demand(false); len(demand) != 0 {
		t.Errorf("%v is demanded", demand)
	}
}
