package io.evenkeel.engine.watch;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.store.ClusterView;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A watched plan, and the nodes that passed for its pod when it was last checked. Used only by its {@link PlanWatches}.
 *
 * <pre>
 *   passed         the slots of the nodes that passed
 *   names          which nodes these slots had
 *   moves          what had changed by then that the answer depends on, except what is free on nodes
 *   resourceMoves  which changes of what is free had happened
 * </pre>
 */
public final class PlanWatch {
    private static final Question PASSED = Question.top(NodeSubset.ALL, false).under(EntryRules.FITTING);

    /** No plan has made as many moves. */
    private static final long NONE = -1;

    private PodPlan plan;
    private PlanPins pins;
    private final long bytes;
    private long[] passed = {};
    private @Nullable NodeNameTable names;
    private long moves = NONE;
    private long resourceMoves;

    /**
     * @param pins hold the plan, and only it
     * @param bytes the room that is taken for it
     */
    PlanWatch(PodPlan plan, PlanPins pins, long bytes) {
        this.plan = plan;
        this.pins = pins;
        this.bytes = bytes;
    }

    PodPlan plan() {
        return plan;
    }

    long bytes() {
        return bytes;
    }

    /** How many nodes passed when it was last checked. */
    public int passedCount() {
        return NodeBits.cardinality(passed, passed.length);
    }

    /** Replaces a stale plan. What passed for it is kept, so that the next check compares with that. */
    void replace(PodPlan valid, PlanPins held) {
        pins.close();
        plan = valid;
        pins = held;
        moves = NONE;
    }

    /**
     * Finds the nodes that pass now, and returns whether one of them did not pass before. Called under the engine's
     * lock with a valid plan.
     *
     * @param scratch is overwritten
     */
    boolean advance(ClusterView cluster, PlanEvaluation evaluation, Answer scratch) {
        long nowMoves = plan.moves(false);
        long nowResources = cluster.resourceMoves();
        boolean more;
        if (nowMoves != moves || !cluster.remembersResourceMoves(resourceMoves)) {
            more = judgeAll(cluster, evaluation, scratch);
        } else {
            more = judgeMoved(cluster, evaluation, nowResources);
        }
        moves = nowMoves;
        resourceMoves = nowResources;
        return more;
    }

    private boolean judgeAll(ClusterView cluster, PlanEvaluation evaluation, Answer scratch) {
        evaluation.run(plan, PASSED, scratch);
        NodeNameTable now = scratch.names();
        if (names != now) {
            followNames(cluster, now);
            names = now;
        }
        int words = NodeBits.words(now.limit());
        boolean more = !NodeBits.contains(passed, scratch.top(), words);
        if (passed.length != words) {
            passed = new long[words];
        }
        System.arraycopy(scratch.top(), 0, passed, 0, words);
        return more;
    }

    /** Follows nodes that have other slots now, and removes those that are gone. */
    private void followNames(ClusterView cluster, NodeNameTable now) {
        long[] followed = new long[NodeBits.words(now.limit())];
        for (int word = 0; word < passed.length; word++) {
            for (long left = passed[word]; left != 0; left &= left - 1) {
                int before = word << 6 | Long.numberOfTrailingZeros(left);
                String name =
                        Objects.requireNonNull(Objects.requireNonNull(names).name(before));
                int slot = Objects.equals(now.name(before), name) ? before : cluster.slotOfNode(name);
                if (slot >= 0) {
                    NodeBits.set(followed, slot);
                }
            }
        }
        passed = followed;
    }

    /** Judges only the nodes on which something was taken or freed, because nothing else has changed. */
    private boolean judgeMoved(ClusterView cluster, PlanEvaluation evaluation, long now) {
        boolean more = false;
        for (long move = resourceMoves; move < now; move++) {
            int slot = cluster.resourceMove(move);
            boolean passes = NodeBits.get(cluster.knownSlots(), slot) && evaluation.reasonAt(plan, slot) == null;
            more |= passes && !NodeBits.get(passed, slot);
            NodeBits.assign(passed, slot, passes);
        }
        return more;
    }

    /** Releases the plan. The caller must not hold the engine's lock. */
    void close() {
        pins.close();
        passed = new long[0];
    }
}
