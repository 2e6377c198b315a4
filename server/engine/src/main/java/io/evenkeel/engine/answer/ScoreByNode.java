package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import java.util.Arrays;

/**
 * Scores node by node, whatever the soft constraints are: for those that {@link ScoreCells} cannot cut, or whose scores
 * take too many steps.
 */
final class ScoreByNode {
    private double[] sums = {};

    /**
     * Scores the nodes considered, each so far 0.
     *
     * @param words of the node table
     */
    void run(PodPlan plan, long[] considered, int words, Answer.Scratch scratch, ScorePlanes planes) {
        if (sums.length < words << 6) {
            sums = new double[words << 6];
        }
        Arrays.fill(sums, 0, words << 6, 0);
        for (PlannedConstraint constraint : plan.soft) {
            int domains = ScorePass.domainsAmong(constraint.domains().topology, considered, words, scratch);
            addParts(constraint, scratch.weight(domains), considered, words);
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
        for (int w = 0; w < words; w++) {
            for (long left = considered[w]; left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                planes.set(w, bit, ScorePass.normalised(Math.round(sums[w << 6 | bit]), min, max));
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
