package io.evenkeel.engine.answer;

import java.util.Arrays;

/**
 * Gives each distinct count a number from 0, in the order in which the counts appear. It is a small hash table with
 * linear probing, at most half full.
 */
final class DistinctCounts {
    static final int NONE = -1;

    private final int most;
    private final int[] placeOf;
    private final int[] counts;
    private int size;

    /** @param most how many distinct counts there may be; a power of two */
    DistinctCounts(int most) {
        this.most = most;
        placeOf = new int[2 * most];
        counts = new int[most];
    }

    void clear() {
        size = 0;
        Arrays.fill(placeOf, NONE);
    }

    int count(int place) {
        return counts[place];
    }

    /** The number of {@code count}; a new count gets a new number. NONE if there are too many distinct counts. */
    int placeOf(int count) {
        int mask = placeOf.length - 1;
        int cell = count * 0x9E37_79B9 >>> 16 & mask;
        while (placeOf[cell] != NONE) {
            if (counts[placeOf[cell]] == count) {
                return placeOf[cell];
            }
            cell = cell + 1 & mask;
        }
        if (size == most) {
            return NONE;
        }
        counts[size] = count;
        placeOf[cell] = size;
        return size++;
    }
}
