package io.evenkeel.operations;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A status that is taken at most once a second. So the gauges that are read at the same time agree with each other, and
 * the lock that a status needs is taken once for all of them. Safe for use by several threads.
 */
final class RecentStatus<T> {
    private static final long USED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<T> source;
    private final LongSupplier clock;
    private @Nullable T taken;
    private long takenNanos;

    /**
     * @param source takes a status
     * @param clock in nanoseconds, as {@link System#nanoTime}
     */
    RecentStatus(Supplier<T> source, LongSupplier clock) {
        this.source = source;
        this.clock = clock;
    }

    synchronized T get() {
        long now = clock.getAsLong();
        T status = taken;
        if (status == null || now - takenNanos > USED_NANOS) {
            status = source.get();
            taken = status;
            takenNanos = now;
        }
        return status;
    }
}
