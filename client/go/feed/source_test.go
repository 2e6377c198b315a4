package feed

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"evenkeel.io/client/go/evenkeelv1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// state is the resource version of each object by UID.
type state map[string]uint64

// cluster is an API server with pods and nodes that records all its states.
type cluster struct {
	mutex   sync.Mutex
	changed *sync.Cond
	version uint64
	nodes   *source
	pods    *source
}

// source has the objects of one kind.
type source struct {
	cluster *cluster
	make    func(metav1.ObjectMeta) runtime.Object
	list    func(metav1.ListMeta, []runtime.Object) runtime.Object

	objects map[string]runtime.Object
	// hidden has the UIDs, by name, of objects that do not match the selector of the watches.
	hidden map[string]types.UID
	events []watch.Event
	// versions and states are those after each event; the first state is the empty one of version 0.
	versions []uint64
	states   []state
	// compacted is the first version whose events are kept; watches of a lower epoch have ended.
	compacted uint64
	epoch     int
	streaming bool
	lists     int
}

func newCluster() *cluster {
	c := &cluster{version: 10}
	c.changed = sync.NewCond(&c.mutex)
	c.nodes = &source{
		cluster: c,
		make:    func(m metav1.ObjectMeta) runtime.Object { return &corev1.Node{ObjectMeta: m} },
		list: func(m metav1.ListMeta, objects []runtime.Object) runtime.Object {
			list := &corev1.NodeList{ListMeta: m}
			for _, object := range objects {
				list.Items = append(list.Items, *object.(*corev1.Node))
			}
			return list
		},
	}
	c.pods = &source{
		cluster: c,
		make: func(m metav1.ObjectMeta) runtime.Object {
			m.Namespace = "shop"
			return &corev1.Pod{ObjectMeta: m}
		},
		list: func(m metav1.ListMeta, objects []runtime.Object) runtime.Object {
			list := &corev1.PodList{ListMeta: m}
			for _, object := range objects {
				list.Items = append(list.Items, *object.(*corev1.Pod))
			}
			return list
		},
	}
	for _, s := range []*source{c.nodes, c.pods} {
		s.objects, s.hidden = map[string]runtime.Object{}, map[string]types.UID{}
		s.versions, s.states = []uint64{0}, []state{{}}
	}
	return c
}

func metaOf(object runtime.Object) metav1.Object { return object.(metav1.Object) }

// put adds or changes the object of that name. A hidden object matches the selector again.
func (s *source) put(name string) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	s.cluster.version++
	typ, uid := watch.Added, types.UID(fmt.Sprintf("%s@%d", name, s.cluster.version))
	if before, ok := s.objects[name]; ok {
		typ, uid = watch.Modified, metaOf(before).GetUID()
	} else if known, ok := s.hidden[name]; ok {
		uid = known
		delete(s.hidden, name)
	}
	object := s.make(metav1.ObjectMeta{
		Name: name, UID: uid, ResourceVersion: strconv.FormatUint(s.cluster.version, 10)})
	s.objects[name] = object
	s.happened(watch.Event{Type: typ, Object: object})
}

func (s *source) delete(name string) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	s.remove(name)
}

// hide changes the object of that name so that it no longer matches the selector.
func (s *source) hide(name string) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	if object := s.remove(name); object != nil {
		s.hidden[name] = metaOf(object).GetUID()
	}
}

// remove returns the object that it removes from the watches, or nil.
func (s *source) remove(name string) runtime.Object {
	object, ok := s.objects[name]
	if !ok {
		return nil
	}
	s.cluster.version++
	delete(s.objects, name)
	gone := object.DeepCopyObject()
	metaOf(gone).SetResourceVersion(strconv.FormatUint(s.cluster.version, 10))
	s.happened(watch.Event{Type: watch.Deleted, Object: gone})
	return object
}

func (s *source) happened(event watch.Event) {
	next := maps.Clone(s.states[len(s.states)-1])
	if uid := string(metaOf(event.Object).GetUID()); event.Type == watch.Deleted {
		delete(next, uid)
	} else {
		next[uid] = s.cluster.version
	}
	s.events = append(s.events, event)
	s.versions = append(s.versions, s.cluster.version)
	s.states = append(s.states, next)
	s.cluster.changed.Broadcast()
}

// random changes one of that many objects.
func (s *source) random(dice *rand.Rand, names int) {
	name := fmt.Sprintf("o%04d", dice.IntN(names))
	switch dice.IntN(6) {
	case 0:
		s.delete(name)
	case 1:
		s.hide(name)
	default:
		s.put(name)
	}
}

// bookmark sends a bookmark to all watches.
func (s *source) bookmark() {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	s.events = append(s.events, watch.Event{Type: watch.Bookmark, Object: s.make(metav1.ObjectMeta{
		ResourceVersion: strconv.FormatUint(s.cluster.version, 10)})})
	s.versions = append(s.versions, s.cluster.version)
	s.states = append(s.states, s.states[len(s.states)-1])
	s.cluster.changed.Broadcast()
}

