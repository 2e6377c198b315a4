package io.evenkeel.kube;

import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * The clock and the dice of a feed.
 *
 * @param clock tells since when a feed does what it does, and how long a watch lasted
 * @param random numbers from 0 to less than 1
 * @param pause waits
 * @param firstWait the longest wait after a first failure
 * @param longestWait the longest wait after many
 * @param quiet how long a watch may say nothing before the API server is asked how far it is
 */
record FeedTiming(
        Clock clock, DoubleSupplier random, Pause pause, Duration firstWait, Duration longestWait, Duration quiet) {
    /** Waits in this thread. */
    interface Pause {
        void last(Duration time) throws InterruptedException;
    }

    static FeedTiming real() {
        return new FeedTiming(
                Clock.systemUTC(),
                () -> ThreadLocalRandom.current().nextDouble(),
                time -> Thread.sleep(time.toMillis()),
                Duration.ofMillis(500),
                Duration.ofSeconds(30),
                Duration.ofSeconds(20));
    }

    BackOff backOff() {
        return new BackOff(firstWait, longestWait, random);
    }
}
