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
 * The pods that wait for a scheduler, in their order, and the room that all pods leave on the nodes, as the API server
 * tells of them. Safe for use by several threads.
 *
 * <pre>
 *   waiting   UID → pod that the API server shows on no node
 *   queue     UIDs of those to be tried, the first first; what is not in {@code waiting} any more is passed over
 *   listed    kind → names or UIDs that the list under way has told
 * </pre>
 */
final class WatchedPods implements FedObjects {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    /** A pod that waits for a node. */
    record Waiting(String uid, Pod pod, Resources requests) {}

    final NodeRoom room = new NodeRoom();
    private final String name;
    private final Map<String, Waiting> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final Map<ObjectKind, Set<String>> listed = new EnumMap<>(ObjectKind.class);

    /** @param name the {@code schedulerName} of the pods that wait */
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

    /** The pod, where it waits still, is to be tried after those in the queue. */
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
            System.err.println("an object of kind " + kind + " is left out: " + e.getMessage());
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
            System.err.println("the end of an object of kind " + kind + " is left out: " + e.getMessage());
        }
    }

    @Override
    public void listBegins(ObjectKind kind) {
        synchronized (listed) {
            listed.put(kind, new HashSet<>());
        }
    }

    /** Notes what a list names, since the rest is gone. */
    private void note(ObjectKind kind, String what) {
        synchronized (listed) {
            Set<String> told = listed.get(kind);
            if (told != null) {
                told.add(what);
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
