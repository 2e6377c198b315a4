package io.evenkeel.engine;

import java.util.Arrays;

/**
 * Counts of domains whose ids are node slots, as bit planes: bit {@code p} of every count in one {@code long[]}.
 *
 * <pre>
 *   planes[0]: bit 0 of the counts of slots 0…63 | of slots 64…127 | …
 *   planes[1]: bit 1 of the counts of slots 0…63 | …
 *   …          as many planes as the greatest count ever held has bits; a plane may be shorter than the table, what lies past its end is 0
 * </pre>
 *
 * An {@code int} a node would cost thirty-two planes; a deployment that has one pod a node costs one. Comparing all counts with a limit is one AND or OR a plane
 * and word ({@link #retainAtMost}).
 */
final class WideCounts extends DomainCounts {
    private static final long[][] NO_PLANES = {};
    private static final long[] NO_WORDS = {};

    private long[][] planes = NO_PLANES;

    @Override
    int get(int domain) {
        int word = domain >>> 6;
        int count = 0;
        for (int p = 0; p < planes.length; p++) {
            long[] plane = planes[p];
            if (word < plane.length) {
                count |= (int) (plane[word] >>> domain & 1) << p;
            }
        }
        return count;
    }

    @Override
    int increment(int domain) {
        int count = get(domain);
        for (int p = 0; ; p++) {
            long[] plane = plane(p, domain >>> 6);
            plane[domain >>> 6] ^= 1L << domain;
            if ((count >>> p & 1) == 0) {
                return count;
            }
        }
    }

    @Override
    int decrement(int domain) {
        int count = get(domain);
        for (int p = 0; ; p++) {
            plane(p, domain >>> 6)[domain >>> 6] ^= 1L << domain;
            if ((count >>> p & 1) != 0) {
                return count;
            }
        }
    }

    @Override
    void set(int domain, int count) {
        int word = domain >>> 6;
        for (int p = 0; p < planes.length || count >>> p != 0; p++) {
            if ((count >>> p & 1) != 0) {
                plane(p, word)[word] |= 1L << domain;
            } else if (p < planes.length && word < planes[p].length) {
                planes[p][word] &= ~(1L << domain);
            }
        }
    }

    int planeCount() {
        return planes.length;
    }

    /** Word {@code word} of plane {@code p}. */
    long word(int p, int word) {
        long[] plane = planes[p];
        return word < plane.length ? plane[word] : 0;
    }

    /** Takes out of {@code slots} those whose own count is above {@code limit}, which is 0 or more. */
    void retainAtMost(int limit, long[] slots, int words) {
        long[][] all = planes;
        if (all.length < 32 && limit >>> all.length != 0) {
            return;
        }
        for (int w = 0; w < words; w++) {
            long atMost = -1L;
            for (int p = 0; p < all.length; p++) {
                long[] plane = all[p];
                long bits = w < plane.length ? plane[w] : 0;
                atMost = (limit >>> p & 1) != 0 ? atMost | ~bits : atMost & ~bits;
            }
            slots[w] &= atMost;
        }
    }

    @Override
    long bytes() {
        long total = 0;
        for (long[] plane : planes) {
            total += 8L * plane.length;
        }
        return total;
    }

    /** Plane {@code p} with room for {@code word}. */
    private long[] plane(int p, int word) {
        int had = planes.length;
        if (p >= had) {
            planes = Arrays.copyOf(planes, p + 1);
            Arrays.fill(planes, had, p + 1, NO_WORDS);
        }
        if (word >= planes[p].length) {
            planes[p] = Arrays.copyOf(planes[p], Math.max(word + 1, planes[p].length + (planes[p].length >>> 1)));
        }
        return planes[p];
    }
}
