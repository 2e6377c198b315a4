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
 * The clocks and the dice of a feed.
 *
 * @param clock tells since when a feed does what it does, and how long a watch lasted
 * @param nanos nanoseconds from any origin, for waits that must not change where the clock is set
 * @param random numbers from 0 to less than 1
 * @param pause waits
 * @param firstWait the longest wait after a first failure
 * @param longestWait the longest wait after many
 * @param quiet how long a watch may say nothing before the API server is asked how far it is
 */
record FeedTiming(
        Clock clock,
        LongSupplier nanos,
        DoubleSupplier random,
        Pause pause,
        Duration firstWait,
        Duration longestWait,
        Duration quiet) {
    /** Waits in this thread. */
    interface Pause {
        /** Waits for so long, or until {@code end} completes in any way. */
        void last(Duration time, CompletableFuture<?> end) throws InterruptedException;

        /** Waits for so long. */
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
            // Either ends the wait. Why it was given up is told by whoever goes on.
        }
    }

    BackOff backOff() {
        return new BackOff(firstWait, longestWait, random);
    }
}
