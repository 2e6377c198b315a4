package assumption

import (
	"maps"
	"sync"
	"time"

	"evenkeel.io/client/go/evenkeelv1"
)

// How long the time of each write is known. An answer that is evaluated later is not comparable.
const retention = 2 * time.Minute

// History records what Evenkeel had assumed at each revision. The zero value is ready to use, and a nil History
// records nothing. It is safe for concurrent use. Writers never wait for readers, because readers use only immutable
// data outside the lock.
//
// It is a list of writes in order. Old writes are folded into the base, which holds what was assumed before the list.
type History struct {
	mutex sync.Mutex
	// Replaced, never modified.
	base map[string]*evenkeelv1.AssumedPod
	// Append-only.
	writes []write
	// When the last folded write was made; zero if none was folded.
	foldedUntil time.Time
}

// write is one change to the assumed pods.
type write struct {
	at time.Time
	// nil if a call failed, which Evenkeel may have applied all the same, or if the watch has shown the pod.
	revision *evenkeelv1.Revision
	failed   bool
	uid      string
	// nil if the pod was forgotten.
	pod *evenkeelv1.AssumedPod
}

// At returns the pods of a namespace that were assumed and not forgotten at the revision of an answer, by UID, and
// whether that is certain. It includes pods that the watch has shown bound or deleted since they were assumed.
//
// The answer covers everything that was written or seen before the query, because the query demanded it. Later writes
// must still be in the list so that they can be undone one by one. The result is therefore uncertain if the query is
// older than a folded write.
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
			// The next instance is sent everything that the previous one had assumed.
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

// addSeen records that the watch has shown a pod bound or deleted.
func (h *History) addSeen(uid string) { h.add(write{uid: uid}) }

// addFailed records that Evenkeel may or may not have applied a call. The call is retried.
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

// fold moves the oldest writes into the base.
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
