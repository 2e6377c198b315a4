package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.List;

/**
 * A plan that brings the constraints of workloads within maxSkew.
 *
 * @param revision the revision of the state that it is about
 * @param excessBefore by how much the constraints exceed maxSkew, in all; each constraint counts once, however many
 *     pods have it
 * @param excess the same after the possible moves
 * @param moves in an order in which each pod may enter its new node and no move violates a constraint that was
 *     satisfied, unless {@link Move#isRejected}; constraints that exceed maxSkew after the moves do not matter for this
 * @param impossible how many of the moves, at the end, are not possible, or do not lower the excess without those that
 *     are not
 * @param leastMoves no plan that leaves the same excess as all moves, even impossible ones, has fewer moves
 * @param unrepaired the constraints that exceed maxSkew after the possible moves
 */
public record RebalancePlan(
        long revision,
        int excessBefore,
        int excess,
        List<Move> moves,
        int impossible,
        int leastMoves,
        List<Unrepaired> unrepaired) {

    /**
     * A pod that moves.
     *
     * @param labelClass that of the pod
     * @param from the name of its node
     * @param to the name of its new node
     * @param isRejected whether the pod may not enter its new node when its turn comes, or its move violates a
     *     constraint that was satisfied; no order was found that avoids such moves
     * @param isWithNext whether it is made together with the next move, because later ones make it or an earlier one
     *     possible, and lead back to satisfied constraints; a rejected move for which this is false is impossible even
     *     after all possible ones, as may be those after it
     * @param isSchedulersChoice whether kube-scheduler would score no node higher then; only of the first 1,000 moves
     */
    public record Move(
            String uid,
            String namespace,
            String name,
            int labelClass,
            String from,
            String to,
            boolean isRejected,
            boolean isWithNext,
            boolean isSchedulersChoice) {

        /**
         * Called under the engine's lock.
         *
         * @param from a slot
         * @param to a slot
         */
        static Move of(
                ClusterView cluster,
                int pod,
                int from,
                int to,
                boolean isRejected,
                boolean isWithNext,
                boolean isSchedulersChoice) {
            return new Move(
                    cluster.uid(pod),
                    cluster.namespace(pod),
                    cluster.name(pod),
                    cluster.labelClass(pod),
                    cluster.nameOfNode(from),
                    cluster.nameOfNode(to),
                    isRejected,
                    isWithNext,
                    isSchedulersChoice);
        }

        /** The same move, without the rest of its chain. */
        Move alone() {
            return new Move(uid, namespace, name, labelClass, from, to, isRejected, false, isSchedulersChoice);
        }
    }

    /**
     * A constraint that exceeds maxSkew after the possible moves.
     *
     * @param pods the plan of some pods that have it
     * @param index its position among the constraints of the pods
     * @param excess by how much it exceeds maxSkew
     */
    public record Unrepaired(PodPlan pods, int index, SpreadConstraint source, int excess, Cause cause) {}

    /** Why moves do not repair a constraint. */
    public enum Cause {
        /** None of the pods that it counts is considered. */
        COUNTS_NO_OWN_PODS,
        /** Fewer than minDomains domains are eligible, so that the global minimum is 0. */
        TOO_FEW_DOMAINS,
        /** It also counts pods that are not considered. */
        OTHER_PODS,
        /** The pods may not enter any node of a domain that counts. */
        DOMAIN_CLOSED,
        /** Nodes have too little room. */
        NO_ROOM,
        /** Pods may not be evicted. */
        IMMOVABLE_PODS,
        /** It can be satisfied, but not together with the other constraints. */
        CONFLICTS,
        /** All moves would satisfy it, but some are not possible. */
        IMPOSSIBLE_MOVES
    }
}
