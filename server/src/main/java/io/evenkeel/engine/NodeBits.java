package io.evenkeel.engine;

import java.util.Arrays;

/** Sets of node slots as words: slot {@code s} is bit {@code s & 63} of word {@code s >> 6}. A set may be shorter than another; what lies past its end is empty. */
final class NodeBits {
    private static final long[] BYTES = new long[256];

    static {
        for (int bits = 0; bits < 256; bits++) {
            for (int i = 0; i < 8; i++) {
                BYTES[bits] |= (long) (bits >>> i & 1) << (i * 8);
            }
        }
    }

    private NodeBits() {}

    /** The lowest eight bits, each as a byte of 0 or 1, the lowest first. */
    static long bytes(int bits) {
        return BYTES[bits & 0xFF];
    }

    static int words(int slots) {
        return (slots + 63) >>> 6;
    }

    static boolean get(long[] bits, int slot) {
        int word = slot >>> 6;
        return word < bits.length && (bits[word] >>> slot & 1) != 0;
    }

    static void set(long[] bits, int slot) {
        bits[slot >>> 6] |= 1L << slot;
    }

    static void clear(long[] bits, int slot) {
        bits[slot >>> 6] &= ~(1L << slot);
    }

    static void assign(long[] bits, int slot, boolean value) {
        if (value) {
            set(bits, slot);
        } else {
            clear(bits, slot);
        }
    }

    /** {@code bits}, or a longer copy with room for {@code slots}. */
    static long[] grow(long[] bits, int slots) {
        return bits.length >= words(slots) ? bits : Arrays.copyOf(bits, words(slots));
    }

    /** {@code target &= other} over the words {@code from} to {@code to} of {@code target}. */
    static void and(long[] target, long[] other, int from, int to) {
        int common = Math.min(to, other.length);
        for (int w = from; w < common; w++) {
            target[w] &= other[w];
        }
        Arrays.fill(target, Math.max(from, common), Math.max(from, to), 0);
    }

    /** {@code target &= ~other} over the words {@code from} to {@code to} of {@code target}. */
    static void andNot(long[] target, long[] other, int from, int to) {
        int common = Math.min(to, other.length);
        for (int w = from; w < common; w++) {
            target[w] &= ~other[w];
        }
    }

    /** Sets {@code target} to what is in both, over {@code words} words of it. */
    static void intersection(long[] one, long[] other, long[] target, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        for (int w = 0; w < common; w++) {
            target[w] = one[w] & other[w];
        }
        Arrays.fill(target, common, words, 0);
    }

    /** Sets {@code target} to what is in {@code one} but not in {@code other}, over {@code words} words of it, which {@code one} has. */
    static void difference(long[] one, long[] other, long[] target, int words) {
        int common = Math.min(words, other.length);
        for (int w = 0; w < common; w++) {
            target[w] = one[w] & ~other[w];
        }
        System.arraycopy(one, common, target, common, words - common);
    }

    /** {@code target ^= other} over {@code words} words, which both have. */
    static void xor(long[] target, long[] other, int words) {
        for (int w = 0; w < words; w++) {
            target[w] ^= other[w];
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
    static void orNot(long[] target, long[] other, int from, int to) {
        int common = Math.min(to, other.length);
        for (int w = from; w < common; w++) {
            target[w] |= ~other[w];
        }
        Arrays.fill(target, Math.max(from, common), Math.max(from, to), -1L);
    }

    static int cardinality(long[] bits, int words) {
        int total = 0;
        for (int w = 0; w < words; w++) {
            total += Long.bitCount(bits[w]);
        }
        return total;
    }

    /** Whether every slot of {@code part} is in {@code whole}. */
    static boolean contains(long[] whole, long[] part, int words) {
        for (int w = 0; w < words; w++) {
            if ((part[w] & ~(w < whole.length ? whole[w] : 0)) != 0) {
                return false;
            }
        }
        return true;
    }

    static boolean intersects(long[] one, long[] other, int words) {
        int common = Math.min(words, Math.min(one.length, other.length));
        for (int w = 0; w < common; w++) {
            if ((one[w] & other[w]) != 0) {
                return true;
            }
        }
        return false;
    }
}
