package io.evenkeel.engine.memory;

import java.util.Arrays;

/**
 * Operations on sets of node slots that are kept as arrays of words: slot {@code s} is bit {@code s & 63} of word
 * {@code s >> 6}. Two sets may differ in length; slots past the end of a set are not in it.
 */
public final class NodeBits {
    private NodeBits() {}

    public static int words(int slots) {
        return (slots + 63) >>> 6;
    }

    public static boolean get(long[] bits, int slot) {
        int word = slot >>> 6;
        return word < bits.length && (bits[word] >>> slot & 1) != 0;
    }

    public static void set(long[] bits, int slot) {
        bits[slot >>> 6] |= 1L << slot;
    }

    public static void clear(long[] bits, int slot) {
        bits[slot >>> 6] &= ~(1L << slot);
    }

    public static void assign(long[] bits, int slot, boolean value) {
        if (value) {
            set(bits, slot);
        } else {
            clear(bits, slot);
        }
    }

    /** A copy of each of the sets. */
    public static long[][] copy(long[][] sets) {
        long[][] copies = new long[sets.length][];
        for (int i = 0; i < sets.length; i++) {
            copies[i] = sets[i].clone();
        }
        return copies;
    }

    /** {@code bits}, or a longer copy with room for {@code slots}. */
    public static long[] grow(long[] bits, int slots) {
        return bits.length >= words(slots) ? bits : Arrays.copyOf(bits, words(slots));
    }

    /** {@code target &= other} over the words {@code from} to {@code to} of {@code target}. */
    public static void and(long[] target, long[] other, int from, int to) {
        int common = Math.min(to, other.length);
        for (int w = from; w < common; w++) {
            target[w] &= other[w];
        }
        Arrays.fill(target, Math.max(from, common), Math.max(from, to), 0);
    }

    /** {@code target &= ~other} over the words {@code from} to {@code to} of {@code target}. */
    public static void andNot(long[] target, long[] other, int from, int to) {
        int common = Math.min(to, other.length);
        for (int w = from; w < common; w++) {
            target[w] &= ~other[w];
        }
    }

    /**
     * Sets the first {@code words} words of {@code target} to the slots that are in both sets; returns whether there
     * are any.
     */
    public static boolean intersection(long[] one, long[] other, long[] target, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        long any = 0;
        for (int w = 0; w < common; w++) {
            long both = one[w] & other[w];
            target[w] = both;
            any |= both;
        }
        Arrays.fill(target, common, words, 0);
        return any != 0;
    }

    /**
     * Sets the first {@code words} words of {@code target} to the slots in {@code one} that are not in {@code other};
     * returns whether there are any. {@code one} must have at least that many words.
     */
    public static boolean difference(long[] one, long[] other, long[] target, int words) {
        int common = Math.min(words, other.length);
        long any = 0;
        for (int w = 0; w < common; w++) {
            long less = one[w] & ~other[w];
            target[w] = less;
            any |= less;
        }
        for (int w = common; w < words; w++) {
            target[w] = one[w];
            any |= one[w];
        }
        return any != 0;
    }

    /** Adds the slots that are in both sets to {@code target}, within its first {@code words} words. */
    public static void addCommon(long[] one, long[] other, long[] target, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        for (int w = 0; w < common; w++) {
            target[w] |= one[w] & other[w];
        }
    }

    /** {@code target ^= other} over {@code words} words. Both must have at least that many. */
    public static void xor(long[] target, long[] other, int words) {
        for (int w = 0; w < words; w++) {
            target[w] ^= other[w];
        }
    }

    /** {@code target ^= one & other} over {@code words} words of {@code target}. */
    public static void xorCommon(long[] target, long[] one, long[] other, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        for (int w = 0; w < common; w++) {
            target[w] ^= one[w] & other[w];
        }
    }

    /** {@code target |= ~other} over the words {@code from} to {@code to} of {@code target}. */
    public static void orNot(long[] target, long[] other, int from, int to) {
        int common = Math.min(to, other.length);
        for (int w = from; w < common; w++) {
            target[w] |= ~other[w];
        }
        Arrays.fill(target, Math.max(from, common), Math.max(from, to), -1L);
    }

    public static int cardinality(long[] bits, int words) {
        int total = 0;
        for (int w = 0; w < words; w++) {
            total += Long.bitCount(bits[w]);
        }
        return total;
    }

    /** Whether every slot of {@code part} is in {@code whole}. */
    public static boolean contains(long[] whole, long[] part, int words) {
        for (int w = 0; w < words; w++) {
            if ((part[w] & ~(w < whole.length ? whole[w] : 0)) != 0) {
                return false;
            }
        }
        return true;
    }

    public static boolean intersects(long[] one, long[] other, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        for (int w = 0; w < common; w++) {
            if ((one[w] & other[w]) != 0) {
                return true;
            }
        }
        return false;
    }
}
