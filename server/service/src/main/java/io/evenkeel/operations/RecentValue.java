package io.evenkeel.operations;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches a value that is expensive to compute, and computes it again once it is too old. So simultaneous callers get
 * the same value, and it is computed only once. Thread-safe.
 */
final class RecentValue<T> {
    private final Duration longest;
    private final Supplier<T> source;
    private final LongSupplier clock;
    private @Nullable T taken;
    private long takenNanos;

    /**
     * @param longest the maximum age of the value
     * @param source computes the value
     * @param clock in nanoseconds, like {@link System#nanoTime}
     */
    RecentValue(Duration longest, Supplier<T> source, LongSupplier clock) {
        this.longest = longest;
        this.source = source;
        this.clock = clock;
    }

    synchronized T get() {
        long now = clock.getAsLong();
        T value = taken;
        if (value == null || now - takenNanos > longest.toNanos()) {
            value = source.get();
            taken = value;
            takenNanos = now;
        }
        return value;
    }
}
