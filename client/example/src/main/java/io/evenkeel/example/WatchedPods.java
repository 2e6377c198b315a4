package io.evenkeel.example;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.FedObjects;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The queue of pods that wait for the scheduler, and the free resources of the nodes, as the API server reports them.
 * Thread-safe.
 *
 * <pre>
 *   waiting   UID → pod that has no node in the API server
 *   queue     UIDs of the pods to try, in order; those no longer in {@code waiting} are skipped
 *   listed    kind → names or UIDs in the current list so far
 * </pre>
 */
final class WatchedPods implements FedObjects {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    /** A pod that is waiting for a node. */
    record Waiting(String uid, Pod pod, Resources requests) {}

    final NodeCapacity room = new NodeCapacity();
    private final String name;
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final Map<ObjectKind, Set<String>> listed = new EnumMap<>(ObjectKind.class);

    /** @param name the {@code schedulerName} of the waiting pods */
    WatchedPods(String name) {
        this.name = name;
    }

    /** Waits for the next pod that is not assumed on a node. */
    Waiting take() throws InterruptedException {
        while (true) {
            Waiting pod = waiting.get(queue.take());
            if (pod != null && !room.holds(pod.uid)) {
                return pod;
            }
        }
    }

    /** Appends the pod to the queue. It is skipped if it is no longer waiting. */
    void tryAgain(String uid) {
        queue.add(uid);
    }

    @Override
    public void put(ObjectKind kind, byte[] bytes, int from, int to) {
        try {
            if (kind == ObjectKind.NODE) {
                Node node = Node.parser().parseFrom(bytes, from, to - from);
                note(kind, node.getMetadata().getName());
                room.putNode(node.getMetadata().getName(), Resources.allocatable(node));
            } else if (kind == ObjectKind.POD) {
                Pod pod = Pod.parser().parseFrom(bytes, from, to - from);
                note(kind, pod.getMetadata().getUid());
                put(pod);
            }
        } catch (IOException e) {
            System.err.println("skipping an object of kind " + kind + ": " + e.getMessage());
        }
    }

    private void put(Pod pod) throws IOException {
        String uid = pod.getMetadata().getUid();
        boolean isFinished = FINISHED.contains(pod.getStatus().getPhase());
        if (isFinished || !pod.getSpec().getNodeName().isEmpty()) {
            waiting.remove(uid);
            if (isFinished) {
                room.remove(uid);
            } else {
                room.put(uid, pod.getSpec().getNodeName(), Resources.requestedBy(pod), false);
            }
        } else if (pod.getSpec().getSchedulerName().equals(name)
                && !pod.getMetadata().hasDeletionTimestamp()
                && waiting.put(uid, new Waiting(uid, pod, Resources.requestedBy(pod))) == null) {
            queue.add(uid);
        }
    }

    @Override
    public void deleted(ObjectKind kind, byte[] bytes, int from, int to) {
        try {
            if (kind == ObjectKind.NODE) {
                Node node = Node.parser().parseFrom(bytes, from, to - from);
                room.removeNode(node.getMetadata().getName());
            } else if (kind == ObjectKind.POD) {
                Pod pod = Pod.parser().parseFrom(bytes, from, to - from);
                waiting.remove(pod.getMetadata().getUid());
                room.remove(pod.getMetadata().getUid());
            }
        } catch (IOException e) {
            System.err.println("skipping the deletion of an object of kind " + kind + ": " + e.getMessage());
        }
    }

    @Override
    public void listBegins(ObjectKind kind) {
        synchronized (listed) {
            listed.put(kind, new HashSet<>());
        }
    }

    /** Records what a list contains, because everything else is gone. */
    private void note(ObjectKind kind, String what) {
        synchronized (listed) {
            Set<String> names = listed.get(kind);
            if (names != null) {
                names.add(what);
            }
        }
    }

    @Override
    public void listEnds(ObjectKind kind) {
        Set<String> there;
        synchronized (listed) {
            there = listed.remove(kind);
        }
        if (there != null && kind == ObjectKind.NODE) {
            room.keepNodes(there);
        } else if (there != null && kind == ObjectKind.POD) {
            room.keepPods(there);
            waiting.keySet().retainAll(there);
        }
    }
}
