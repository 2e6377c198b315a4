package io.evenkeel.engine.lock;

import java.util.function.BooleanSupplier;

/**
 * Says when work under the lock has taken so long that other threads should get their turn: 200 µs after the slice
 * began.
 */
final class TimeSlice implements BooleanSupplier {
    private static final long NANOS = 200_000;

    private final long began = System.nanoTime();

    @Override
    public boolean getAsBoolean() {
        return System.nanoTime() - began >= NANOS;
    }
}
