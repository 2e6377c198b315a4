package io.evenkeel.engine;

import java.util.Arrays;

/**
 * How many eligible domains hold each count, and so the minimum at any time.
 *
 * <pre>
 *   domainsAt[c]: the number of eligible domains whose count is c
 *   minimum:      the least c with domainsAt[c] > 0; 0 where there is no domain
 * </pre>
 *
 * A pod moves one domain by one, so the minimum moves in O(1): when the last domain leaves the minimum upwards, it has gone to the very next count. Where a
 * domain comes or goes the minimum may jump, and the buckets are walked.
 */
final class CountHistogram {
    private int[] domainsAt = new int[4];
    private int domains;
    private int minimum;

    int minimum() {
        return minimum;
    }

    int domains() {
        return domains;
    }

    /** How many domains hold {@code count}. */
    int domainsAt(int count) {
        return count < domainsAt.length ? domainsAt[count] : 0;
    }

    /** No domain holds this count or a higher one. */
    int limit() {
        return domainsAt.length;
    }

    void add(int count, int howMany) {
        if (howMany == 0) {
            return;
        }
        ensure(count);
        domainsAt[count] += howMany;
        if (domains == 0 || count < minimum) {
            minimum = count;
        }
        domains += howMany;
    }

    void remove(int count) {
        domains--;
        if (--domainsAt[count] == 0 && count == minimum) {
            minimum = domains == 0 ? 0 : nextHeld(count);
        }
    }

    /** Nothing but {@code howMany} domains at 0. */
    void reset(int howMany) {
        Arrays.fill(domainsAt, 0);
        domainsAt[0] = howMany;
        domains = howMany;
        minimum = 0;
    }

    /** From nothing but domains at 0, each domain goes to its count. O(domains), however great the counts. */
    void spread(int[] counts) {
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
        ensure(greatest);
        for (int count : counts) {
            if (count > 0) {
                domainsAt[count]++;
            }
        }
        domainsAt[0] -= spread;
        minimum = domains > 0 && domainsAt[0] == 0 ? least : 0;
    }

    /** A domain's count goes from {@code count} to {@code count + 1}. */
    void moveUp(int count) {
        ensure(count + 1);
        domainsAt[count + 1]++;
        if (--domainsAt[count] == 0 && count == minimum) {
            minimum = count + 1;
        }
    }

    /** A domain's count goes from {@code count} to {@code count - 1}. */
    void moveDown(int count) {
        domainsAt[count - 1]++;
        domainsAt[count]--;
        if (count - 1 < minimum) {
            minimum = count - 1;
        }
    }

    /** The greatest count that a domain holds, 0 where there is none. O(counts). */
    int maximum() {
        for (int count = domainsAt.length - 1; count > 0; count--) {
            if (domainsAt[count] > 0) {
                return count;
            }
        }
        return 0;
    }

    long bytes() {
        return 4L * domainsAt.length;
    }

    private int nextHeld(int from) {
        int count = from;
        while (domainsAt[count] == 0) {
            count++;
        }
        return count;
    }

    private void ensure(int count) {
        if (count >= domainsAt.length) {
            domainsAt = Arrays.copyOf(domainsAt, Math.max(count + 1, domainsAt.length * 2));
        }
    }
}
