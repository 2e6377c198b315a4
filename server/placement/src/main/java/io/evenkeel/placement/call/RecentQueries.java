package io.evenkeel.placement.call;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tracks whether queries have arrived recently. While none arrive, feeders can batch events, because reading them one
 * by one costs several times as much. Thread-safe.
 *
 * <p>Time is divided into periods. A query is recent if it arrived in the current or previous period, so a steady
 * stream of queries only writes one field once per period.
 */
public final class RecentQueries {
    /** After a query, another one is expected for at least this long. */
    static final long PERIOD_NANOS = 1_000_000_000;

    private final LongSupplier clock;

    /** Whether a query has arrived in this period. */
    private volatile boolean came;

    /** Whether one had arrived in the previous period. */
    private boolean cameBefore;

    private long periodBegan;

    /** @param clock nanoseconds from any origin */
    public RecentQueries(LongSupplier clock) {
        this.clock = clock;
        this.periodBegan = clock.getAsLong();
    }

    /** Records a query, and wakes waiting feeders. */
    void note() {
        if (!came) {
            wake();
        }
    }

    private synchronized void wake() {
        came = true;
        notifyAll();
    }

    /** Waits up to {@code maxNanos} for a query. Returns immediately if one has arrived recently. */
    public synchronized void await(long maxNanos) throws InterruptedException {
        long begin = clock.getAsLong();
        long passed = 0;
        while (passed < maxNanos && !isExpected(begin + passed)) {
            TimeUnit.NANOSECONDS.timedWait(this, maxNanos - passed);
            passed = clock.getAsLong() - begin;
        }
    }

    private boolean isExpected(long now) {
        if (now - periodBegan >= PERIOD_NANOS) {
            periodBegan = now;
            cameBefore = came;
            came = false;
        }
        return came || cameBefore;
    }
}
