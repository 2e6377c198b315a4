package io.evenkeel.service;

import io.evenkeel.placement.call.Limits;
import java.time.Duration;

/**
 * How a server stops.
 *
 * <pre>
 *   unhealthy, all calls are answered │ no new calls, streams end, unary calls end │ the rest is broken off
 *   ├──────────── lameDuck ───────────┤                                            │
 *   ├──────────────────────────────── within ──────────────────────────────────────┤
 * </pre>
 *
 * @param lameDuck how long it goes on answering once it says that it is not healthy, so that load balancers can send
 *     calls elsewhere; at most {@code within}
 * @param within how long it may take to stop; at most 100 years
 */
public record StopTimes(Duration lameDuck, Duration within) {
    /** No time for load balancers, and five seconds in all. */
    public static final StopTimes DEFAULT = new StopTimes(Duration.ZERO, Duration.ofSeconds(5));

    public StopTimes {
        if (within.isNegative()) {
            throw new IllegalArgumentException("stopWithin must not be negative, was " + within);
        }
        if (within.compareTo(Limits.LONGEST) > 0) {
            throw new IllegalArgumentException("stopWithin must be at most " + Limits.LONGEST + ", was " + within);
        }
        if (lameDuck.isNegative()) {
            throw new IllegalArgumentException("lameDuck must not be negative, was " + lameDuck);
        }
        if (lameDuck.compareTo(within) > 0) {
            throw new IllegalArgumentException("lameDuck must be at most stopWithin, " + within + ", was " + lameDuck);
        }
    }

    /** The time for calls under way, after that for load balancers. */
    Duration forCalls() {
        return within.minus(lameDuck);
    }
}