// cut ends all watches. If forget is set, the history is dropped too and the informer must relist.
func (s *source) cut(forget bool) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	s.epoch++
	if forget {
		s.cluster.version++
		s.compacted = s.cluster.version
	}
	s.cluster.changed.Broadcast()
}

// at returns the state at a version.
func (s *source) at(version uint64) state {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	for i := len(s.versions) - 1; i > 0; i-- {
		if s.versions[i] <= version {
			return s.states[i]
		}
	}
	return s.states[0]
}

// now returns the state, its version and that of its last event.
func (s *source) now() (state, uint64, uint64) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	return s.states[len(s.states)-1], s.cluster.version, s.versions[len(s.versions)-1]
}

// informer lists and watches this source.
func (s *source) informer(t *testing.T, example runtime.Object) cache.SharedInformer {
	informer := cache.NewSharedIndexInformer(&cache.ListWatch{
		ListWithContextFunc:  s.listed,
		WatchFuncWithContext: s.watched,
	}, example, 0, cache.Indexers{})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	t.Cleanup(func() { cancel(); s.cluster.changed.Broadcast(); <-done })
	return informer
}

func (s *source) current() ([]runtime.Object, string) {
	s.lists++
	var objects []runtime.Object
	for _, object := range s.objects {
		objects = append(objects, object.DeepCopyObject())
	}
	return objects, strconv.FormatUint(s.cluster.version, 10)
}

func (s *source) listed(context.Context, metav1.ListOptions) (runtime.Object, error) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	objects, version := s.current()
	return s.list(metav1.ListMeta{ResourceVersion: version}, objects), nil
}

