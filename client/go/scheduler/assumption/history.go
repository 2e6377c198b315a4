package assumption

import (
	"maps"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
)

// How long it is remembered when something was assumed: an answer that is judged later is not comparable.
const retention = 2 * time.Minute

// History says what Evenkeel had assumed at a revision. The zero value is ready. A nil one keeps nothing. Safe for
// concurrent use: whoever tells it waits for nobody who asks it, since only what never changes is read outside its lock.
//
// It is a list of writes in their order. Those that are old are folded into what was assumed before the list.
type History struct {
	mutex sync.Mutex
	// Never changed, but replaced.
	base map[string]*evenkeelv1.AssumedPod
	// Only appended to.
	writes []write
	// When the last write was made that is folded; zero where none is.
	foldedUntil time.Time
}

// write is what became certain at one moment.
type write struct {
	at time.Time
	// nil where a call has failed, which Evenkeel may have taken all the same, or where the watch has shown the pod.
	revision *evenkeelv1.Revision
	failed   bool
	uid      string
	// nil where the pod was forgotten.
	pod *evenkeelv1.AssumedPod
}

// At gives the pods of a namespace that were assumed and not forgotten at the revision of an answer, by UID, and whether
// that is certain. Pods that the watch has shown bound or deleted since they were assumed are among them.
//
// What was written or seen before the answer was asked for is within it: the question has demanded it. What came later
// must still be in the list, since it is undone one by one. So an answer that was asked for before a write that is folded
// is not certain.
func (h *History) At(revision *evenkeelv1.Revision, asked time.Time, namespace string) (map[string]*evenkeelv1.AssumedPod, bool) {
	h.mutex.Lock()
	base, writes, foldedUntil := h.base, h.writes, h.foldedUntil
	h.mutex.Unlock()
	if !asked.After(foldedUntil) {
		return nil, false
	}
	assumed := map[string]*evenkeelv1.AssumedPod{}
	for uid, pod := range base {
		if pod.Pod.Metadata.Namespace == namespace {
			assumed[uid] = pod
		}
	}
	instanceSeen, certain := false, true
	for i := range writes {
		write := &writes[i]
		switch {
		case write.failed:
			certain = false
			continue
		case write.revision == nil:
			continue
		case write.revision.Instance != revision.Instance && instanceSeen:
			return assumed, certain
		case write.revision.Instance != revision.Instance:
			// What an instance had assumed is told again to the next.
			clear(assumed)
			certain = true
			continue
		case write.revision.Counter > revision.Counter:
			return assumed, certain
		}
		instanceSeen, certain = true, true
		if write.pod == nil {
			delete(assumed, write.uid)
		} else if write.pod.Pod.Metadata.Namespace == namespace {
			assumed[write.uid] = write.pod
		}
	}
	return assumed, certain
}

func (h *History) addAssumed(revision *evenkeelv1.Revision, pods []*evenkeelv1.AssumedPod) {
	for _, pod := range pods {
		h.add(write{revision: revision, uid: pod.Pod.Metadata.Uid, pod: pod})
	}
}

func (h *History) addForgotten(revision *evenkeelv1.Revision, uids []string) {
	for _, uid := range uids {
		h.add(write{revision: revision, uid: uid})
	}
}

// seen says that the watch has shown a pod bound, or gone.
func (h *History) addSeen(uid string) { h.add(write{uid: uid}) }

// failed says that it is not certain whether Evenkeel has taken what it was told. It is told again.
func (h *History) addFailed() { h.add(write{failed: true}) }

func (h *History) add(added write) {
	if h == nil {
		return
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	added.at = time.Now()
	h.writes = append(h.writes, added)
	if half := len(h.writes) / 2; half > 0 && time.Since(h.writes[half].at) > retention {
		h.fold(half)
	}
}

// fold forgets when the first writes were made.
func (h *History) fold(count int) {
	before := make(map[string]*evenkeelv1.AssumedPod, len(h.base))
	maps.Copy(before, h.base)
	for _, write := range h.writes[:count] {
		if write.pod != nil {
			before[write.uid] = write.pod
		} else if !write.failed {
			delete(before, write.uid)
		}
	}
	h.base, h.foldedUntil = before, h.writes[count-1].at
	h.writes = append([]write(nil), h.writes[count:]...)
}
