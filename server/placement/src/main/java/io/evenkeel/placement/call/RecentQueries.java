package io.evenkeel.placement.call;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Whether queries have come lately. While none do, who feeds the state may let events gather: reading them one by one
 * costs several times as much. Safe for use by several threads.
 *
 * <p>Time is cut into periods. A query of the present period or of the one before it has come lately, so queries that
 * come steadily write nothing but a field, once in a period.
 */
public final class RecentQueries {
    /** Another query is expected for as long, at least, after one has come. */
    static final long PERIOD_NANOS = 1_000_000_000;

    private final LongSupplier clock;

    /** Whether a query has come in this period. */
    private volatile boolean came;

    /** Whether one had come in the period before. */
    private boolean cameBefore;

    private long periodBegan;

    /** @param clock nanoseconds from any origin */
    public RecentQueries(LongSupplier clock) {
        this.clock = clock;
        this.periodBegan = clock.getAsLong();
    }

    /** A query comes: nobody rests any more. */
    void note() {
        if (!came) {
            wake();
        }
    }

    private synchronized void wake() {
        came = true;
        notifyAll();
    }

    /** Waits for a query, at most for so long; not at all where one has come lately. */
    public synchronized void await(long mostNanos) throws InterruptedException {
        long begin = clock.getAsLong();
        long passed = 0;
        while (passed < mostNanos && !isExpected(begin + passed)) {
            TimeUnit.NANOSECONDS.timedWait(this, mostNanos - passed);
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
