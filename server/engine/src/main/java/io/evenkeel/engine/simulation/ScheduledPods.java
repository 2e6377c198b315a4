package io.evenkeel.engine.simulation;

import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;

/**
 * Equal pods to place one after another.
 *
 * <p>If there is more than one, pod {@code i} (from 1) is named {@code NAME-i}, and its UID is that of the record, plus
 * {@code i} in the last twelve digits.
 *
 * @param plan the plan for each of the pods, of the engine that places them
 * @param scored what the rule STOCK reads of each of the pods; other rules ignore it
 * @param pod the pod as it will count on its node; its own node is ignored. If there is more than one, its UID must be
 *     a UUID in canonical form, and no pod may have one of the UIDs that are made from it
 * @param count how many; at least 1
 * @param node the only node to try; empty to choose one by the rule
 */
public record ScheduledPods(PodPlan plan, ScoredPod scored, PodRecord pod, int count, String node) {
    /** The bits of the last twelve digits of a UUID. */
    private static final long NUMBER_MASK = (1L << 48) - 1;

    public ScheduledPods {
        if (count < 1) {
            throw new IllegalArgumentException("count must be at least 1, was " + count);
        }
        if (count > 1 && pod.uid.isOpaque()) {
            throw new IllegalArgumentException(
                    "uid must be a UUID in canonical form if count is more than 1, was " + pod.uid());
        }
    }

    /** The last 64 bits of the UID of the pod with a number, from 1. */
    static long uidBits(PodRecord pod, int number) {
        long low = pod.uid.low();
        return low & ~NUMBER_MASK | low + number & NUMBER_MASK;
    }
}
