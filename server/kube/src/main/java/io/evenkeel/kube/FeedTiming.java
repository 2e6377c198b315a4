package io.evenkeel.kube;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * The clocks, waits and randomness of a feed.
 *
 * @param clock for the start of a phase, and how long a watch lasted
 * @param nanos nanoseconds from any origin, for waits that must not depend on the wall clock
 * @param random numbers from 0 to less than 1
 * @param pause waits
 * @param firstWait the longest wait after a first failure
 * @param longestWait the longest wait after many failures
 * @param quiet how long a watch may be silent before the API server is asked for its current version
 */
record FeedTiming(
        Clock clock,
        LongSupplier nanos,
        DoubleSupplier random,
        Pause pause,
        Duration firstWait,
        Duration longestWait,
        Duration quiet) {
    /** Blocks the calling thread. */
    interface Pause {
        /** Waits for this time, or until {@code end} completes in any way. */
        void last(Duration time, CompletableFuture<?> end) throws InterruptedException;

        /** Waits for this time. */
        default void last(Duration time) throws InterruptedException {
            last(time, new CompletableFuture<>());
        }
    }

    static FeedTiming real() {
        return new FeedTiming(
                Clock.systemUTC(),
                System::nanoTime,
                () -> ThreadLocalRandom.current().nextDouble(),
                FeedTiming::await,
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20));
    }

    private static void await(Duration time, CompletableFuture<?> end) throws InterruptedException {
        try {
            end.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            // Either ends the wait. The caller reports why it was given up.
        }
    }

    BackOff backOff() {
        return new BackOff(firstWait, longestWait, random);
    }
}
