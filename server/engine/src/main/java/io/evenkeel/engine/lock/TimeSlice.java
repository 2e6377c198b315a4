package io.evenkeel.engine.lock;

import java.util.function.BooleanSupplier;

/** Ends a slice of work under the lock 200 µs after it began, so that other threads get their turn. */
final class TimeSlice implements BooleanSupplier {
    private static final long NANOS = 200_000;

    private final long began = System.nanoTime();

    @Override
    public boolean getAsBoolean() {
        return System.nanoTime() - began >= NANOS;
    }
}
