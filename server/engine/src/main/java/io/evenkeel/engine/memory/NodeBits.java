package io.evenkeel.engine.memory;

import java.util.Arrays;

/**
 * Sets of node slots as words: slot {@code s} is bit {@code s & 63} of word {@code s >> 6}. A set may be shorter than
 * another; what lies past its end is empty.
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

    /** As many sets of their own. */
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

    /** Sets {@code target} to what is in both, over {@code words} words of it; answers whether that is any. */
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
     * Sets {@code target} to what is in {@code one} but not in {@code other}, over {@code words} words of it, which
     * {@code one} has; answers whether that is any.
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

    /** Adds to {@code target} what is in both, over {@code words} words of it. */
    public static void addCommon(long[] one, long[] other, long[] target, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        for (int w = 0; w < common; w++) {
            target[w] |= one[w] & other[w];
        }
    }

    /** {@code target ^= other} over {@code words} words, which both have. */
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

    /** {@code target |= other} over {@code words} words of {@code target}. */
    static void or(long[] target, long[] other, int words) {
        int common = Math.min(words, other.length);
        for (int w = 0; w < common; w++) {
            target[w] |= other[w];
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
