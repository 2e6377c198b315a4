package io.evenkeel.engine.answer;

import java.util.Arrays;
import java.util.Objects;

/**
 * The best nodes of an answer, filled from the first place on.
 *
 * <pre>
 *   slots[rank]    the node at that rank; 0 is the best
 *   scores[rank]   its score, if the nodes are scored
 * </pre>
 */
final class BestNodes {
    private int[] slots = {};
    private byte[] scores = {};
    private int room;
    private int count;

    /** Begins an answer without best nodes. */
    void begin() {
        room = 0;
        count = 0;
    }

    /**
     * Begins an answer with at most {@code places} best nodes.
     *
     * @param words how many words a set of all slots has
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

    /** Adds the slots in words {@code from} to {@code to} of a set, as long as there is room. */
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

    /** Adds the slots of one word, until there are {@code target} nodes. There must be room for these. */
    void addWord(int word, long bits, int target) {
        int[] filled = slots;
        int next = count;
        for (long left = bits; left != 0 && next < target; left &= left - 1) {
            filled[next++] = word << 6 | Long.numberOfTrailingZeros(left);
        }
        count = next;
    }

    /** How many nodes there will be when {@code more} are added, as far as there is room. */
    int countAfter(int more) {
        return Math.min(room, count + more);
    }

    /** Sets the score of the nodes from rank {@code from} on. */
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
