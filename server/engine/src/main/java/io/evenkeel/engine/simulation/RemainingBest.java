package io.evenkeel.engine.simulation;

import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import org.jspecify.annotations.Nullable;

/**
 * The nodes with the best score for a pod, derived from those for a pod with the same plan that was placed just before
 * it. This takes a few operations on sets instead of a judgement of all nodes.
 *
 * <p>A placed pod only raises counts, and only in the domains of its node. So if the same nodes pass as before, weights
 * stay the same, and only the raw scores of nodes in these domains rise; the lowest is the best. A count is multiplied
 * by a weight above 1, so that a raw score that rises is higher after rounding too: only best nodes outside these
 * domains remain best. The same nodes pass if the pod's node still admits another pod, and each hard constraint admits
 * the same counts as before: the nodes of a domain share its count.
 *
 * <pre>
 *   best        the nodes with the best score for the last pod
 *   node        where that pod was placed; NONE if it was not, or if something else may have changed
 *   limits[i]   the greatest count that hard constraint i admitted before
 *   counts[i]   how many pods soft constraint i counted in the domain of the node before
 * </pre>
 */
final class RemainingBest {
    private static final PlannedConstraint[] UNSCORED = {};

    private final boolean scored;
    private @Nullable PodPlan plan;
    private long[] best = {};
    private int words;
    private int node = NodeSlots.NONE;
    private int[] limits = {};
    private int[] counts = {};

    /** @param scored whether the best nodes are those with the best score; otherwise all nodes that pass */
    RemainingBest(boolean scored) {
        this.scored = scored;
    }

    /** Sets the best nodes for the pod of a plan, of all nodes of the cluster. */
    void begin(PodPlan of, long[] top, int wordsOfTop) {
        plan = of;
        node = NodeSlots.NONE;
        words = wordsOfTop;
        if (best.length < words) {
            best = new long[words];
        }
        System.arraycopy(top, 0, best, 0, words);
    }

    /** Forgets the best nodes, because the cluster may change in another way than by {@link #place}. */
    void forget() {
        plan = null;
    }

    /** Call it before a pod is placed on a node, one of the best. Until {@link #after}, nothing else may change. */
    void place(int slot) {
        PodPlan of = plan;
        if (of == null) {
            return;
        }
        node = slot;
        if (limits.length < of.hard.length) {
            limits = new int[of.hard.length];
        }
        for (int i = 0; i < of.hard.length; i++) {
            limits[i] = of.hard[i].limit();
        }
        PlannedConstraint[] soft = soft(of);
        if (counts.length < soft.length) {
            counts = new int[soft.length];
        }
        for (int i = 0; i < soft.length; i++) {
            counts[i] = soft[i].count(slot);
        }
    }

    /** The best nodes for a pod of a plan; null if they must be found by a judgement of all nodes. */
    long @Nullable [] after(PodPlan of, PlanEvaluation evaluation) {
        boolean follows = of == plan && node != NodeSlots.NONE && samePass(of, evaluation) && retain(of, evaluation);
        node = NodeSlots.NONE;
        return follows ? best : null;
    }

    private boolean samePass(PodPlan of, PlanEvaluation evaluation) {
        for (int i = 0; i < of.hard.length; i++) {
            if (of.hard[i].limit() != limits[i]) {
                return false;
            }
        }
        return evaluation.reasonAt(of, node) == null;
    }

    /** Removes the nodes whose score has become worse; returns whether others remain. */
    private boolean retain(PodPlan of, PlanEvaluation evaluation) {
        PlannedConstraint[] soft = soft(of);
        for (int i = 0; i < soft.length; i++) {
            // A node without the label is scored by the other constraints alone.
            if (soft[i].label().carrierCount() != evaluation.nodeCount()
                    || soft[i].count(node) != counts[i] && !removeDomain(soft[i])) {
                return false;
            }
        }
        return NodeBits.intersects(best, best, words);
    }

    /** Removes the nodes in the domain of the node; returns false if their set is not known. */
    private boolean removeDomain(PlannedConstraint constraint) {
        Topology topology = constraint.domains().topology;
        if (!topology.isWide()) {
            topology.takeOutOf(topology.domainOf(node), best, 0, words);
            return true;
        }
        NodeBits.clear(best, node);
        return topology.followers().length == 0;
    }

    private PlannedConstraint[] soft(PodPlan of) {
        return scored ? of.soft : UNSCORED;
    }
}
