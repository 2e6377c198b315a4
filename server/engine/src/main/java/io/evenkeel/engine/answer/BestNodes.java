package io.evenkeel.engine.answer;

import java.util.Arrays;
import java.util.Objects;

/**
 * The best nodes, filled from the first place on.
 *
 * <pre>
 *   slots[rank]    the node in that place; 0 is the best
 *   scores[rank]   its score, where the nodes are scored
 * </pre>
 */
final class BestNodes {
    private int[] slots = {};
    private byte[] scores = {};
    private int room;
    private int count;

    /** No place is asked for. */
    void begin() {
        room = 0;
        count = 0;
    }

    /**
     * Begins with so many places.
     *
     * @param words of a set of all slots
     */
    void begin(int places, int words) {
        room = Math.min(places, words << 6);
        count = 0;
        if (slots.length < room) {
            slots = new int[room];
            scores = new byte[room];
        }
    }

    boolean isFull() {
        return count == room;
    }

    int count() {
        return count;
    }

    /** Adds the slots of words {@code from} to {@code to} of a set, as far as there is room. */
    void add(long[] set, int from, int to) {
        int[] filled = slots;
        int end = room;
        int next = count;
        for (int w = from; w < to && next < end; w++) {
            for (long left = set[w]; left != 0 && next < end; left &= left - 1) {
                filled[next++] = w << 6 | Long.numberOfTrailingZeros(left);
            }
        }
        count = next;
    }

    /** Adds the slots of one word, until there are {@code target} nodes; there must be room for these. */
    void addWord(int word, long bits, int target) {
        int[] filled = slots;
        int next = count;
        for (long left = bits; left != 0 && next < target; left &= left - 1) {
            filled[next++] = word << 6 | Long.numberOfTrailingZeros(left);
        }
        count = next;
    }

    /** How many nodes there are once {@code more} are added, as far as there is room. */
    int countAfter(int more) {
        return Math.min(room, count + more);
    }

    /** Scores the nodes in the places from {@code from} on. */
    void score(int from, int score) {
        Arrays.fill(scores, from, count, (byte) score);
    }

    int slot(int rank) {
        return slots[Objects.checkIndex(rank, count)];
    }

    int score(int rank) {
        return scores[Objects.checkIndex(rank, count)];
    }
}
