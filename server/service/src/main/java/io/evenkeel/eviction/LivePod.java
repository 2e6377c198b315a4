package io.evenkeel.eviction;

import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodCondition;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an eviction needs to know of a pod.
 *
 * @param owner the pod's controller, such as {@code ReplicaSet web-6f}; empty if it has none
 * @param ownerUid the UID of the controller; empty if it has none
 * @param node empty if the pod is not scheduled
 * @param obstacle why the scheduler found no node; null if it does not say
 * @param seen when the pod was first seen, in {@link System#nanoTime}
 */
record LivePod(
        String uid,
        String namespace,
        String name,
        Map<String, String> labels,
        String owner,
        String ownerUid,
        String node,
        Phase phase,
        boolean isReady,
        boolean isTerminating,
        Duration grace,
        @Nullable String obstacle,
        long seen) {
    /** The phases that differ for evictions, in the order in which a pod reaches them. */
    enum Phase {
        PENDING,
        RUNNING,
        SUCCEEDED,
        FAILED
    }

    private static final long DEFAULT_GRACE_SECONDS = 30;

    /** @param labels those of the pod, which other pods may share */
    static LivePod of(Pod pod, Map<String, String> labels, long seen) {
        ObjectMeta metadata = pod.getMetadata();
        OwnerReference owner = metadata.getOwnerReferencesList().stream()
                .filter(OwnerReference::getController)
                .findFirst()
                .orElse(OwnerReference.getDefaultInstance());
        Phase phase = phase(pod.getStatus().getPhase());
        return new LivePod(
                metadata.getUid(),
                metadata.getNamespace(),
                metadata.getName(),
                labels,
                owner.getUid().isEmpty() ? "" : owner.getKind() + " " + owner.getName(),
                owner.getUid(),
                pod.getSpec().getNodeName(),
                phase,
                phase == Phase.SUCCEEDED || phase == Phase.RUNNING && is(pod, "Ready", "True") != null,
                metadata.hasDeletionTimestamp(),
                Duration.ofSeconds(
                        pod.getSpec().hasTerminationGracePeriodSeconds()
                                ? pod.getSpec().getTerminationGracePeriodSeconds()
                                : DEFAULT_GRACE_SECONDS),
                is(pod, "PodScheduled", "False"),
                seen);
    }

    private static Phase phase(String name) {
        return switch (name) {
            case "Pending", "" -> Phase.PENDING;
            case "Succeeded" -> Phase.SUCCEEDED;
            case "Failed" -> Phase.FAILED;
            default -> Phase.RUNNING;
        };
    }

    /** The message of a condition; null if it does not have this status. */
    private static @Nullable String is(Pod pod, String condition, String status) {
        return pod.getStatus().getConditionsList().stream()
                .filter(each ->
                        each.getType().equals(condition) && each.getStatus().equals(status))
                .map(PodCondition::getMessage)
                .findFirst()
                .orElse(null);
    }

    /** Whether the pod does its work, or will do it. */
    boolean isActive() {
        return !isTerminating && phase != Phase.FAILED;
    }

    /** Whether the pod has a node, and has started there. */
    boolean isStarted() {
        return !node.isEmpty() && phase != Phase.PENDING;
    }

    /** {@code shop/web-1}. */
    String title() {
        return namespace + "/" + name;
    }
}
