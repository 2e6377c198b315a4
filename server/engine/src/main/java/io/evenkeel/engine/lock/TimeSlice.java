package io.evenkeel.engine.lock;

import java.util.function.BooleanSupplier;

/** Says when work under the lock has taken so long that others should have a turn. */
final class TimeSlice implements BooleanSupplier {
    private static final long NANOS = 200_000;

    private final long began = System.nanoTime();

    @Override
    public boolean getAsBoolean() {
        return System.nanoTime() - began >= NANOS;
    }
}
