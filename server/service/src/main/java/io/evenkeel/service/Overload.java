package io.evenkeel.service;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Distinguishes a burst, which the threads of a pool soon work off, from an overload, in which a connection has tasks
 * faster than the threads can run them. Then each task would wait behind all earlier ones, so tasks of the connection
 * are refused, until few of them have waited for some time.
 *
 * <pre>
 *   waiting tasks of     ▄█▆▄▂            ▂▄▆▆▇▇█▂▂▂▂▂▂▂▂▂▂▂▁▁▁▁▁▁▁
 *   a connection         burst: empty     ├ 100 ms ┤ refuses ├ 100 ms ┤
 * </pre>
 *
 * <p>Both times are longer if tasks are: ten times their mean duration. Not thread-safe.
 */
final class Overload {
    /** With at most this many tasks waiting, a connection has a usual number of calls in flight. */
    static final int USUAL = 16;

    private static final long AT_LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MEAN_TASKS = 10;

    /** A new duration changes the mean by this part of the difference. */
    private static final int PART_OF_MEAN = 16;

    private static final Duration LONGEST_DELAY = Duration.ofSeconds(10);

    private final LongSupplier clock;

    /** The connections whose tasks are refused. */
    private final Set<Object> refused = new HashSet<>();

    /** Since when the queue has not been empty. */
    private long since;

    /** When a task was last refused. */
    private long last;

    private long meanNanos;

    /** @param clock nanoseconds with an arbitrary origin */
    Overload(LongSupplier clock) {
        this.clock = clock;
    }

    /** The queue was empty, and a task is added. */
    void queueBegins() {
        since = clock.getAsLong();
    }

    /**
     * Whether tasks of a connection must be refused.
     *
     * @param waiting how many of them wait: more than a few
     */
    boolean refuses(Object connection, int waiting) {
        long now = clock.getAsLong();
        if (now - last > patienceNanos()) {
            refused.clear();
        }
        if (waiting > USUAL && now - since >= patienceNanos()) {
            refused.add(connection);
        }
        boolean refuses = refused.contains(connection);
        if (refuses) {
            last = now;
        }
        return refuses;
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
