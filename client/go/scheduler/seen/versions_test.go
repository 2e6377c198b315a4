package seen

import (
	"context"
	"reflect"
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

// stored is what a scheduler's informer of pods keeps of a pod.
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

func TestWatch_keepsWhatTheSchedulersOwnTransformDoes(t *testing.T) {
	stock := stored(t, func(factory informers.SharedInformerFactory) { factory.Core().V1().Pods().Informer() })
	ours := stored(t, func(factory informers.SharedInformerFactory) {
		if err := new(Versions).Watch(factory, true); err != nil {
			t.Fatal(err)
		}
	})
	if stock.ManagedFields != nil || !reflect.DeepEqual(stock, ours) {
		t.Errorf("the stock scheduler keeps %v, this one %v", stock, ours)
	}
}

func TestWatch_notesAVersionBeforeHandlersHearOfIt(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset(pod("web", "7"))
	factory := scheduler.NewInformerFactory(client, 0)
	versions := &Versions{}
	if err := versions.Watch(factory, false); err != nil {
		t.Fatal(err)
	}
	noted := make(chan int64, 3)
	hear := func(any) { noted <- versions.Of(evenkeelv1.ObjectKind_OBJECT_KIND_POD) }
	if _, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: hear, UpdateFunc: func(any, any) { hear(nil) }, DeleteFunc: hear}); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if version := <-noted; version != 7 {
		t.Errorf("%d was noted for the list", version)
	}
	if err := client.Tracker().Update(v1.SchemeGroupVersion.WithResource("pods"), pod("web", "12"), "shop"); err != nil {
		t.Fatal(err)
	}
	if version := <-noted; version != 12 {
		t.Errorf("%d was noted for the event", version)
	}
	want := []*evenkeelv1.KindVersion{{Kind: evenkeelv1.ObjectKind_OBJECT_KIND_POD, ResourceVersion: "12"}}
	if demand := versions.Demand(); len(demand) != 1 || demand[0].String() != want[0].String() {
		t.Errorf("%v is demanded", demand)
	}
}

func TestNote_keepsTheGreatest(t *testing.T) {
	versions := &Versions{}
	for _, version := range []string{"9", "10", "8", "", "x"} {
		versions.Note(evenkeelv1.ObjectKind_OBJECT_KIND_POD, pod("web", version))
	}
	if version := versions.Of(evenkeelv1.ObjectKind_OBJECT_KIND_POD); version != 10 {
		t.Errorf("%d is the greatest", version)
	}
}

func TestWatch_asksForNoOwners_whereNobodyDoes(t *testing.T) {
	factory := scheduler.NewInformerFactory(fake.NewClientset(), 0)
	if err := new(Versions).Watch(factory, false); err != nil {
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

// A deletion before the first list, and one that a broken watch has missed, has no version of its own: that of the list
// is demanded, which no object has.
func TestWatch_demandsTheFirstList_andTheOneThatShowsAnObjectMissing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := fake.NewClientset()
	lists := make(chan *v1.NodeList, 2)
	watches := make(chan *watch.FakeWatcher, 2)
	client.PrependReactor("list", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) { return true, <-lists, nil })
	client.PrependWatchReactor("nodes", func(clienttesting.Action) (bool, watch.Interface, error) { return true, <-watches, nil })
	factory := informers.NewSharedInformerFactory(client, 0)
	versions := &Versions{}
	if err := versions.Watch(factory, false); err != nil {
		t.Fatal(err)
	}
	nodes := factory.Core().V1().Nodes().Informer()
	missed := make(chan any, 1)
	if _, err := nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(object any) { missed <- object }}); err != nil {
		t.Fatal(err)
	}
	kept := v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "kept", ResourceVersion: "3"}}
	gone := v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "gone", ResourceVersion: "5"}}
	lists <- &v1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []v1.Node{kept, gone}}
	broken := watch.NewFake()
	watches <- broken
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	kind := evenkeelv1.ObjectKind_OBJECT_KIND_NODE
	demanded := func(version string) {
		t.Helper()
		for begun := time.Now(); ; time.Sleep(time.Millisecond) {
			demand := versions.Demand()
			if len(demand) == 1 && demand[0].ResourceVersion == version {
				break
			}
			if time.Since(begun) > 10*time.Second {
				t.Fatalf("%v is demanded, %s expected", demand, version)
			}
		}
	}
	demanded("7")
	lists <- &v1.NodeList{ListMeta: metav1.ListMeta{ResourceVersion: "20"}, Items: []v1.Node{kept}}
	watches <- watch.NewFake()
	broken.Error(&metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: 410})
	<-missed
	demanded("20")
	if versions.Lists(kind) == 0 || versions.Of(kind) != 5 {
		t.Errorf("%d signs of lists, and an object of version %d", versions.Lists(kind), versions.Of(kind))
	}
}
