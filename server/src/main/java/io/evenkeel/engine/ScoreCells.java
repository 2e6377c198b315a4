package io.evenkeel.engine;

import org.jspecify.annotations.Nullable;

/**
 * The nodes considered, cut into cells by their domain in the one narrow topology that soft constraints look at: within a cell a score depends on one count alone, that of a
 * group over single nodes, and falls or stays as it rises.
 *
 * <pre>
 *   cell         a domain id of the narrow topology; 0 alone where there is none
 *   slots[cell]  its nodes
 *   part[cell]   what its domain's count adds to the raw score
 *   least[cell], greatest[cell]   the counts between which its nodes' are, both of which occur; least is above greatest where the cell is empty
 * </pre>
 */
final class ScoreCells {
    /** Each cell costs some looks through its nodes; with more of them, {@link ScoreTable} does better alone. */
    private static final int MOST_CELLS = 8;

    private static final long[] NO_SLOTS = {};

    private int cells;
    private long[][] slots = {};
    private long[][] own = {};
    private int[] least = {};
    private int[] greatest = {};
    private double[] part = {};
    private @Nullable WideCounts counts;
    private double countWeight;
    private double countBase;
    private long min;
    private long max;
    private long[] left = {};
    private long[] tried = {};

    /** Whether the plan has a joint histogram that tells the cells of the whole cluster. */
    static boolean areKept(PodPlan plan, Answer answer) {
        JointHistogram joint = plan.joint;
        return joint != null && joint.holds() && joint.topology.keepsSlots() && ScorePass.allCarryAll(plan, answer);
    }

    /** Takes the whole cluster as it is now, without a look at any node; {@link #areKept} must hold. */
    void takeWhole(PodPlan plan, JointHistogram joint, double[] weights) {
        int counting = plan.soft[0].group() == joint.group ? 0 : 1;
        begin(joint.topology.domainLimit());
        weigh(plan.soft[counting], weights[counting]);
        for (int cell = 0; cell < cells; cell++) {
            CountHistogram nodesAt = joint.nodesAt(cell);
            if (nodesAt.domains() > 0) {
                put(cell, joint.topology.slotsOf(cell), nodesAt.minimum(), nodesAt.maximum());
            }
        }
        finish(plan.soft[1 - counting], weights[1 - counting]);
    }

    /**
     * Takes the nodes considered, where the soft constraints are one over a narrow topology, or one over single nodes, or both; answers whether they are.
     *
     * @param considered all carry the constraints' labels
     */
    boolean take(PodPlan plan, double[] weights, long[] considered, int words) {
        int counting = -1;
        int zoning = -1;
        for (int i = 0; i < plan.soft.length; i++) {
            SpreadGroup group = plan.soft[i].group();
            if (group == null) {
                return false;
            }
            Topology topology = group.topology();
            if (topology.isWide() && topology.followers().length == 0 && counting < 0) {
                counting = i;
            } else if (topology.keepsSlots() && topology.domainLimit() <= MOST_CELLS && zoning < 0) {
                zoning = i;
            } else {
                return false;
            }
        }
        if (left.length < words) {
            left = new long[words];
            tried = new long[words];
        }
        PlannedConstraint counted = counting < 0 ? null : plan.soft[counting];
        PlannedConstraint zoned = zoning < 0 ? null : plan.soft[zoning];
        begin(zoned == null ? 1 : zoned.domains().topology.domainLimit());
        weigh(counted, counting < 0 ? 0 : weights[counting]);
        for (int cell = 0; cell < cells; cell++) {
            long[] nodes = zoned == null ? considered : own(cell, zoned, considered, words);
            if (NodeBits.intersects(nodes, nodes, words)) {
                WideCounts by = counts;
                put(cell, nodes, by == null ? 0 : by.least(nodes, words, left, tried), 0);
                greatest[cell] = by == null ? 0 : by.greatest(nodes, words, left, tried);
            }
        }
        finish(zoned, zoning < 0 ? 0 : weights[zoning]);
        return true;
    }

    private long[] own(int cell, PlannedConstraint zoned, long[] considered, int words) {
        if (own[cell].length < words) {
            own[cell] = new long[words];
        }
        NodeBits.intersection(considered, zoned.domains().topology.slotsOf(cell), own[cell], words);
        return own[cell];
    }

    private void begin(int howMany) {
        cells = howMany;
        if (least.length < howMany) {
            slots = new long[howMany][];
            own = new long[howMany][0];
            least = new int[howMany];
            greatest = new int[howMany];
            part = new double[howMany];
        }
        for (int cell = 0; cell < howMany; cell++) {
            slots[cell] = NO_SLOTS;
            least[cell] = 1;
            greatest[cell] = 0;
        }
    }

    private void weigh(@Nullable PlannedConstraint counted, double weight) {
        counts = counted == null ? null : (WideCounts) counted.counts();
        countWeight = weight;
        countBase = counted == null ? 0 : counted.source().maxSkew() - 1;
    }

    private void put(int cell, long[] nodes, int leastCount, int greatestCount) {
        slots[cell] = nodes;
        least[cell] = leastCount;
        greatest[cell] = greatestCount;
    }

    private void finish(@Nullable PlannedConstraint zoned, double weight) {
        min = Long.MAX_VALUE;
        max = 0;
        for (int cell = 0; cell < cells; cell++) {
            if (least[cell] <= greatest[cell]) {
                part[cell] = zoned == null
                        ? 0
                        : zoned.counts().get(cell) * weight + (zoned.source().maxSkew() - 1);
                min = Math.min(min, raw(cell, least[cell]));
                max = Math.max(max, raw(cell, greatest[cell]));
            }
        }
    }

    /** Cells are below this. */
    int cells() {
        return cells;
    }

    /** The cell's nodes. */
    long[] slots(int cell) {
        return slots[cell];
    }

    /** The counts that tell a cell's nodes apart; null where nothing does. */
    @Nullable
    WideCounts counts() {
        return counts;
    }

    int least(int cell) {
        return least[cell];
    }

    int greatest(int cell) {
        return greatest[cell];
    }

    int score(int cell, int count) {
        return ScorePass.normalised(raw(cell, count), min, max);
    }

    /** The greatest count, from {@code count} on, that has the same score as it. */
    int lastWithScoreOf(int cell, int count) {
        int low = count;
        int high = greatest[cell];
        if (low == high) {
            return high;
        }
        int score = score(cell, count);
        if (score(cell, high) == score) {
            return high;
        }
        if (score(cell, low + 1) != score) {
            return low;
        }
        while (low + 1 < high) {
            int middle = (low + high) >>> 1;
            if (score(cell, middle) == score) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** The sum of two parts does not depend on their order, so neither does its rounding. */
    private long raw(int cell, int count) {
        return Math.round(part[cell] + (count * countWeight + countBase));
    }
}
