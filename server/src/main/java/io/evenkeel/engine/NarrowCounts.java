package io.evenkeel.engine;

import java.util.Arrays;

/** An int per domain: for topologies with far fewer domains than nodes. */
final class NarrowCounts extends DomainCounts {
    private int[] counts = new int[4];

    @Override
    int get(int domain) {
        return domain < counts.length ? counts[domain] : 0;
    }

    @Override
    int increment(int domain) {
        if (domain >= counts.length) {
            counts = Arrays.copyOf(counts, Math.max(domain + 1, counts.length * 2));
        }
        return counts[domain]++;
    }

    @Override
    int decrement(int domain) {
        return counts[domain]--;
    }

    @Override
    void set(int domain, int count) {
        if (domain >= counts.length) {
            if (count == 0) {
                return;
            }
            counts = Arrays.copyOf(counts, Math.max(domain + 1, counts.length * 2));
        }
        counts[domain] = count;
    }

    @Override
    long bytes() {
        return 4L * counts.length;
    }
}
