package io.evenkeel.engine.answer;

import io.evenkeel.engine.index.CountHistogram;
import io.evenkeel.engine.index.DomainCounts;
import io.evenkeel.engine.index.JointHistogram;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.index.WideCounts;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Divides the nodes considered into cells: sets of nodes whose raw scores differ only by one count, that of a group
 * over single nodes (hostnames). The raw score never falls when this count rises. Nodes whose domains have equal counts
 * are in one cell.
 *
 * <pre>
 *   slots[cell]                   its nodes
 *   parts[cell · soft + i]        what soft constraint i adds to the raw score; unused if i counts by node
 *   counted[cell]                 whether the count by node adds to the raw score; if not, least and greatest are 0
 *   least[cell], greatest[cell]   the least and the greatest count of its nodes; least is above greatest if
 *                                 the cell is empty
 *   held[cell]                    the counts above the least that occur, perhaps with some that do not
 * </pre>
 *
 * Each call of {@link #take} or {@link #takeWhole} computes all of this again; {@code take} omits the last two lines.
 * Before scores are asked for, {@link #rate} must be called.
 */
final class ScoreCells {
    /** As many as the most domains in a {@link JointHistogram}. With more cells, scoring node by node is faster. */
    private static final int MAX_CELLS = Topology.BITS_LIMIT;

    private static final int NONE = -1;
    private static final CountHistogram NOTHING_HELD = new CountHistogram();
    private static final PlannedConstraint[] NO_CONSTRAINTS = {};

    private final DomainWeights domainWeights;
    private final ScoreRange range = new ScoreRange();
    private PlannedConstraint[] soft = NO_CONSTRAINTS;
    private double[] weights = {};
    private double[] bases = {};
    private int counting;
    private @Nullable WideCounts counts;
    private int cells;

    /** Whether {@code least}, {@code greatest} and {@code held} are known. */
    private boolean bounded;

    private final CountHistogram[] held = new CountHistogram[MAX_CELLS];
    private final int[] least = new int[MAX_CELLS];
    private final int[] greatest = new int[MAX_CELLS];
    private long[][] slots = new long[MAX_CELLS][];
    private boolean[] counted = new boolean[MAX_CELLS];
    private double[] parts = {};

    /** The sum over the constraints before the one that counts by node; over all constraints, if none does. */
    private final double[] lead = new double[MAX_CELLS];

    /** The new cells of a cut, before they replace the old ones. */
    private long[][] cutSlots = new long[MAX_CELLS][];

    private boolean[] cutCounted = new boolean[MAX_CELLS];
    private double[] cutParts = {};

    /** The sets of nodes to which one soft constraint adds the same value. Together they are the nodes considered. */
    private final long[][] alike = new long[MAX_CELLS][];

    private final double[] partOfAlike = new double[MAX_CELLS];
    private final boolean[] alikeCounted = new boolean[MAX_CELLS];
    private int alikes;

    private final DistinctCounts distinct = new DistinctCounts(MAX_CELLS);
    private final SlotSets room = new SlotSets();
    private long[] left = {};
    private long[] tried = {};

    ScoreCells(DomainWeights domainWeights) {
        this.domainWeights = domainWeights;
    }

    /**
     * Makes cells of the whole cluster, one for each domain, without looking at any node.
     *
     * @param joint the joint histogram of the plan, for which {@link JointHistogram#holds}; every node must have every
     *     soft topology key
     */
    void takeWhole(PodPlan plan, JointHistogram joint) {
        begin(plan);
        int byNode = plan.soft[0].group() == joint.group ? 0 : 1;
        int zoned = 1 - byNode;
        for (int i = 0; i < 2; i++) {
            weights[i] = domainWeights.weight(soft[i].domains().topology.domains());
        }
        countBy(byNode);
        cells = joint.topology.domainLimit();
        for (int cell = 0; cell < cells; cell++) {
            CountHistogram nodesAt = joint.nodesAt(cell);
            boolean any = nodesAt.domains() > 0;
            slots[cell] = joint.topology.slotsOf(cell);
            counted[cell] = true;
            held[cell] = nodesAt;
            least[cell] = any ? nodesAt.minimum() : 1;
            greatest[cell] = any ? nodesAt.maximum() : 0;
            parts[cell * 2 + zoned] = part(zoned, soft[zoned].counts().get(cell));
        }
        bounded = true;
        lead();
    }

    /**
     * Makes cells of the nodes considered; returns whether there are few enough.
     *
     * @param whole whether these are all nodes of the cluster, and each has every soft topology key
     */
    boolean take(PodPlan plan, long[] considered, boolean whole, int words) {
        begin(plan);
        room.begin(words);
        cells = NodeBits.intersects(considered, considered, words) ? 1 : 0;
        slots[0] = considered;
        counted[0] = false;
        for (int i = 0; i < soft.length && cells > 0; i++) {
            boolean complete = whole || NodeBits.contains(soft[i].label().carriers(), considered, words);
            if (!findAlike(i, considered, whole, complete, words) || !cut(i, words)) {
                return false;
            }
        }
        lead();
        return true;
    }

    /**
     * Fills {@code top} with all nodes that have the best score; returns whether there are any nodes. These are the
     * nodes with the lowest raw score, because only that is normalised to 100.
     */
    boolean top(long[] top, int words) {
        Arrays.fill(top, 0, words, 0);
        roomForSets(words);
        long lowest = Long.MAX_VALUE;
        for (int cell = 0; cell < cells; cell++) {
            if (bounded && (least[cell] > greatest[cell] || raw(cell, least[cell]) > lowest)) {
                continue;
            }
            long[] nodes = slots[cell];
            int count = 0;
            WideCounts by = counts;
            if (by != null && counted[cell]) {
                int known = Math.min(words, nodes.length);
                System.arraycopy(nodes, 0, left, 0, known);
                Arrays.fill(left, known, words, 0);
                count = by.retainLeast(left, words);
                nodes = left;
            }
            long raw = raw(cell, count);
            if (raw <= lowest && NodeBits.intersects(nodes, nodes, words)) {
                if (raw < lowest) {
                    lowest = raw;
                    Arrays.fill(top, 0, words, 0);
                }
                NodeBits.addCommon(nodes, nodes, top, words);
            }
        }
        return lowest != Long.MAX_VALUE;
    }

    /** Drops references to the plan's parts. */
    void release() {
        soft = NO_CONSTRAINTS;
        counts = null;
        cells = 0;
        Arrays.fill(held, null);
        Arrays.fill(slots, null);
        Arrays.fill(cutSlots, null);
    }

    private void begin(PodPlan plan) {
        soft = plan.soft;
        counting = NONE;
        counts = null;
        bounded = false;
        if (weights.length < soft.length) {
            weights = new double[soft.length];
            bases = new double[soft.length];
            parts = new double[MAX_CELLS * soft.length];
            cutParts = new double[MAX_CELLS * soft.length];
        }
        for (int i = 0; i < soft.length; i++) {
            bases[i] = soft[i].source().maxSkew() - 1;
        }
    }

    /** Sets that soft constraint {@code i} is the one that counts by node. */
    private void countBy(int i) {
        counting = i;
        counts = (WideCounts) soft[i].counts();
    }

    /**
     * Divides the nodes considered into sets to which constraint {@code i} adds the same value; returns whether that
     * was possible.
     */
    private boolean findAlike(int i, long[] considered, boolean whole, boolean complete, int words) {
        alikes = 0;
        long[] carrying = complete ? considered : carrying(i, considered, words);
        SpreadGroup group = soft[i].group();
        boolean could = true;
        if (group == null) {
            addAlike(carrying, bases[i], false);
        } else if (!group.topology().isWide()) {
            could = findAlikeByCounts(i, considered, carrying, whole, words);
        } else if (counting == NONE && group.topology().followers().length == 0) {
            countBy(i);
            weights[i] = domainWeights.weight(NodeBits.cardinality(considered, words));
            addAlike(carrying, 0, true);
        } else {
            could = false;
        }
        if (could && !complete) {
            could = alikes < MAX_CELLS;
            if (could) {
                long[] lacking = room.next();
                NodeBits.difference(considered, carrying, lacking, words);
                addAlike(lacking, 0, false);
            }
        }
        return could;
    }

    private long[] carrying(int i, long[] considered, int words) {
        long[] carrying = room.next();
        NodeBits.intersection(considered, soft[i].label().carriers(), carrying, words);
        return carrying;
    }

    private void addAlike(long[] set, double part, boolean counts) {
        alike[alikes] = set;
        partOfAlike[alikes] = part;
        alikeCounted[alikes++] = counts;
    }

    /** Puts nodes whose domains have equal counts into one set. */
    private boolean findAlikeByCounts(int i, long[] considered, long[] carrying, boolean whole, int words) {
        Topology topology = soft[i].domains().topology;
        DomainCounts byDomain = soft[i].counts();
        boolean dense = topology.keepsSlots();
        distinct.clear();
        int domains = 0;
        for (int domain = 0; domain < topology.domainLimit(); domain++) {
            if (topology.isDomain(domain) && (whole || topology.isAmong(domain, considered, words))) {
                domains++;
                if (carrying == considered || topology.isAmong(domain, carrying, words)) {
                    int place = distinct.placeOf(byDomain.get(domain));
                    if (place == DistinctCounts.NONE) {
                        return false;
                    }
                    if (place == alikes) {
                        addAlike(dense ? room.next() : room.nextEmpty(), 0, false);
                        if (dense) {
                            NodeBits.intersection(carrying, topology.slotsOf(domain), alike[place], words);
                            continue;
                        }
                    }
                    topology.addCommon(domain, carrying, alike[place], words);
                }
            }
        }
        weights[i] = domainWeights.weight(domains);
        for (int place = 0; place < alikes; place++) {
            partOfAlike[place] = part(i, distinct.count(place));
        }
        return true;
    }

    /** Divides the cells by the sets of constraint {@code i}; returns whether there are still few enough cells. */
    private boolean cut(int i, int words) {
        int made = 0;
        for (int cell = 0; cell < cells; cell++) {
            for (int a = 0; a < alikes; a++) {
                long[] both = alike[a];
                if (alikes == 1) {
                    both = slots[cell];
                } else if (cells > 1) {
                    both = room.next();
                    if (!NodeBits.intersection(slots[cell], alike[a], both, words)) {
                        room.giveBack();
                        continue;
                    }
                }
                if (made == MAX_CELLS) {
                    return false;
                }
                cutSlots[made] = both;
                cutCounted[made] = counted[cell] || alikeCounted[a];
                System.arraycopy(parts, cell * soft.length, cutParts, made * soft.length, i);
                cutParts[made++ * soft.length + i] = partOfAlike[a];
            }
        }
        long[][] emptiedSlots = slots;
        boolean[] emptiedCounted = counted;
        double[] emptiedParts = parts;
        slots = cutSlots;
        counted = cutCounted;
        parts = cutParts;
        cutSlots = emptiedSlots;
        cutCounted = emptiedCounted;
        cutParts = emptiedParts;
        cells = made;
        return true;
    }

    /** Finds the least and the greatest count of a cell's nodes. */
    private void bound(int cell, int words) {
        WideCounts by = counts;
        least[cell] = 0;
        greatest[cell] = 0;
        held[cell] = NOTHING_HELD;
        if (by != null && counted[cell]) {
            roomForSets(words);
            least[cell] = by.least(slots[cell], words, left, tried);
            greatest[cell] = by.greatest(slots[cell], words, left, tried);
            held[cell] = soft[counting].histogram();
        }
    }

    private void roomForSets(int words) {
        if (left.length < words) {
            left = new long[words];
            tried = new long[words];
        }
    }

    /** Sums up what is the same for all nodes of a cell, up to the constraint that counts by node. */
    private void lead() {
        int leading = counting == NONE ? soft.length : counting;
        for (int cell = 0; cell < cells; cell++) {
            double sum = 0;
            for (int i = 0; i < leading; i++) {
                sum += parts[cell * soft.length + i];
            }
            lead[cell] = sum;
        }
    }

    /** Computes the range of raw scores, from which the scores follow. */
    void rate(int words) {
        range.begin();
        for (int cell = 0; cell < cells; cell++) {
            if (!bounded) {
                bound(cell, words);
            }
            if (least[cell] <= greatest[cell]) {
                range.cover(raw(cell, least[cell]), raw(cell, greatest[cell]));
            }
        }
        bounded = true;
    }

    private double part(int i, int count) {
        return count * weights[i] + bases[i];
    }

    /** Cells are below this. */
    int cells() {
        return cells;
    }

    /** The cell's nodes. */
    long[] slots(int cell) {
        return slots[cell];
    }

    /** The counts by which the scores of a cell's nodes differ; null if all its nodes have the same score. */
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
        return range.score(raw(cell, count));
    }

    /** The greatest count, from {@code count} on, with the same score as {@code count}. */
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

    /**
     * The least count above {@code count} that a node of the cell may have. A node has the count {@code greatest},
     * which is above {@code count}.
     */
    int nextAbove(int cell, int count, int greatest) {
        int next = held[cell].nextHeld(count + 1);
        return next == CountHistogram.NONE ? greatest : Math.min(next, greatest);
    }

    /**
     * The greatest count below {@code count} that a node of the cell may have. A node has the count {@code least},
     * which is below {@code count}.
     */
    int lastBelow(int cell, int count, int least) {
        return Math.max(held[cell].lastHeld(count - 1), least);
    }

    /**
     * The raw score. It is added up in the order of the constraints, because a sum of more than two doubles depends on
     * the order.
     */
    private long raw(int cell, int count) {
        double sum = lead[cell];
        if (counting != NONE) {
            if (counted[cell]) {
                sum += part(counting, count);
            }
            int end = (cell + 1) * soft.length;
            for (int at = cell * soft.length + counting + 1; at < end; at++) {
                sum += parts[at];
            }
        }
        return Math.round(sum);
    }
}
