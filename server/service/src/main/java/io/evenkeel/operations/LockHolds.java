package io.evenkeel.operations;

import io.evenkeel.engine.lock.LockProbe;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long threads hold the engine's lock. Every write is timed. Reads take less time than timing them, so
 * only one in 64 is timed.
 */
final class LockHolds implements LockProbe {
    private static final int ONE_IN = 64;

    private final long origin = System.nanoTime() - 1;
    private final Timer writers;
    private final Timer readers;

    LockHolds(MeterRegistry registry) {
        writers = timer(registry, "writers");
        readers = timer(registry, "readers");
    }

    private static Timer timer(MeterRegistry registry, String who) {
        return LatencyBuckets.OF_HOLDS
                .in(Timer.builder("evenkeel.lock.held"))
                .description("How long threads held the lock: every write, and one in " + ONE_IN + " reads")
                .tag("by", who)
                .register(registry);
    }

    @Override
    public boolean timesNextRead() {
        return (ThreadLocalRandom.current().nextInt() & ONE_IN - 1) == 0;
    }

    @Override
    public long now() {
        return System.nanoTime() - origin;
    }

    @Override
    public void held(boolean writing, long nanos) {
        (writing ? writers : readers).record(nanos, TimeUnit.NANOSECONDS);
    }
}