func (s *source) watched(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	s.cluster.mutex.Lock()
	defer s.cluster.mutex.Unlock()
	w := &watcher{events: make(chan watch.Event), stopped: make(chan struct{})}
	var first []watch.Event
	from, _ := strconv.ParseUint(options.ResourceVersion, 10, 64)
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		if !s.streaming {
			return nil, apierrors.NewInvalid(corev1.SchemeGroupVersion.WithKind("List").GroupKind(), "", nil)
		}
		objects, version := s.current()
		for _, object := range objects {
			first = append(first, watch.Event{Type: watch.Added, Object: object})
		}
		first = append(first, watch.Event{Type: watch.Bookmark, Object: s.make(metav1.ObjectMeta{
			ResourceVersion: version, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"}})})
		from, _ = strconv.ParseUint(version, 10, 64)
	} else if from < s.compacted {
		return nil, apierrors.NewResourceExpired("too old")
	}
	at := 0
	for at < len(s.events) && s.versions[at+1] <= from {
		at++
	}
	go s.send(w, first, at, s.epoch)
	return w, nil
}

func (s *source) send(w *watcher, first []watch.Event, at, epoch int) {
	defer close(w.events)
	for _, event := range first {
		if !w.send(event) {
			return
		}
	}
	for {
		s.cluster.mutex.Lock()
		for at == len(s.events) && s.epoch == epoch && !w.isStopped() {
			s.cluster.changed.Wait()
		}
		if s.epoch != epoch || w.isStopped() {
			s.cluster.mutex.Unlock()
			return
		}
		event := s.events[at]
		at++
		s.cluster.mutex.Unlock()
		if !w.send(watch.Event{Type: event.Type, Object: event.Object.DeepCopyObject()}) {
			return
		}
	}
}

type watcher struct {
	events  chan watch.Event
	stopped chan struct{}
	once    sync.Once
}

func (w *watcher) ResultChan() <-chan watch.Event { return w.events }
func (w *watcher) Stop()                          { w.once.Do(func() { close(w.stopped) }) }

func (w *watcher) isStopped() bool {
	select {
	case <-w.stopped:
		return true
	default:
		return false
	}
}

func (w *watcher) send(event watch.Event) bool {
	select {
	case w.events <- event:
		return true
	case <-w.stopped:
		return false
	}
}

// model is a server that checks after each message that it holds what the cluster held at the version that it would
// report.
type model struct {
	evenkeelv1.UnimplementedClusterStateServer
	cluster *cluster
	failed  func(format string, arguments ...any)

	mutex    sync.Mutex
	instance string
	kinds    map[evenkeelv1.ObjectKind]*held
	snapshot map[evenkeelv1.ObjectKind]int
	// begins has the first message of each stream.
	begins []*evenkeelv1.BeginSnapshot
	// before is called before each message, without the lock; an error ends the stream.
	before func(stream int, request *evenkeelv1.SyncRequest) error
}

// held is what the model holds of one kind.
type held struct {
	state state
	// deleted has the last version of each UID before it was deleted.
	deleted  state
	named    state
	under    bool
	reported uint64
	reached  uint64
	taken    int
}

func (m *model) source(kind evenkeelv1.ObjectKind) *source {
	if kind == evenkeelv1.ObjectKind_OBJECT_KIND_NODE {
		return m.cluster.nodes
	}
	return m.cluster.pods
}

// restart drops everything, and ends all streams with their next message.
func (m *model) restart(instance string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.instance = instance
	m.kinds = map[evenkeelv1.ObjectKind]*held{
		evenkeelv1.ObjectKind_OBJECT_KIND_NODE: {state: state{}, deleted: state{}},
		evenkeelv1.ObjectKind_OBJECT_KIND_POD:  {state: state{}, deleted: state{}},
	}
}

func (m *model) Sync(stream evenkeelv1.ClusterState_SyncServer) error {
	number, instance := -1, ""
	for {
		request, err := stream.Recv()
		if err != nil {
			return nil
		}
		m.mutex.Lock()
		if number < 0 {
			number = len(m.begins)
			instance = m.instance
			m.begins = append(m.begins, request.GetBeginSnapshot())
		}
		before := m.before
		m.mutex.Unlock()
		if before != nil {
			if err := before(number, request); err != nil {
				return err
			}
		}
		response, err := m.apply(instance, request)
		if err != nil {
			return err
		}
		if err := stream.Send(response); err != nil {
			return err
		}
	}
}

// apply applies a message of a stream that started with an instance.
func (m *model) apply(instance string, request *evenkeelv1.SyncRequest) (*evenkeelv1.SyncResponse, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if instance != m.instance {
		return nil, status.Error(codes.Unavailable, "started again")
	}
	switch step := request.Step.(type) {
	case *evenkeelv1.SyncRequest_BeginSnapshot:
		for _, kind := range step.BeginSnapshot.Kinds {
			m.kinds[kind].under, m.kinds[kind].named = true, state{}
		}
	case *evenkeelv1.SyncRequest_Objects:
		for _, object := range step.Objects.Objects {
			kind, metadata := metadata(object)
			version, _ := parse(metadata.ResourceVersion)
			m.kinds[kind].named[metadata.Uid] = version
			m.kinds[kind].state[metadata.Uid] = version
			delete(m.kinds[kind].deleted, metadata.Uid)
		}
	case *evenkeelv1.SyncRequest_EndSnapshot:
		for _, ended := range step.EndSnapshot.Kinds {
			held := m.kinds[ended.Kind]
			for uid := range held.state {
				if _, ok := held.named[uid]; !ok {
					held.delete(uid, 0)
				}
			}
			held.state, held.under = held.named, false
			held.taken++
			held.reported, _ = parse(ended.ResourceVersion)
			m.check(ended.Kind, held.reported)
		}
	case *evenkeelv1.SyncRequest_Events:
		for _, event := range step.Events.Events {
			kind, metadata := metadata(event.Object)
			held := m.kinds[kind]
			version, _ := parse(metadata.ResourceVersion)
			switch event.Type {
			case evenkeelv1.ClusterEvent_TYPE_BOOKMARK:
				if version <= max(held.reported, held.reached) {
					m.failed("the bookmark %d follows %d", version, held.reported)
				}
				held.reached = version
			case evenkeelv1.ClusterEvent_TYPE_DELETED:
				held.delete(metadata.Uid, version)
				held.reported = version
			default:
				held.put(event.Type, metadata.Uid, version)
				held.reported = version
			}
			m.check(kind, version)
		}
	}
	return &evenkeelv1.SyncResponse{Revision: &evenkeelv1.Revision{Instance: m.instance}}, nil
}

func (h *held) delete(uid string, version uint64) {
	h.deleted[uid] = max(h.deleted[uid], h.state[uid], version)
	delete(h.state, uid)
}

// put follows the API: a modification never brings back what was deleted.
func (h *held) put(typ evenkeelv1.ClusterEvent_Type, uid string, version uint64) {
	gone, wasDeleted := h.deleted[uid]
	if wasDeleted && (typ != evenkeelv1.ClusterEvent_TYPE_ADDED || version < gone) || version <= h.state[uid] {
		return
	}
	delete(h.deleted, uid)
	h.state[uid] = version
}

func (m *model) check(kind evenkeelv1.ObjectKind, version uint64) {
	if version == 0 {
		m.failed("a version of %s is not known", kind)
	} else if expected := m.source(kind).at(version); !maps.Equal(expected, m.kinds[kind].state) {
		m.failed("at version %d of %s, the server holds %v, and the cluster held %v",
			version, kind, m.kinds[kind].state, expected)
	}
}

func metadata(object *evenkeelv1.ClusterObject) (evenkeelv1.ObjectKind, *evenkeelv1.ObjectMeta) {
	if node := object.GetNode(); node != nil {
		return evenkeelv1.ObjectKind_OBJECT_KIND_NODE, node.Metadata
	}
	return evenkeelv1.ObjectKind_OBJECT_KIND_POD, object.GetPod().Metadata
}

// holds returns true if the model holds the same as the cluster, at the version of its last event or later.
func (m *model) holds() bool {
	for _, kind := range []evenkeelv1.ObjectKind{evenkeelv1.ObjectKind_OBJECT_KIND_NODE, evenkeelv1.ObjectKind_OBJECT_KIND_POD} {
		expected, _, last := m.source(kind).now()
		m.mutex.Lock()
		held := m.kinds[kind]
		holds := !held.under && maps.Equal(expected, held.state) && max(held.reported, held.reached) >= last
		m.mutex.Unlock()
		if !holds {
			return false
		}
	}
	return true
}
