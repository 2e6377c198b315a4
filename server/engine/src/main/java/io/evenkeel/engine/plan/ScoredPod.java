package io.evenkeel.engine.plan;

import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodRequests;
import java.util.List;

/**
 * What kube-scheduler's node scores depend on in a pod that is to be placed, in addition to an {@link IncomingPod}. It
 * is separate because nothing else depends on it: pods that differ only in this share a plan.
 *
 * @param preferences the terms of the preferred node affinity
 * @param nonZero what the pod counts as asking for
 */
public record ScoredPod(List<Preference> preferences, PodRequests.NonZero nonZero) {
    /** Of a pod that is not placed by scores. */
    public static final ScoredPod NOTHING = new ScoredPod(List.of(), PodRequests.NonZero.NOTHING);

    public ScoredPod {
        preferences = List.copyOf(preferences);
    }

    /**
     * A term of a preferred node affinity.
     *
     * @param weight 1 to 100
     */
    public record Preference(int weight, NodeTerm term) {}
}
