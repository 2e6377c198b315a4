package io.evenkeel.engine.answer;

import java.util.Arrays;

/** Room for sets of slots, handed out one after another and taken back all at once. */
final class SlotSets {
    private long[][] sets = new long[8][0];
    private int used;
    private int words;

    /** Takes all back; those handed out from now on have room for {@code howManyWords}. */
    void begin(int howManyWords) {
        used = 0;
        words = howManyWords;
    }

    /** A set that holds what it held before: to be written over. */
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

    /** A set that is empty in the words asked for. */
    long[] nextEmpty() {
        long[] set = next();
        Arrays.fill(set, 0, words, 0);
        return set;
    }

    /** Takes the last one back. */
    void giveBack() {
        used--;
    }
}
