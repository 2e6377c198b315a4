package io.evenkeel.operations;

import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A value that costs something to take, and is taken anew once it is older than it may be. So those who ask at the same
 * time get the same, and it is taken once for all of them. Safe for use by several threads.
 */
final class RecentValue<T> {
    private final Duration longest;
    private final Supplier<T> source;
    private final LongSupplier clock;
    private @Nullable T taken;
    private long takenNanos;

    /**
     * @param longest how old it may be
     * @param source takes it
     * @param clock in nanoseconds, as {@link System#nanoTime}
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
