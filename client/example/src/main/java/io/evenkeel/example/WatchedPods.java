package io.evenkeel.example;

import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.kube.FedObjects;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The queue of pods that wait for the scheduler, as the API server reports them. Thread-safe.
 *
 * <pre>
 *   waiting   UID → pod that has no node in the API server
 *   queue     UIDs of the pods to try, in order; those no longer in {@code waiting} are skipped
 *   listed    UIDs in the current list of pods so far
 * </pre>
 */
final class WatchedPods implements FedObjects {
    private static final Set<String> FINISHED = Set.of("Succeeded", "Failed");

    private final String name;
    private final Map<String, Pod> waiting = new ConcurrentHashMap<>();
    private final BlockingQueue<String> queue = new LinkedBlockingQueue<>();
    private final Set<String> listed = ConcurrentHashMap.newKeySet();

    /** @param name the {@code schedulerName} of the waiting pods */
    WatchedPods(String name) {
        this.name = name;
    }

    /** Waits for the next pod to try. */
    Pod take() throws InterruptedException {
        while (true) {
            Pod pod = waiting.get(queue.take());
            if (pod != null) {
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
        if (kind == ObjectKind.POD) {
            try {
                Pod pod = Pod.parser().parseFrom(bytes, from, to - from);
                listed.add(pod.getMetadata().getUid());
                put(pod);
            } catch (IOException e) {
                System.err.println("skipping a pod: " + e.getMessage());
            }
        }
    }

    private void put(Pod pod) {
        String uid = pod.getMetadata().getUid();
        if (FINISHED.contains(pod.getStatus().getPhase())
                || !pod.getSpec().getNodeName().isEmpty()) {
            waiting.remove(uid);
        } else if (pod.getSpec().getSchedulerName().equals(name)
                && !pod.getMetadata().hasDeletionTimestamp()
                && waiting.put(uid, pod) == null) {
            queue.add(uid);
        }
    }

    @Override
    public void deleted(ObjectKind kind, byte[] bytes, int from, int to) {
        if (kind == ObjectKind.POD) {
            try {
                Pod pod = Pod.parser().parseFrom(bytes, from, to - from);
                waiting.remove(pod.getMetadata().getUid());
            } catch (IOException e) {
                System.err.println("skipping the deletion of a pod: " + e.getMessage());
            }
        }
    }

    @Override
    public void listBegins(ObjectKind kind) {
        if (kind == ObjectKind.POD) {
            listed.clear();
        }
    }

    @Override
    public void listEnds(ObjectKind kind) {
        if (kind == ObjectKind.POD) {
            waiting.keySet().retainAll(listed);
        }
    }
}
