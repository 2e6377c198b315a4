package io.evenkeel.engine.index;

import java.util.Arrays;

/**
 * A small set of slots, as the words that are not empty and their contents.
 *
 * <pre>
 *   words   3   17   18        rising; the first {@code size} are in use
 *   bits    b3  b17  b18       never 0
 * </pre>
 *
 * A rack of 20 nodes takes 1 to 20 pairs, whatever the size of the cluster is.
 */
final class SlotList {
    private int[] words = new int[1];
    private long[] bits = new long[1];
    private int size;

    void add(int slot) {
        int word = slot >>> 6;
        int at = size == 0 || words[size - 1] < word ? size : lowerBound(word);
        if (at == size || words[at] != word) {
            insert(at, word);
        }
        bits[at] |= 1L << slot;
    }

    /** Removes a slot that is in the set. */
    void remove(int slot) {
        int at = lowerBound(slot >>> 6);
        bits[at] &= ~(1L << slot);
        if (bits[at] == 0) {
            size--;
            System.arraycopy(words, at + 1, words, at, size - at);
            System.arraycopy(bits, at + 1, bits, at, size - at);
        }
    }

    /** Whether any slot of the set is in the first {@code end} words of {@code slots}. */
    boolean intersects(long[] slots, int end) {
        for (int i = 0; i < size && words[i] < end; i++) {
            if ((slots[words[i]] & bits[i]) != 0) {
                return true;
            }
        }
        return false;
    }

    /** Adds the slots of the set that are in the first {@code end} words of {@code slots} to {@code target}. */
    void addCommon(long[] slots, long[] target, int end) {
        for (int i = 0; i < size && words[i] < end; i++) {
            target[words[i]] |= slots[words[i]] & bits[i];
        }
    }

    /** Removes the slots of the set from words {@code from} to {@code to} of {@code slots}. */
    void takeOutOf(long[] slots, int from, int to) {
        for (int i = from == 0 ? 0 : lowerBound(from); i < size && words[i] < to; i++) {
            slots[words[i]] &= ~bits[i];
        }
    }

    /** The position of the first entry whose word is {@code word} or above. */
    private int lowerBound(int word) {
        int low = 0;
        int high = size;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (words[middle] < word) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private void insert(int at, int word) {
        if (size == words.length) {
            words = Arrays.copyOf(words, size * 2);
            bits = Arrays.copyOf(bits, size * 2);
        }
        System.arraycopy(words, at, words, at + 1, size - at);
        System.arraycopy(bits, at, bits, at + 1, size - at);
        words[at] = word;
        bits[at] = 0;
        size++;
    }
}
