package io.evenkeel.service;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Distinguishes a burst, which the threads of a pool soon work off, from an overload, in which tasks arrive faster than
 * the threads can run them. In an overload, each task would wait behind all earlier ones. So tasks are refused if the
 * queue is long and has not been empty for a while, until it has not been long for a while.
 *
 * <pre>
 *   waiting tasks    ▄█▆▄▂                    ▂▄▆▆▇▇█▂▂▂▂▂▂▂▂▂▂▂▁▁▁▁▁▁▁
 *                    burst: empty again       ├ 100 ms ┤  refuses  ├ 100 ms ┤
 * </pre>
 *
 * <p>Both times are longer if tasks are: ten times their mean duration. Not thread-safe.
 */
final class Overload {
    private static final long AT_LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MEAN_TASKS = 10;

    /** A new duration changes the mean by this part of the difference. */
    private static final int PART_OF_MEAN = 16;

    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

    private final LongSupplier clock;
    private boolean refusing;

    /** Since when the queue has not been empty. Means nothing while it refuses tasks. */
    private long since;

    /** When the queue was last long. */
    private long lastLong;

    private long meanNanos;

    /** @param clock nanoseconds with an arbitrary origin */
    Overload(LongSupplier clock) {
        this.clock = clock;
    }

    /** The queue was empty, and a task is added. */
    void queueBegins() {
        since = clock.getAsLong();
    }

    /** Whether tasks must be refused, now that the queue is long. */
    boolean refuses() {
        long now = clock.getAsLong();
        if (refusing && now - lastLong > patienceNanos()) {
            refusing = false;
            since = now;
        }
        refusing |= now - since >= patienceNanos();
        lastLong = now;
        return refusing;
    }

    private long patienceNanos() {
        return Math.max(AT_LEAST_NANOS, MEAN_TASKS * meanNanos);
    }

    /** A task has run for so long. */
    void ran(long nanos) {
        meanNanos += (nanos - meanNanos) / PART_OF_MEAN;
    }

    /**
     * When a refused caller should call again: when the waiting tasks are done, and the overload can be over; at most
     * 10 seconds later.
     */
    Duration delay(int waiting, int threads) {
        Duration done = Duration.ofNanos(Math.max(patienceNanos(), meanNanos * waiting / threads));
        return done.compareTo(LONGEST_DELAY) < 0 ? done : LONGEST_DELAY;
    }
}
