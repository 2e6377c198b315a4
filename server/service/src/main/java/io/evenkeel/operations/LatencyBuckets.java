package io.evenkeel.operations;

import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The buckets of latency histograms. They are the same in every replica, so that histograms can be added, unlike
 * percentiles.
 */
public final class LatencyBuckets {
    /** From 50 µs to 10 s: calls over the network. */
    public static final LatencyBuckets OF_CALLS = new LatencyBuckets(Duration.ofNanos(50_000), Duration.ofSeconds(10));

    /** From 5 µs to 10 s: messages of streams, from reading them to answering them. */
    public static final LatencyBuckets OF_MESSAGES = new LatencyBuckets(
            Duration.ofNanos(5_000), Duration.ofMillis(100), Duration.ofSeconds(1), Duration.ofSeconds(10));

    /** From 1 µs to 50 ms: holds of the lock. */
    static final LatencyBuckets OF_HOLDS =
            new LatencyBuckets(Duration.ofNanos(1_000), Duration.ofMillis(10), Duration.ofMillis(50));

    private final List<Duration> bounds = new ArrayList<>();

    /** The bounds from {@code first} to {@code last} that are 1, 2.5 or 5 times a power of ten, and further ones. */
    private LatencyBuckets(Duration first, Duration last, Duration... further) {
        for (long power = 1_000; power <= last.toNanos(); power *= 10) {
            for (long nanos : new long[] {power, power * 5 / 2, power * 5}) {
                if (nanos >= first.toNanos() && nanos <= last.toNanos()) {
                    bounds.add(Duration.ofNanos(nanos));
                }
            }
        }
        bounds.addAll(List.of(further));
    }

    /** Makes the timer a histogram with these buckets. */
    public Timer.Builder in(Timer.Builder timer) {
        return timer.serviceLevelObjectives(bounds.toArray(Duration[]::new));
    }
}
