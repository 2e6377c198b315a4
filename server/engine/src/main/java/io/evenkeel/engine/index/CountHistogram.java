package io.evenkeel.engine.index;

import java.util.Arrays;

/**
 * A histogram of the counts of eligible domains, which gives the minimum at any time.
 *
 * <pre>
 *   domainsAt[c − base]: the number of eligible domains whose count is c; no domain holds a count below base or beyond
 *                        the end
 *   inBlock[b]:          the number of domains in the 256 buckets from 256 b on; empty where there are no more buckets
 *   minimum:             the least c that a domain holds; 0 where there is no domain
 * </pre>
 *
 * The zones of a large workload have large counts that are close to each other. So there are buckets only for counts
 * between the least and the greatest, with some spare ones on both sides, and they move with these.
 *
 * <p>A pod moves one domain by one, so the minimum is updated in O(1): when the last domain at the minimum moves up,
 * the next count is the new minimum. When a domain is added or removed, the minimum may jump, and the buckets are
 * searched. A search skips blocks without domains: one node with a million pods leaves a million empty buckets.
 */
public final class CountHistogram {
    /** Stands for no count. */
    public static final int NONE = -1;

    private static final int BLOCK_SHIFT = 8;
    private static final int BLOCK = 1 << BLOCK_SHIFT;
    private static final int[] ONE_BLOCK = {};

    private int[] domainsAt = new int[4];
    private int[] inBlock = ONE_BLOCK;
    private int base;
    private int domains;
    private int minimum;

    /** A copy, which can be changed independently. */
    CountHistogram copy() {
        CountHistogram copy = new CountHistogram();
        copy.domainsAt = domainsAt.clone();
        copy.inBlock = inBlock.length == 0 ? ONE_BLOCK : inBlock.clone();
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
        put(count - base, howMany);
        if (domains == 0 || count < minimum) {
            minimum = count;
        }
        domains += howMany;
    }

    void remove(int count) {
        domains--;
        put(count - base, -1);
        if (count == minimum && domainsAt[count - base] == 0) {
            minimum = domains == 0 ? 0 : nextHeld(count);
        }
    }

    /** Resets to {@code howMany} domains, all at 0. */
    void reset(int howMany) {
        Arrays.fill(domainsAt, 0);
        Arrays.fill(inBlock, 0);
        base = 0;
        put(0, howMany);
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
        put(minimum - base, all - spread);
        for (int count : counts) {
            if (count > 0) {
                put(count - base, 1);
            }
        }
        domains = all;
    }

    /** A domain's count goes from {@code count} to {@code count + 1}. */
    void moveUp(int count) {
        ensure(count + 1);
        int at = count - base;
        if ((at + 1 & BLOCK - 1) == 0) {
            moveBlock(at, at + 1);
        }
        domainsAt[at + 1]++;
        if (--domainsAt[at] == 0 && count == minimum) {
            minimum = count + 1;
        }
    }

    /** A domain's count goes from {@code count} to {@code count - 1}. */
    void moveDown(int count) {
        ensure(count - 1);
        int at = count - base;
        if ((at & BLOCK - 1) == 0) {
            moveBlock(at, at - 1);
        }
        domainsAt[at - 1]++;
        domainsAt[at]--;
        if (count - 1 < minimum) {
            minimum = count - 1;
        }
    }

    /** The greatest count of a domain; 0 where there are no domains. */
    public int maximum() {
        return domains == 0 ? 0 : lastHeld(limit() - 1);
    }

    /** The least count, {@code from} or above, that a domain has; NONE where there is none. */
    public int nextHeld(int from) {
        int[] buckets = domainsAt;
        int at = Math.max(0, from - base);
        while (at < buckets.length) {
            int end = Math.min(buckets.length, (at | BLOCK - 1) + 1);
            for (; at < end; at++) {
                if (buckets[at] > 0) {
                    return base + at;
                }
            }
            while (at < buckets.length && inBlock[at >>> BLOCK_SHIFT] == 0) {
                at += BLOCK;
            }
        }
        return NONE;
    }

    /** The greatest count, {@code from} or below, that a domain has; NONE where there is none. */
    public int lastHeld(int from) {
        int[] buckets = domainsAt;
        int at = Math.min(buckets.length - 1, from - base);
        while (at >= 0) {
            for (int start = at & -BLOCK; at >= start; at--) {
                if (buckets[at] > 0) {
                    return base + at;
                }
            }
            while (at >= 0 && inBlock[at >>> BLOCK_SHIFT] == 0) {
                at -= BLOCK;
            }
        }
        return NONE;
    }

    long bytes() {
        return 4L * (domainsAt.length + inBlock.length);
    }

    private void put(int at, int more) {
        domainsAt[at] += more;
        if (inBlock.length > 0) {
            inBlock[at >>> BLOCK_SHIFT] += more;
        }
    }

    /** Moves a domain from one bucket to another in a neighbouring block. */
    private void moveBlock(int from, int to) {
        inBlock[from >>> BLOCK_SHIFT]--;
        inBlock[to >>> BLOCK_SHIFT]++;
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
        countBlocks();
    }

    private void countBlocks() {
        int blocks = domainsAt.length > BLOCK ? domainsAt.length >>> BLOCK_SHIFT : 0;
        if (blocks == inBlock.length) {
            Arrays.fill(inBlock, 0);
        } else {
            inBlock = new int[blocks];
        }
        for (int block = 0; block < blocks; block++) {
            int sum = 0;
            for (int at = block << BLOCK_SHIFT; at < block + 1 << BLOCK_SHIFT; at++) {
                sum += domainsAt[at];
            }
            inBlock[block] = sum;
        }
    }
}
