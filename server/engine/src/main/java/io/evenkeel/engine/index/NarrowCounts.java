package io.evenkeel.engine.index;

import java.util.Arrays;

/** Counts as one int per domain, for topologies with far fewer domains than nodes. */
final class NarrowCounts extends DomainCounts {
    private int[] counts;

    /** @param counts the counts by domain; the array is used, and replaced by a longer one if needed */
    NarrowCounts(int[] counts) {
        this.counts = counts;
    }

    @Override
    public int get(int domain) {
        return domain < counts.length ? counts[domain] : 0;
    }

    @Override
    int increment(int domain) {
        ensure(domain);
        return counts[domain]++;
    }

    @Override
    int decrement(int domain) {
        return counts[domain]--;
    }

    @Override
    void set(int domain, int count) {
        if (count == 0 && domain >= counts.length) {
            return;
        }
        ensure(domain);
        counts[domain] = count;
    }

    @Override
    DomainCounts copy() {
        return new NarrowCounts(counts.clone());
    }

    @Override
    long bytes() {
        return 4L * counts.length;
    }

    private void ensure(int domain) {
        if (domain >= counts.length) {
            counts = Arrays.copyOf(counts, Math.max(domain + 1, counts.length * 2));
        }
    }
}
