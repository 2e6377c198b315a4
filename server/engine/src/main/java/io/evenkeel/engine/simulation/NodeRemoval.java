package io.evenkeel.engine.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether a node can be removed.
 *
 * @param moves the pods that find another node, in the order in which they were placed; without effect unless
 *     {@link #isPossible}
 * @param nodes the name of the node of each of them
 * @param blocking the pods that prevent the removal, whatever nodes there are
 * @param stuck the first pod that finds no node; null if there is none, or pods block
 * @param exceedsBudget whether more pods move than one of their disruption budgets allows to evict now
 * @param mirrors how many mirror pods end with the node
 * @param daemons how many pods of DaemonSets end with the node
 * @param gone how many pods have been terminating for so long that they count as gone
 */
public record NodeRemoval(
        List<NodePod> moves,
        List<String> nodes,
        List<Blocker> blocking,
        @Nullable NodePod stuck,
        boolean exceedsBudget,
        int mirrors,
        int daemons,
        int gone) {

    /**
     * A pod that prevents the removal.
     *
     * @param usedUp the names of its disruption budgets that allow no more evictions, if they are the reason; otherwise
     *     empty
     */
    public record Blocker(NodePod pod, List<String> usedUp) {}

    /** Whether the node can be removed. */
    public boolean isPossible() {
        return blocking.isEmpty() && stuck == null;
    }
}
