package resourceversion

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// streaming serves lists of nodes as the first events of a watch, which is how informers ask for them. There are no
// pods.
func streaming(t *testing.T, events <-chan metav1.WatchEvent) kubernetes.Interface {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		asked := request.URL.Query()
		if asked.Get("sendInitialEvents") != "true" {
			t.Errorf("asked for %s", request.URL)
			return
		}
		say := func(event metav1.WatchEvent) {
			_ = json.NewEncoder(response).Encode(event) // The client may have disconnected.
			response.(http.Flusher).Flush()
		}
		if request.URL.Path == "/api/v1/pods" {
			say(endOfList("Pod", "1"))
			<-request.Context().Done()
			return
		}
		for {
			select {
			case <-request.Context().Done():
				return
			case event := <-events:
				say(event)
				if event.Type == string(watch.Error) {
					return
				}
			}
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	client, err := kubernetes.NewForConfig(&rest.Config{
		Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func event(typ watch.EventType, object any) metav1.WatchEvent {
	raw, _ := json.Marshal(object)
	return metav1.WatchEvent{Type: string(typ), Object: runtime.RawExtension{Raw: raw}}
}

func added(name, version string) metav1.WatchEvent {
	object := node(name, version)
	object.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}
	return event(watch.Added, object)
}

func endOfList(kind, version string) metav1.WatchEvent {
	return event(watch.Bookmark, metav1.PartialObjectMetadata{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: kind},
		ObjectMeta: metav1.ObjectMeta{
			ResourceVersion: version, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}},
	})
}

func TestWatch_demandsStreamedLists(t *testing.T) {
	events := make(chan metav1.WatchEvent, 100)
	factory := informers.NewSharedInformerFactory(streaming(t, events), 0)
	versions := &Tracker{}
	if err := versions.Watch(factory, false); err != nil {
		t.Fatal(err)
	}
	demanded := func() string {
		for _, kind := range versions.Demand(true) {
			if kind.Kind == evenkeelv1.ObjectKind_OBJECT_KIND_NODE {
				return kind.ResourceVersion
			}
		}
		return ""
	}
	demands := make(chan string, 1)
	nodes := factory.Core().V1().Nodes().Informer()
	if _, err := nodes.AddEventHandler(cache.ResourceEventHandlerFuncs{DeleteFunc: func(any) { demands <- demanded() }}); err != nil {
		t.Fatal(err)
	}
	for _, each := range []metav1.WatchEvent{added("gone", "3"), added("kept", "5"), endOfList("Node", "7")} {
		events <- each
	}
	factory.Start(t.Context().Done())
	factory.WaitForCacheSync(t.Context().Done())
	if version := demanded(); version != "7" {
		t.Errorf("%s is demanded after the first list", version)
	}
	bookmark := v1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{ResourceVersion: "8"}}
	events <- event(watch.Bookmark, bookmark)
	await(t, "the bookmark does not arrive", func() bool { return nodes.GetIndexer().LastStoreSyncResourceVersion() == "8" })
	if version := demanded(); version != "7" {
		t.Errorf("%s is demanded after the bookmark", version)
	}

	events <- event(watch.Error, metav1.Status{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Code: http.StatusGone})
	for _, each := range []metav1.WatchEvent{added("kept", "9"), added("new", "11"), endOfList("Node", "20")} {
		events <- each
	}
	if version := <-demands; version != "20" {
		t.Errorf("version %s is demanded when the first handler is called", version)
	}
}
