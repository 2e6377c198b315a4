package io.evenkeel.loadtest.cluster;

import java.util.UUID;

/**
 * Pseudo-random numbers for one object. They depend only on a seed, the object's kind and its number, so each object of
 * a cluster can be generated without those before it. The mixing function is that of SplitMix64 (Steele, Lea and Flood,
 * 2014).
 */
final class Dice {
    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private static final String LETTERS = "bcdfghjklmnpqrstvwxz2456789";
    private static final int UNIQUE_LENGTH = 5;
    private static final long UNIQUE = 14_348_907;
    private static final long STRIDE = 9_176_929;

    private long state;

    Dice(long seed, String what, long number) {
        state = mixed(mixed(seed ^ what.hashCode() * GAMMA) + number * GAMMA);
    }

    /** A number from 0 up to {@code bound}, exclusive. */
    int below(int bound) {
        return (int) Math.floorMod(next() >>> 1, (long) bound);
    }

    /** A number from 0.0 up to 1.0, exclusive. */
    double fraction() {
        return (next() >>> 11) * 0x1.0p-53;
    }

    boolean oneIn(int chances) {
        return below(chances) == 0;
    }

    /** A UID in the form of a random UUID. */
    String uid() {
        long high = next() & ~0xf000L | 0x4000L;
        long low = next() & 0x3fff_ffff_ffff_ffffL | 0x8000_0000_0000_0000L;
        return new UUID(high, low).toString();
    }

    /** A suffix like those that Kubernetes adds to the names of pods and ReplicaSets. */
    String suffix(int length) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(below(LETTERS.length())));
        }
        return text.toString();
    }

    /** A suffix of 5 characters that looks random and is unique for numbers below 14 million. */
    static String suffixOf(int number) {
        // The stride and the number of suffixes are coprime.
        long left = Math.floorMod(number * STRIDE, UNIQUE);
        StringBuilder text = new StringBuilder(UNIQUE_LENGTH);
        for (int i = 0; i < UNIQUE_LENGTH; i++) {
            text.append(LETTERS.charAt((int) (left % LETTERS.length())));
            left /= LETTERS.length();
        }
        return text.toString();
    }

    private long next() {
        state += GAMMA;
        return mixed(state);
    }

    private static long mixed(long value) {
        long z = value;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
