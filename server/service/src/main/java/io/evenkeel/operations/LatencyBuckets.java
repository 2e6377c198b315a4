package io.evenkeel.operations;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The buckets of latency histograms. They are the same in every replica, so that histograms can be added, unlike
 * percentiles.
 */
public final class LatencyBuckets {
    /** From 50 µs to 10 s: calls over the network. */
    public static final LatencyBuckets OF_CALLS = new LatencyBuckets(
            50_000,
            100_000,
            250_000,
            500_000,
            1_000_000,
            2_500_000,
            5_000_000,
            10_000_000,
            25_000_000,
            50_000_000,
            100_000_000,
            250_000_000,
            500_000_000,
            1_000_000_000,
            2_500_000_000L,
            5_000_000_000L,
            10_000_000_000L);

    /** From 5 µs to 10 s: messages of streams, from reading them to answering them. */
    public static final LatencyBuckets OF_MESSAGES = new LatencyBuckets(
            5_000,
            10_000,
            25_000,
            50_000,
            100_000,
            250_000,
            500_000,
            1_000_000,
            2_500_000,
            5_000_000,
            10_000_000,
            25_000_000,
            50_000_000,
            100_000_000,
            1_000_000_000,
            10_000_000_000L);

    /** From 1 µs to 50 ms: holds of the lock. */
    static final LatencyBuckets OF_HOLDS = new LatencyBuckets(
            1_000,
            2_500,
            5_000,
            10_000,
            25_000,
            50_000,
            100_000,
            250_000,
            500_000,
            1_000_000,
            2_500_000,
            5_000_000,
            10_000_000,
            50_000_000);

    private final List<Duration> bounds;

    private LatencyBuckets(long... nanos) {
        bounds = LongStream.of(nanos).mapToObj(Duration::ofNanos).toList();
    }

    /** Makes the timer a histogram with these buckets. */
    public Timer.Builder in(Timer.Builder timer) {
        return timer.serviceLevelObjectives(bounds.toArray(Duration[]::new));
    }
}
