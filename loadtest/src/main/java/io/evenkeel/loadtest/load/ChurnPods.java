package io.evenkeel.loadtest.load;

import io.evenkeel.client.ClusterObjects;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;

/**
 * Generates events of pods that are added and deleted. Each new pod is a replica of the next of some pods, bound to the
 * next of some nodes. Once there are {@link #MAX_ALIVE} pods, each addition is followed by the deletion of the oldest.
 * Not thread-safe.
 */
public final class ChurnPods {
    /** The maximum number of pods that exist at a time. */
    static final int MAX_ALIVE = 1_000;

    private final List<Pod> replicas;
    private final List<String> nodes;
    private final long run = UUID.randomUUID().getMostSignificantBits();
    private final Queue<Pod> alive = new ArrayDeque<>();
    private int added;

    /**
     * @param replicas the pods to replicate; replicas differ in names, UIDs and nodes; at least one
     * @param nodes node names; at least one
     */
    public ChurnPods(List<Pod> replicas, List<String> nodes) {
        if (replicas.isEmpty() || nodes.isEmpty()) {
            throw new IllegalArgumentException(
                    "there must be at least one pod and one node, were " + replicas.size() + " and " + nodes.size());
        }
        this.replicas = replicas;
        this.nodes = nodes;
    }

    /** The next event. */
    public ClusterEvent next() {
        if (alive.size() > MAX_ALIVE) {
            return ClusterObjects.deleted(ClusterObjects.of(alive.remove()));
        }
        Pod pod = pod(added++);
        alive.add(pod);
        return ClusterObjects.added(ClusterObjects.of(pod));
    }

    /** The deletions of all pods that were added and not yet deleted. */
    public List<ClusterEvent> removals() {
        List<ClusterEvent> events = new ArrayList<>();
        alive.forEach(pod -> events.add(ClusterObjects.deleted(ClusterObjects.of(pod))));
        alive.clear();
        return events;
    }

    private Pod pod(int number) {
        Pod replica = replicas.get(number % replicas.size());
        String uid = new UUID(run, number).toString();
        return replica.toBuilder()
                .setMetadata(replica.getMetadata().toBuilder()
                        .setName("churn-" + uid)
                        .setUid(uid))
                .setSpec(replica.getSpec().toBuilder().setNodeName(nodes.get(number % nodes.size())))
                .setStatus(PodStatus.newBuilder().setPhase("Running"))
                .build();
    }
}
