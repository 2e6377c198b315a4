package io.evenkeel.engine.answer;

import java.util.Arrays;

/** Lends arrays as working memory for sets of slots. All are returned at once, and reused. */
final class SlotSets {
    private long[][] sets = new long[8][0];
    private int used;
    private int words;

    /** Returns all sets to the pool. From now on, sets have room for {@code howManyWords} words. */
    void begin(int howManyWords) {
        used = 0;
        words = howManyWords;
    }

    /** A set with its old contents, which the caller must overwrite. */
    long[] next() {
        if (used == sets.length) {
            sets = Arrays.copyOf(sets, used * 2);
            Arrays.fill(sets, used, used * 2, new long[0]);
        }
        if (sets[used].length < words) {
            sets[used] = new long[words];
        }
        return sets[used++];
    }

    /** A set that is empty in the words of {@link #begin}. */
    long[] nextEmpty() {
        long[] set = next();
        Arrays.fill(set, 0, words, 0);
        return set;
    }

    /** Returns the last set to the pool. */
    void giveBack() {
        used--;
    }
}
