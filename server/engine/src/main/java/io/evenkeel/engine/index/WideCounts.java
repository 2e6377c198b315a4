package io.evenkeel.engine.index;

import io.evenkeel.engine.memory.NodeBits;
import java.util.Arrays;

/**
 * Counts of domains whose ids are slots, as bit planes: plane {@code p} is a {@code long[]} with bit {@code p} of every
 * count.
 *
 * <pre>
 *   planes[0]: bit 0 of the counts of slots 0…63 | of slots 64…127 | …
 *   planes[1]: bit 1 of the counts of slots 0…63 | …
 *   …          as many planes as the greatest count ever held has bits; a plane may be shorter than the table, what
 *              lies past its end is 0
 * </pre>
 *
 * One {@code int} per node would take as much as 32 planes; a workload with one pod per node takes one plane. Comparing
 * all counts with a limit takes one AND or OR for each plane and word ({@link #retainAtMost}).
 */
public final class WideCounts extends DomainCounts {
    private static final long[][] NO_PLANES = {};
    private static final long[] NO_WORDS = {};

    private long[][] planes = NO_PLANES;

    /** Counts that are all 0. */
    WideCounts() {}

    /** @param counts the counts by domain, each at least 0 */
    WideCounts(int[] counts) {
        int bits = 0;
        for (int count : counts) {
            bits |= count;
        }
        planes = new long[Integer.SIZE - Integer.numberOfLeadingZeros(bits)][NodeBits.words(counts.length)];
        for (int p = 0; p < planes.length; p++) {
            for (int from = 0; from < counts.length; from += Long.SIZE) {
                long word = 0;
                for (int domain = from; domain < Math.min(from + Long.SIZE, counts.length); domain++) {
                    word |= (long) (counts[domain] >>> p & 1) << domain;
                }
                planes[p][from >>> 6] = word;
            }
        }
    }

    @Override
    public int get(int domain) {
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
            long[] plane = reach(p, domain >>> 6);
            plane[domain >>> 6] ^= 1L << domain;
            if ((count >>> p & 1) == 0) {
                return count;
            }
        }
    }

    @Override
    int decrement(int domain) {
        int count = get(domain);
        if (count == 0) {
            // Without this check, planes would be added endlessly.
            throw new IllegalStateException(
                    "a domain must hold the pod that is counted out, domain " + domain + " held none");
        }
        for (int p = 0; ; p++) {
            reach(p, domain >>> 6)[domain >>> 6] ^= 1L << domain;
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
                reach(p, word)[word] |= 1L << domain;
            } else if (p < planes.length && word < planes[p].length) {
                planes[p][word] &= ~(1L << domain);
            }
        }
    }

    /** The counts of the domains below {@code limit}. There must be none above. */
    public int[] toArray(int limit) {
        int[] counts = new int[limit];
        for (int p = 0; p < planes.length; p++) {
            long[] plane = planes[p];
            for (int w = 0; w < plane.length; w++) {
                for (long left = plane[w]; left != 0; left &= left - 1) {
                    counts[w << 6 | Long.numberOfTrailingZeros(left)] |= 1 << p;
                }
            }
        }
        return counts;
    }

    /** The planes themselves. They must not be changed. */
    public long[][] planes() {
        return planes;
    }

    /** The slots of word {@code word} whose count is from {@code least} to {@code most}, both at least 0. */
    public long between(int least, int most, int word) {
        long atLeast = -1L;
        long atMost = -1L;
        for (int p = 0; p < planes.length; p++) {
            long[] plane = planes[p];
            long bits = word < plane.length ? plane[word] : 0;
            atLeast = (least >>> p & 1) != 0 ? atLeast & bits : atLeast | bits;
            atMost = (most >>> p & 1) != 0 ? atMost | ~bits : atMost & ~bits;
        }
        return (least >>> planes.length == 0 ? atLeast : 0) & (most >>> planes.length == 0 ? atMost : -1L);
    }

    /**
     * Removes from words {@code from} to {@code to} of {@code slots} those slots whose count is above {@code limit},
     * which is at least 0.
     *
     * <pre>
     *   limit  0 0 0 1 0 1 1
     *          └─┬─┘ └─┬─┘ └┬┘
     *          high    │   low ones: decide nothing
     *                  └ middle: from low to high, atMost = bit of the limit ? atMost OR NOT plane : atMost AND NOT
     *                            plane
     *          high: a bit there is above the limit
     * </pre>
     *
     * @param atMost working memory of as many words as {@code slots}
     */
    public void retainAtMost(int limit, long[] slots, int from, int to, long[] atMost) {
        long[][] all = planes;
        int high = 32 - Integer.numberOfLeadingZeros(limit);
        for (int p = high; p < all.length; p++) {
            NodeBits.andNot(slots, all[p], from, to);
        }
        int lowest = Integer.numberOfTrailingZeros(~limit);
        if (lowest >= high || high > all.length) {
            return;
        }
        Arrays.fill(atMost, from, to, -1L);
        for (int p = lowest; p < high; p++) {
            if ((limit >>> p & 1) != 0) {
                NodeBits.orNot(atMost, all[p], from, to);
            } else {
                NodeBits.andNot(atMost, all[p], from, to);
            }
        }
        NodeBits.and(slots, atMost, from, to);
    }

    /**
     * The least count among {@code slots}, which must not be empty.
     *
     * @param left working memory of {@code words} words, as is {@code tried}
     */
    public int least(long[] slots, int words, long[] left, long[] tried) {
        return extreme(slots, words, left, tried, false);
    }

    /** Removes all but the slots with the least count from a set, and returns that count. */
    public int retainLeast(long[] set, int words) {
        int count = 0;
        for (int p = planes.length - 1; p >= 0; p--) {
            if (NodeBits.contains(planes[p], set, words)) {
                count |= 1 << p;
            } else {
                NodeBits.andNot(set, planes[p], 0, words);
            }
        }
        return count;
    }

    /** The greatest count among {@code slots}; the parameters are those of {@link #least}. */
    public int greatest(long[] slots, int words, long[] left, long[] tried) {
        return extreme(slots, words, left, tried, true);
    }

    /** Goes from the highest plane down: if any of the remaining slots has the wanted bit, only these remain. */
    private int extreme(long[] slots, int words, long[] left, long[] tried, boolean greatest) {
        long[][] all = planes;
        long[] from = slots;
        long[] to = left;
        int count = 0;
        for (int p = all.length - 1; p >= 0; p--) {
            boolean any = greatest
                    ? NodeBits.intersection(from, all[p], to, words)
                    : NodeBits.difference(from, all[p], to, words);
            if (any) {
                from = to;
                to = from == left ? tried : left;
            }
            if (any == greatest) {
                count |= 1 << p;
            }
        }
        return count;
    }

    @Override
    DomainCounts copy() {
        WideCounts copy = new WideCounts();
        copy.planes = NodeBits.copy(planes);
        return copy;
    }

    @Override
    long bytes() {
        long total = 0;
        for (long[] plane : planes) {
            total += 8L * plane.length;
        }
        return total;
    }

    /** Plane {@code p}, with room for {@code word}. */
    private long[] reach(int p, int word) {
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
