package io.evenkeel.commands;

import io.evenkeel.v1.Pod;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The order in which a ReplicaSet deletes its pods: those without a node first, then those with the lowest deletion
 * cost, then those on the nodes with the most pods of the Deployment, then the youngest, by the logarithm of their age,
 * then by UID. It is that of {@code ActivePodsWithRanks} in kube-controller-manager for pods that are ready and have no
 * restarts; the time when a pod became ready counts as its creation.
 */
final class DeletionOrder {
    /** The annotation with the deletion cost of a pod. */
    static final String COST = "controller.kubernetes.io/pod-deletion-cost";

    private final NodeCounts counts = new NodeCounts();
    private final Instant now = Instant.now();

    /**
     * @param newNodes how many new pods of the Deployment are on each node
     * @param old its old pods
     */
    DeletionOrder(NodeCounts newNodes, List<Pod> old) {
        newNodes.byNode().forEach(counts::add);
        old.forEach(pod -> counts.add(pod.getSpec().getNodeName(), 1));
    }

    /** The pods of a ReplicaSet, the next one to delete first. */
    List<Pod> sorted(List<Pod> pods) {
        List<Pod> sorted = new ArrayList<>(pods);
        sorted.sort(
                Comparator.comparing((Pod pod) -> !pod.getSpec().getNodeName().isEmpty())
                        .thenComparing(DeletionOrder::cost)
                        .thenComparing(pod -> -counts.of(pod.getSpec().getNodeName()))
                        .thenComparing(this::logarithmOfAge)
                        .thenComparing(pod -> pod.getMetadata().getUid()));
        return sorted;
    }

    static int cost(Pod pod) {
        try {
            return Integer.parseInt(pod.getMetadata().getAnnotationsOrDefault(COST, "0"));
        } catch (NumberFormatException e) {
            // The API server rejects such an annotation.
            return 0;
        }
    }

    private int logarithmOfAge(Pod pod) {
        if (!pod.getMetadata().hasCreationTimestamp()) {
            return Integer.MIN_VALUE;
        }
        Instant created =
                Instant.ofEpochSecond(pod.getMetadata().getCreationTimestamp().getSeconds());
        long age = Duration.between(created, now).toNanos();
        return age <= 0 ? -1 : Long.SIZE - 1 - Long.numberOfLeadingZeros(age);
    }
}
