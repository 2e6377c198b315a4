package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PlannedConstraint;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The verdicts on nodes: which nodes are candidates, which of them have passed so far, and which rule has excluded the
 * others. The passes exclude nodes step by step; {@link Answer} shows the result.
 *
 * <pre>
 *   candidates   the nodes that are judged
 *   passed       the candidates that no rule has excluded so far
 *   excluded[r]  the candidates that rule r is the first to exclude; the others were excluded by skew
 *   lacking[k]   the candidates that resources are the first to exclude and that lack kind k of them
 * </pre>
 *
 * All are sets of slots of {@code words} words. The arrays may be longer, because they are reused for other clusters.
 */
final class Verdicts {
    private static final Reason[] REASONS = Reason.values();

    private int nodes;
    private int words;
    private boolean judged;
    private boolean recorded;
    private long[] candidates = {};
    private long[] passed = {};
    private final long[][] excluded = new long[REASONS.length][0];
    private final boolean[] excludes = new boolean[REASONS.length];
    private String[] shortages = {};
    private long[][] lacking = {};
    private int kinds;

    /**
     * Begins an answer without candidates.
     *
     * @param knownNodes how many nodes the cluster has
     * @param wordsOfSlots how many words a set of all its slots has
     */
    void begin(int knownNodes, int wordsOfSlots) {
        nodes = knownNodes;
        words = wordsOfSlots;
        if (candidates.length < words) {
            candidates = new long[words];
            passed = new long[words];
        }
        Arrays.fill(excludes, false);
        kinds = 0;
        judged = false;
        recorded = true;
    }

    /** Sets the candidates. All have passed so far. */
    void judge(long[] slots) {
        judged = true;
        int given = Math.min(words, slots.length);
        System.arraycopy(slots, 0, candidates, 0, given);
        Arrays.fill(candidates, given, words, 0);
        System.arraycopy(candidates, 0, passed, 0, words);
    }

    /** Sets the candidates, as {@link #judge} does, but only {@link #passed} is known about them afterwards. */
    void sift(long[] slots) {
        recorded = false;
        int given = Math.min(words, slots.length);
        System.arraycopy(slots, 0, passed, 0, given);
        Arrays.fill(passed, given, words, 0);
    }

    /** Keeps the slots of {@code slots} as passed, and records the others as excluded by {@code reason}. */
    void keep(long[] slots, Reason reason) {
        if (!recorded) {
            NodeBits.and(passed, slots, 0, words);
            return;
        }
        int r = reason.ordinal();
        if (excluded[r].length < words) {
            excluded[r] = new long[words];
        }
        long[] out = excluded[r];
        long[] left = passed;
        if (!excludes[r]) {
            excludes[r] = true;
            Arrays.fill(out, 0, words, 0);
        }
        int common = Math.min(words, slots.length);
        for (int w = 0; w < common; w++) {
            out[w] |= left[w] & ~slots[w];
            left[w] &= slots[w];
        }
        for (int w = common; w < words; w++) {
            out[w] |= left[w];
            left[w] = 0;
        }
    }

    /** Keeps the slots on which the pod fits, and records what the others lack. */
    void keepFitting(NodeFit fit) {
        if (!recorded) {
            NodeBits.and(passed, fit.fitting(), 0, words);
            return;
        }
        if (NodeBits.contains(fit.fitting(), passed, words)) {
            return;
        }
        keep(fit.possible(), Reason.RESOURCES_OF_NODE);
        keep(fit.fitting(), Reason.FREE_RESOURCES);
        long[] impossible = excluded[Reason.RESOURCES_OF_NODE.ordinal()];
        long[] full = excluded[Reason.FREE_RESOURCES.ordinal()];
        kinds = fit.kinds();
        if (lacking.length < kinds) {
            lacking = Arrays.copyOf(lacking, kinds);
            shortages = Arrays.copyOf(shortages, kinds);
        }
        for (int k = 0; k < kinds; k++) {
            long[] of = fit.lacking(k);
            if (lacking[k] == null || lacking[k].length < words) {
                lacking[k] = new long[words];
            }
            for (int w = 0; w < words; w++) {
                lacking[k][w] = of[w] & (impossible[w] | full[w]);
            }
            shortages[k] = fit.message(k);
        }
    }

    /** kube-scheduler's messages for the kinds of resources that candidates may lack; empty if none lacks any. */
    List<String> shortages() {
        requireJudged();
        return Arrays.asList(shortages).subList(0, kinds);
    }

    /** How many candidates resources are the first to exclude and lack a kind. */
    int lackingCount(int kind) {
        return NodeBits.cardinality(lacking[Objects.checkIndex(kind, kinds)], words);
    }

    /** Whether resources are the first to exclude a candidate, and it lacks a kind. */
    boolean lacks(int slot, int kind) {
        return isCandidate(slot) && NodeBits.get(lacking[Objects.checkIndex(kind, kinds)], slot);
    }

    int words() {
        return words;
    }

    /** Whether every node of the cluster has the label of {@code topology}. */
    boolean everyNodeIn(Topology topology) {
        return topology.carrierCount() == nodes;
    }

    /** Whether every node of the cluster has the topology key of each of these constraints. */
    boolean everyNodeInAll(PlannedConstraint[] constraints) {
        for (PlannedConstraint constraint : constraints) {
            if (!everyNodeIn(constraint.label())) {
                return false;
            }
        }
        return true;
    }

    /** Whether every node of the cluster is a candidate and has passed so far. */
    boolean everyNodePassed() {
        return NodeBits.cardinality(passed, words) == nodes;
    }

    /**
     * The candidates that have passed so far. A pass may remove nodes from this set directly if it records no reason.
     */
    long[] passed() {
        return passed;
    }

    boolean isCandidate(int slot) {
        requireJudged();
        return slot < words * 64 && NodeBits.get(candidates, slot);
    }

    boolean isPassed(int slot) {
        requireJudged();
        return slot < words * 64 && NodeBits.get(passed, slot);
    }

    /** The first rule that excludes a candidate; null if it passed or is not a candidate. */
    @Nullable
    Reason reason(int slot) {
        if (!isCandidate(slot) || isPassed(slot)) {
            return null;
        }
        for (int r = 0; r < REASONS.length; r++) {
            if (excludes[r] && NodeBits.get(excluded[r], slot)) {
                return REASONS[r];
            }
        }
        return Reason.SKEW;
    }

    int candidateCount() {
        requireJudged();
        return NodeBits.cardinality(candidates, words);
    }

    int passedCount() {
        requireJudged();
        return NodeBits.cardinality(passed, words);
    }

    /** How many candidates a rule is the first to exclude. */
    int excludedBy(Reason reason) {
        if (reason != Reason.SKEW) {
            return excludes[reason.ordinal()] ? NodeBits.cardinality(excluded[reason.ordinal()], words) : 0;
        }
        int others = 0;
        for (Reason each : REASONS) {
            if (each != Reason.SKEW) {
                others += excludedBy(each);
            }
        }
        return candidateCount() - passedCount() - others;
    }

    /** The candidates of one word that are UnschedulableAndUnresolvable. */
    long unresolvable(int word) {
        long unresolvable = 0;
        for (int r = 0; r < REASONS.length; r++) {
            if (excludes[r] && REASONS[r].code() == VerdictCode.UNSCHEDULABLE_AND_UNRESOLVABLE) {
                unresolvable |= excluded[r][word];
            }
        }
        return unresolvable;
    }

    void requireJudged() {
        if (!judged) {
            throw new IllegalStateException("only the best nodes were asked for (Question.Detail.BEST)");
        }
    }
}
