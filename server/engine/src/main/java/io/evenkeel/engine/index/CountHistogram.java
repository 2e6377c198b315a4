package io.evenkeel.engine.index;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A histogram of the counts of eligible domains, which gives the minimum at any time.
 *
 * <pre>
 *   domainsAt[c − base]: the number of eligible domains whose count is c; no domain holds a count below base or beyond
 *                        the end
 *   inBlock[b]:          the number of domains in the 256 buckets from 256 b on; empty if there are no more buckets
 *   far:                 the counts, if they are too far apart for buckets; there are no buckets then
 *   minimum:             the least c that a domain holds; 0 if there is no domain
 * </pre>
 *
 * The zones of a large workload have large counts that are close to each other. So there are buckets only for counts
 * between the least and the greatest, with some spare ones on both sides, and they move with these. A new zone begins
 * with no pods, far from the others, so the number of buckets per domain is bounded.
 *
 * <p>A pod moves one domain by one, so the minimum is updated in O(1): when the last domain at the minimum moves up,
 * the next count is the new minimum. When a domain is added or removed, the minimum may jump, and the buckets are
 * searched. A search skips blocks without domains: one node with a million pods leaves a million empty buckets.
 */
public final class CountHistogram {
    /** Means that there is no count. */
    public static final int NONE = -1;

    private static final int BLOCK_SHIFT = 8;
    private static final int BLOCK = 1 << BLOCK_SHIFT;
    private static final int[] ONE_BLOCK = {};
    private static final int[] NO_BUCKETS = {};
    private static final int MIN_BUCKETS = 4;

    /** How many counts may always have buckets. With many domains, the limit is {@link #NEAR_A_DOMAIN} per domain. */
    private static final int NEAR = 64;

    private static final int NEAR_A_DOMAIN = 4;

    private int[] domainsAt = new int[MIN_BUCKETS];
    private int[] inBlock = ONE_BLOCK;
    private @Nullable SparseCounts far;
    private int base;
    private int domains;
    private int minimum;

    /** A copy, which can be changed independently. */
    CountHistogram copy() {
        CountHistogram copy = new CountHistogram();
        copy.domainsAt = domainsAt.clone();
        copy.inBlock = inBlock.length == 0 ? ONE_BLOCK : inBlock.clone();
        copy.far = far == null ? null : far.copy();
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
        if (far != null) {
            return far.domainsAt(count);
        }
        return count >= base && count < limit() ? domainsAt[count - base] : 0;
    }

    /** No domain holds this count or a higher one. */
    public int limit() {
        if (far != null) {
            return far.greatest() + 1;
        }
        return base + domainsAt.length;
    }

    void add(int count, int howMany) {
        if (howMany == 0) {
            return;
        }
        if (ensure(count)) {
            put(count - base, howMany);
        } else {
            far().put(count, howMany);
        }
        if (domains == 0 || count < minimum) {
            minimum = count;
        }
        domains += howMany;
    }

    void remove(int count) {
        domains--;
        if (far == null) {
            put(count - base, -1);
        } else {
            far.put(count, -1);
        }
        if (count == minimum && (domains == 0 || domainsAt(count) == 0)) {
            minimum = domains == 0 ? 0 : nextHeld(count);
        }
        comeNear();
    }

    /** Resets to {@code howMany} domains, all at 0. */
    void reset(int howMany) {
        clear();
        put(0, howMany);
        domains = howMany;
        minimum = 0;
    }

    /** Makes buckets that are empty. */
    private void clear() {
        if (far == null) {
            Arrays.fill(domainsAt, 0);
            Arrays.fill(inBlock, 0);
        } else {
            far = null;
            domainsAt = new int[MIN_BUCKETS];
            inBlock = ONE_BLOCK;
        }
        base = 0;
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
        domains = all;
        if (all > 0 && isFar(minimum, greatest)) {
            goFar();
        } else {
            cover(minimum, greatest);
        }
        putAny(minimum, all - spread);
        for (int count : counts) {
            if (count > 0) {
                putAny(count, 1);
            }
        }
    }

    private void putAny(int count, int more) {
        if (far == null) {
            put(count - base, more);
        } else if (more > 0) {
            far.put(count, more);
        }
    }

    /** A domain's count goes from {@code count} to {@code count + 1}. */
    void moveUp(int count) {
        if (!ensure(count + 1)) {
            moveFar(count, count + 1);
            return;
        }
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
        if (!ensure(count - 1)) {
            moveFar(count, count - 1);
            return;
        }
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

    /** Moves a domain from one count to the next, if there are no buckets. */
    private void moveFar(int from, int to) {
        SparseCounts counts = far();
        counts.put(to, 1);
        counts.put(from, -1);
        minimum = counts.least();
        comeNear();
    }

    /** The greatest count of a domain; 0 if there are no domains. */
    public int maximum() {
        return domains == 0 ? 0 : lastHeld(limit() - 1);
    }

    /** The least count, {@code from} or above, that a domain has; NONE if there is none. */
    public int nextHeld(int from) {
        if (far != null) {
            return far.next(from);
        }
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

    /** The greatest count, {@code from} or below, that a domain has; NONE if there is none. */
    public int lastHeld(int from) {
        if (far != null) {
            return far.last(from);
        }
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
        return far == null ? 4L * (domainsAt.length + inBlock.length) : far.bytes();
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

    /** Makes sure that there is a bucket for {@code count}; returns false if there are no buckets. */
    private boolean ensure(int count) {
        if (far != null) {
            return false;
        }
        if (count < base || count >= limit()) {
            if (domains == 0) {
                cover(count, count);
            } else {
                int least = Math.min(minimum, count);
                int greatest = Math.max(maximum(), count);
                if (isFar(least, greatest)) {
                    goFar();
                    return false;
                }
                cover(least, greatest);
            }
        }
        return true;
    }

    private boolean isFar(int least, int greatest) {
        return greatest - least >= maxBuckets();
    }

    private long maxBuckets() {
        return Math.max(NEAR, (long) NEAR_A_DOMAIN * domains);
    }

    /** Replaces the buckets with the counts alone. */
    private void goFar() {
        SparseCounts counts = new SparseCounts();
        for (int at = 0; at < domainsAt.length; at++) {
            if (domainsAt[at] > 0) {
                counts.put(base + at, domainsAt[at]);
            }
        }
        far = counts;
        domainsAt = NO_BUCKETS;
        inBlock = ONE_BLOCK;
    }

    private SparseCounts far() {
        return Objects.requireNonNull(far);
    }

    /** Makes buckets again, once the counts are well within the range for buckets. */
    private void comeNear() {
        SparseCounts counts = far;
        if (counts == null) {
            return;
        }
        if (domains == 0) {
            clear();
        } else if (counts.greatest() - counts.least() < maxBuckets() / 2) {
            clear();
            cover(counts.least(), counts.greatest());
            for (int at = 0; at < counts.size(); at++) {
                put(counts.count(at) - base, counts.domains(at));
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
