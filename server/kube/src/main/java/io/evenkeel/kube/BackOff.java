package io.evenkeel.kube;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * Exponential back-off with jitter: the wait doubles after each failure up to a maximum, and is shortened at random so
 * that many clients do not reconnect at the same time. Not thread-safe.
 */
final class BackOff {
    private final Duration first;
    private final Duration longest;
    private final DoubleSupplier random;
    private Duration next;

    /** @param random numbers from 0 to less than 1 */
    BackOff(Duration first, Duration longest, DoubleSupplier random) {
        this.first = first;
        this.longest = longest;
        this.random = random;
        this.next = first;
    }

    /** The wait after another failure: a random value between half of the current maximum and all of it. */
    Duration next() {
        Duration most = next;
        Duration twice = most.multipliedBy(2);
        next = twice.compareTo(longest) > 0 ? longest : twice;
        long half = most.toNanos() / 2;
        return Duration.ofNanos(half + (long) (half * random.getAsDouble()));
    }

    /** Resets the wait after a success. */
    void reset() {
        next = first;
    }

    /** Like {@link #next()}, but at least {@code least}. */
    Duration next(Duration least) {
        Duration wait = next();
        return least.compareTo(wait) > 0 ? least : wait;
    }
}
