package io.evenkeel.commands;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.evenkeel.cli.CommandFailure;
import io.evenkeel.kube.ClusterReadException;
import io.evenkeel.kube.PodAccess;
import io.evenkeel.kube.client.ClusterAccess;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives pods of an API server the deletion costs by which a ReplicaSet chooses. A second annotation repeats each cost:
 * a cost is Evenkeel's only if both are equal, and others are neither replaced nor removed. A pod is changed only if it
 * is still as it was read.
 */
final class DeletionCosts implements AutoCloseable {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** How often a pod that changes meanwhile is read again. */
    private static final int ATTEMPTS = 10;

    private final PodAccess pods;

    DeletionCosts(ClusterAccess access) throws IOException {
        pods = new PodAccess(access);
    }

    /**
     * Checks that costs can be written so that the pods go in this order.
     *
     * @param victims the next one to delete first
     * @param all all pods of the same ReplicaSet
     */
    static void check(List<Pod> victims, Collection<Pod> all) throws CommandFailure {
        for (Pod pod : all) {
            Integer cost = ReplicaState.of(pod).cost();
            if (cost != null && cost < 0 && cost >= -victims.size()) {
                throw new CommandFailure("pod " + pod.getMetadata().getName() + " has the deletion cost " + cost
                        + ", which evenkeel did not write, and which is among the costs that it would write, from -"
                        + victims.size() + " to -1: remove it, or scale down in smaller steps");
            }
        }
    }

    /**
     * Gives victims the costs -K to -1, if they have none, and removes the costs that Evenkeel has written to others.
     *
     * @param victims the next one to delete first
     * @param all all pods of the same ReplicaSet
     * @return how many pods have a cost of Evenkeel now
     */
    int write(List<Pod> victims, Collection<Pod> all) throws IOException {
        Set<String> ranked = new HashSet<>();
        victims.forEach(pod -> ranked.add(pod.getMetadata().getUid()));
        List<Pod> others = new ArrayList<>(all);
        others.removeIf(pod -> ranked.contains(pod.getMetadata().getUid()));
        int unused = clear(others);
        int written = 0;
        for (int i = 0; i < victims.size(); i++) {
            written += change(victims.get(i), Integer.toString(i - victims.size())) ? 1 : 0;
        }
        return written;
    }

    /** Removes the costs that Evenkeel has written; returns from how many pods. */
    int clear(Collection<Pod> from) throws IOException {
        int cleared = 0;
        for (Pod pod : from) {
            if (pod.getMetadata().containsAnnotations(ReplicaState.WRITTEN)) {
                cleared += change(pod, null) ? 1 : 0;
            }
        }
        return cleared;
    }

    /**
     * Changes the cost of a pod unless somebody else has written it.
     *
     * @param cost null to remove it
     * @return whether the pod is still there, and now has what was wanted
     */
    private boolean change(Pod pod, @Nullable String cost) throws IOException {
        try {
            Pod now = pod;
            for (int attempt = 0; now != null && attempt < ATTEMPTS; attempt++) {
                boolean isOwn =
                        ReplicaState.isWritten(now) || !now.getMetadata().containsAnnotations(DeletionOrder.COST);
                if (cost != null && !isOwn) {
                    return false;
                }
                if (pods.patch(now.getMetadata(), patch(now.getMetadata(), cost, isOwn))) {
                    return true;
                }
                now = pods.read(now.getMetadata());
            }
            if (now != null) {
                throw new CommandFailure(
                        "--kube: pod " + pod.getMetadata().getName() + " changes too often: run the command again");
            }
            return false;
        } catch (ClusterReadException e) {
            throw new CommandFailure("--kube: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandFailure("--kube: interrupted");
        }
    }

    /** @param withCost whether the cost itself is changed, besides the annotation that repeats it */
    private static String patch(ObjectMeta pod, @Nullable String cost, boolean withCost) throws IOException {
        ObjectNode patch = MAPPER.createObjectNode();
        ObjectNode metadata =
                patch.putObject("metadata").put("uid", pod.getUid()).put("resourceVersion", pod.getResourceVersion());
        ObjectNode annotations = metadata.putObject("annotations").put(ReplicaState.WRITTEN, cost);
        if (withCost) {
            annotations.put(DeletionOrder.COST, cost);
        }
        return MAPPER.writeValueAsString(patch);
    }

    @Override
    public void close() {
        pods.close();
    }
}
