package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.lock.StopSignal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Searches for the distribution of equal pods that exceeds the constraints least and, among those, has the fewest
 * moves. Each constraint is a level of a {@link DomainTree}: its domains are within maxSkew if all their counts are
 * within some window of that size. If that is impossible, windows become larger, with the least total excess over
 * maxSkew. All positions of the windows are tried if there are not too many; otherwise a sample.
 */
final class WindowSearch {
    /** More windows are sampled. */
    private static final long MAX_TRIALS = 1 << 16;

    private static final int TRIALS_A_CHECK = 1 << 8;

    /**
     * What a level asks for.
     *
     * @param minimumIsZero whether the global minimum is 0, whatever the counts are
     */
    record Limit(int maxSkew, boolean minimumIsZero) {}

    /** The best distribution. */
    static final class Found {
        /** By how much it exceeds the constraints, in all. */
        final int excess;

        /** How many pods must move. */
        final int moves;

        /** By level, the lowest and the highest count of its window. */
        final int[] lowest;

        final int[] highest;

        /** Whether there is none better. */
        final boolean exact;

        Found(int excess, int moves, int[] lowest, int[] highest, boolean exact) {
            this.excess = excess;
            this.moves = moves;
            this.lowest = lowest;
            this.highest = highest;
            this.exact = exact;
        }

        /**
         * Whether a search would find the same in a tree that differs only in that nodes can have fewer pods: no
         * windows are better there, and those that were tried before these are no better either.
         */
        boolean isFoundIn(DomainTree narrower) {
            return exact && narrower.staying(lowest, highest) == narrower.pods - moves;
        }
    }

    private final DomainTree tree;
    private final List<Limit> limits;
    private final DomainTree.Range[] ranges;
    private final int[] lowest;
    private final int[] highest;
    private final StopSignal stop;
    private boolean any;
    private long trials;
    private long step = 1;
    private int best;
    private int @Nullable [] bestLowest;
    private int[] bestHighest = {};

    private WindowSearch(DomainTree tree, List<Limit> limits, StopSignal stop) {
        this.tree = tree;
        this.limits = limits;
        this.stop = stop;
        ranges = new DomainTree.Range[limits.size()];
        for (int level = 0; level < ranges.length; level++) {
            ranges[level] = tree.range(level);
        }
        lowest = new int[ranges.length];
        highest = new int[ranges.length];
    }

    /**
     * Searches.
     *
     * @param limits by level
     * @param most an excess that can be reached
     * @return null if {@code most} cannot be reached
     */
    static @Nullable Found search(DomainTree tree, List<Limit> limits, int most, StopSignal stop) {
        WindowSearch search = new WindowSearch(tree.merged(), limits, stop);
        int excess = search.leastExcess(most);
        search.any = false;
        if (!search.reaches(excess)) {
            return null;
        }
        int[] lowest = search.bestLowest == null ? new int[0] : search.bestLowest;
        return new Found(excess, tree.pods - search.best, lowest, search.bestHighest, search.step == 1);
    }

    /** The least excess that can be reached, at most {@code most}. */
    private int leastExcess(int most) {
        any = true;
        if (most == 0 || reaches(0)) {
            return 0;
        }
        int no = 0;
        int yes = most;
        while (yes - no > 1) {
            int middle = (no + yes) >>> 1;
            if (reaches(middle)) {
                yes = middle;
            } else {
                no = middle;
            }
        }
        return yes;
    }

    /** Tries all windows with an excess; finds the one in which the most pods stay unless any will do. */
    private boolean reaches(int excess) {
        best = DomainTree.IMPOSSIBLE;
        bestLowest = null;
        step = Math.max(step, steps(excess));
        place(0, excess);
        return best != DomainTree.IMPOSSIBLE;
    }

    /** Every how many windows must be tried so that there are not too many trials. */
    private long steps(int excess) {
        double all = 1;
        for (int level = 0; level < ranges.length; level++) {
            all *= Math.max(1, last(level) - first(level, excess) + 1);
            all *= level == 0 ? 1 : 1 + excess;
        }
        int dimensions = Math.max(1, excess == 0 ? ranges.length : 2 * ranges.length - 1);
        return all <= MAX_TRIALS ? 1 : (long) Math.ceil(Math.pow(all / MAX_TRIALS, 1.0 / dimensions));
    }

    private void place(int level, int excess) {
        if (any && best != DomainTree.IMPOSSIBLE) {
            return;
        }
        if (level == ranges.length) {
            evaluate();
            return;
        }
        int least = level == ranges.length - 1 ? excess : 0;
        for (long here = excess; here >= least; here = here == least ? -1 : Math.max(least, here - step)) {
            place(level, (int) here, excess);
        }
    }

    private void place(int level, int here, int excess) {
        long size = (long) limits.get(level).maxSkew() + here;
        long first = first(level, here);
        for (long at = last(level); at >= first; at = at == first ? -1 : Math.max(first, at - step)) {
            lowest[level] = (int) at;
            highest[level] = (int) Math.min(Integer.MAX_VALUE, at + size);
            place(level + 1, excess - here);
        }
    }

    /** The first window of a level that can have all counts. */
    private long first(int level, int excess) {
        DomainTree.Range range = ranges[level];
        return limits.get(level).minimumIsZero()
                ? 0
                : Math.max(
                        0,
                        Math.max(ceilDiv(range.leastSum(), range.domains()), range.leastMaximum())
                                - limits.get(level).maxSkew()
                                - excess);
    }

    /** The last window of a level in which no count must be too low. */
    private long last(int level) {
        DomainTree.Range range = ranges[level];
        return limits.get(level).minimumIsZero() ? 0 : Math.min(range.mostSum() / range.domains(), range.mostMinimum());
    }

    private static long ceilDiv(long what, long by) {
        return (what + by - 1) / by;
    }

    private void evaluate() {
        if (++trials % TRIALS_A_CHECK == 0) {
            stop.check();
        }
        int staying = tree.staying(lowest, highest);
        if (staying > best) {
            best = staying;
            bestLowest = lowest.clone();
            bestHighest = highest.clone();
        }
    }
}
