package io.evenkeel.engine.index;

import java.util.Arrays;

/**
 * A histogram of the counts of eligible domains, which gives the minimum at any time.
 *
 * <pre>
 *   domainsAt[c − base]: the number of eligible domains whose count is c; no domain holds a count below base or beyond
 *                        the end
 *   minimum:             the least c that a domain holds; 0 where there is no domain
 * </pre>
 *
 * The zones of a large workload have large counts that are close to each other. So there are buckets only for counts
 * between the least and the greatest, with some spare ones on both sides, and they move with these.
 *
 * <p>A pod moves one domain by one, so the minimum is updated in O(1): when the last domain at the minimum moves up,
 * the next count is the new minimum. When a domain is added or removed, the minimum may jump, and the buckets are
 * searched.
 */
public final class CountHistogram {
    private int[] domainsAt = new int[4];
    private int base;
    private int domains;
    private int minimum;

    /** A copy, which can be changed independently. */
    CountHistogram copy() {
        CountHistogram copy = new CountHistogram();
        copy.domainsAt = domainsAt.clone();
        copy.base = base;
        copy.domains = domains;
        copy.minimum = minimum;
        return copy;
    }

    public int minimum() {
        return minimum;
    }

    public int domains() {
        return domains;
    }

    /** How many domains hold {@code count}. */
    public int domainsAt(int count) {
        return count >= base && count < limit() ? domainsAt[count - base] : 0;
    }

    /** No domain holds this count or a higher one. */
    public int limit() {
        return base + domainsAt.length;
    }

    void add(int count, int howMany) {
        if (howMany == 0) {
            return;
        }
        ensure(count);
        domainsAt[count - base] += howMany;
        if (domains == 0 || count < minimum) {
            minimum = count;
        }
        domains += howMany;
    }

    void remove(int count) {
        domains--;
        if (--domainsAt[count - base] == 0 && count == minimum) {
            minimum = domains == 0 ? 0 : nextHeld(count);
        }
    }

    /** Resets to {@code howMany} domains, all at 0. */
    void reset(int howMany) {
        Arrays.fill(domainsAt, 0);
        base = 0;
        domainsAt[0] = howMany;
        domains = howMany;
        minimum = 0;
    }

    /** Moves each domain to its count. Before, all domains must be at 0. O(domains). */
    void spread(int[] counts) {
        int all = domains;
        int greatest = 0;
        int least = Integer.MAX_VALUE;
        int spread = 0;
        for (int count : counts) {
            if (count > 0) {
                greatest = Math.max(greatest, count);
                least = Math.min(least, count);
                spread++;
            }
        }
        reset(0);
        minimum = all == 0 || spread < all ? 0 : least;
        cover(minimum, greatest);
        domainsAt[minimum - base] += all - spread;
        for (int count : counts) {
            if (count > 0) {
                domainsAt[count - base]++;
            }
        }
        domains = all;
    }

    /** A domain's count goes from {@code count} to {@code count + 1}. */
    void moveUp(int count) {
        ensure(count + 1);
        domainsAt[count + 1 - base]++;
        if (--domainsAt[count - base] == 0 && count == minimum) {
            minimum = count + 1;
        }
    }

    /** A domain's count goes from {@code count} to {@code count - 1}. */
    void moveDown(int count) {
        ensure(count - 1);
        domainsAt[count - 1 - base]++;
        domainsAt[count - base]--;
        if (count - 1 < minimum) {
            minimum = count - 1;
        }
    }

    /** The greatest count of a domain; 0 where there are no domains. O(counts). */
    public int maximum() {
        for (int at = domainsAt.length - 1; at >= 0; at--) {
            if (domainsAt[at] > 0) {
                return base + at;
            }
        }
        return 0;
    }

    long bytes() {
        return 4L * domainsAt.length;
    }

    private int nextHeld(int from) {
        int count = from;
        while (domainsAt[count - base] == 0) {
            count++;
        }
        return count;
    }

    /** Makes sure that there is a bucket for {@code count}. */
    private void ensure(int count) {
        if (count < base || count >= limit()) {
            if (domains == 0) {
                cover(count, count);
            } else {
                cover(Math.min(minimum, count), Math.max(maximum(), count));
            }
        }
    }

    /** Makes buckets for the counts from {@code least} to {@code greatest}. All counts in use must be in this range. */
    private void cover(int least, int greatest) {
        int needed = greatest - least + 1;
        int length = domainsAt.length;
        while (length <= greatest && length < 2 * needed) {
            length *= 2;
        }
        int to = greatest < length ? 0 : least - (length - needed) / 2;
        int[] moved = length == domainsAt.length ? domainsAt : new int[length];
        // Only buckets in the old range have something to copy.
        int from = Math.max(least, base);
        int held = Math.max(0, Math.min(greatest + 1, limit()) - from);
        if (held > 0) {
            System.arraycopy(domainsAt, from - base, moved, from - to, held);
        }
        if (moved == domainsAt) {
            int first = held > 0 ? from - to : 0;
            Arrays.fill(moved, 0, first, 0);
            Arrays.fill(moved, first + held, length, 0);
        }
        domainsAt = moved;
        base = to;
    }
}
