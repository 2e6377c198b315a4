package io.evenkeel.engine.index;

import java.util.Arrays;

/**
 * How many domains hold each count, for counts that are far from each other. It takes memory only for the counts that
 * are held, not for those between them.
 *
 * <pre>
 *   counts[i]    the counts that are held, in ascending order, for i below size
 *   domains[i]   how many domains hold counts[i]; at least 1
 * </pre>
 */
final class SparseCounts {
    private static final int LEAST = 4;

    private int[] counts = new int[LEAST];
    private int[] domains = new int[LEAST];
    private int size;

    SparseCounts copy() {
        SparseCounts copy = new SparseCounts();
        copy.counts = counts.clone();
        copy.domains = domains.clone();
        copy.size = size;
        return copy;
    }

    int size() {
        return size;
    }

    int count(int at) {
        return counts[at];
    }

    int domains(int at) {
        return domains[at];
    }

    int domainsAt(int count) {
        int at = find(count);
        return at < 0 ? 0 : domains[at];
    }

    /** The least count that is held; there must be one. */
    int least() {
        return counts[0];
    }

    /** The greatest count that is held; there must be one. */
    int greatest() {
        return counts[size - 1];
    }

    /** The least count held that is {@code from} or above; {@link CountHistogram#NONE} if there is none. */
    int next(int from) {
        int at = find(from);
        int next = at < 0 ? ~at : at;
        return next < size ? counts[next] : CountHistogram.NONE;
    }

    /** The greatest count held that is {@code from} or below; {@link CountHistogram#NONE} if there is none. */
    int last(int from) {
        int at = find(from);
        int last = at < 0 ? ~at - 1 : at;
        return last >= 0 ? counts[last] : CountHistogram.NONE;
    }

    /** Adds {@code more} to the number of domains that hold {@code count}; {@code more} may be negative. */
    void put(int count, int more) {
        int at = find(count);
        if (at < 0) {
            insert(~at, count);
            at = ~at;
        }
        domains[at] += more;
        if (domains[at] == 0) {
            size--;
            System.arraycopy(counts, at + 1, counts, at, size - at);
            System.arraycopy(domains, at + 1, domains, at, size - at);
        }
    }

    private void insert(int at, int count) {
        if (size == counts.length) {
            counts = Arrays.copyOf(counts, 2 * size);
            domains = Arrays.copyOf(domains, 2 * size);
        }
        System.arraycopy(counts, at, counts, at + 1, size - at);
        System.arraycopy(domains, at, domains, at + 1, size - at);
        counts[at] = count;
        domains[at] = 0;
        size++;
    }

    private int find(int count) {
        return Arrays.binarySearch(counts, 0, size, count);
    }

    long bytes() {
        return 64 + 8L * counts.length;
    }
}
