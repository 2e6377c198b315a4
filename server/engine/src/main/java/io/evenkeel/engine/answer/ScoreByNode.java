package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import java.util.Arrays;

/**
 * Scores one node after another. It works for all soft constraints, and is used if {@link ScoreCells} cannot divide the
 * nodes, or if the scores would take too many steps.
 */
final class ScoreByNode {
    private final DomainWeights weights;
    private final ScoreRange range = new ScoreRange();
    private double[] sums = {};

    ScoreByNode(DomainWeights weights) {
        this.weights = weights;
    }

    /**
     * Scores the nodes considered. All scores must be 0 before.
     *
     * @param words how many words a set of all slots has
     */
    void run(PodPlan plan, long[] considered, int words, ScorePlanes planes) {
        if (sums.length < words << 6) {
            sums = new double[words << 6];
        }
        Arrays.fill(sums, 0, words << 6, 0);
        for (PlannedConstraint constraint : plan.soft) {
            int domains = weights.domainsAmong(constraint.domains().topology, considered, words);
            addParts(constraint, weights.weight(domains), considered, words);
        }
        long min = Long.MAX_VALUE;
        long max = 0;
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                long raw = Math.round(sums[w << 6 | Long.numberOfTrailingZeros(left)]);
                min = Math.min(min, raw);
                max = Math.max(max, raw);
            }
        }
        range.begin();
        range.cover(min, max);
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                planes.set(w, bit, range.score(Math.round(sums[w << 6 | bit])));
            }
        }
    }

    private void addParts(PlannedConstraint constraint, double weight, long[] considered, int words) {
        double base = constraint.source().maxSkew() - 1;
        long[] carriers = constraint.label().carriers();
        SpreadGroup group = constraint.group();
        int[] domainOf = constraint.domains().topology.domainsBySlot();
        for (int w = 0; w < words; w++) {
            for (long left = considered[w] & carriers[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                sums[slot] += group == null ? base : group.counts().get(domainOf[slot]) * weight + base;
            }
        }
    }
}
