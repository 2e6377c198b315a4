package io.evenkeel.kube;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before the next attempt: twice as long after each failure, up to a bound, and a random part of it
 * less, so that many clients do not come back at the same time. Not safe for use by several threads.
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

    /** The wait after one more failure: from half of what it could be to all of it. */
    Duration next() {
        Duration most = next;
        Duration twice = most.multipliedBy(2);
        next = twice.compareTo(longest) > 0 ? longest : twice;
        long half = most.toNanos() / 2;
        return Duration.ofNanos(half + (long) (half * random.getAsDouble()));
    }

    /** It went well: the next failure is the first one. */
    void reset() {
        next = first;
    }

    /** As {@link #next()}, but no shorter than {@code least}. */
    Duration next(Duration least) {
        Duration wait = next();
        return least.compareTo(wait) > 0 ? least : wait;
    }
}
