package io.evenkeel.engine.answer;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/** Adds up the weighted scores of several plugins for each node, by slot. */
final class StockSums {
    /** The best score of a plugin. */
    static final int BEST = 100;

    private long[] sums = {};
    private long[] raw = {};

    /** Sets the sums of the slots in the first {@code words} words to 0. */
    void begin(int words) {
        if (sums.length < words << 6) {
            sums = new long[words << 6];
            raw = new long[words << 6];
        }
        Arrays.fill(sums, 0, words << 6, 0);
    }

    /** Adds scores from 0 to 100, times a weight, to the sums of some nodes. */
    void add(long[] slots, int words, int weight, IntToLongFunction score) {
        for (int w = 0; w < words; w++) {
            for (long left = slots[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                sums[slot] += weight * score.applyAsLong(slot);
            }
        }
    }

    /**
     * Adds scores that are normalised among these nodes (kube-scheduler's {@code DefaultNormalizeScore}): the highest
     * becomes 100.
     *
     * @param reverse whether a higher score is worse: then 100 is for a score of 0
     */
    void addNormalized(long[] slots, int words, int weight, boolean reverse, IntToLongFunction score) {
        long max = 0;
        for (int w = 0; w < words; w++) {
            for (long left = slots[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                raw[slot] = score.applyAsLong(slot);
                max = Math.max(max, raw[slot]);
            }
        }
        long highest = Math.max(1, max);
        add(slots, words, weight, slot -> reverse ? BEST - BEST * raw[slot] / highest : BEST * raw[slot] / highest);
    }

    /** The sum of a node to which scores were added. */
    long get(int slot) {
        return sums[slot];
    }

    /** Fills {@code top} with all of some nodes that have the highest sum of these. */
    void top(long[] slots, int words, long[] top) {
        // Extreme amounts can overflow a score, so that a sum is negative.
        long max = Long.MIN_VALUE;
        for (int w = 0; w < words; w++) {
            top[w] = 0;
            for (long left = slots[w]; left != 0; left &= left - 1) {
                int slot = w << 6 | Long.numberOfTrailingZeros(left);
                if (sums[slot] > max) {
                    Arrays.fill(top, 0, w + 1, 0);
                    max = sums[slot];
                }
                if (sums[slot] == max) {
                    top[w] |= left & -left;
                }
            }
        }
    }
}
