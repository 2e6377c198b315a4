package io.evenkeel.service;

import io.evenkeel.placement.call.Limits;
import java.time.Duration;

/**
 * The times for stopping a server.
 *
 * <pre>
 *   unhealthy, all calls are answered │ no new calls, streams end, unary calls end │  the rest is aborted   │
 *   ├──────────── lameDuck ───────────┼──────────────── forCalls ──────────────────┼──── forBreakingOff ────┤
 *   ├──────────────────────────────────────────── within ───────────────────────────────────────────────────┤
 * </pre>
 *
 * @param lameDuck how long it keeps answering while it is unhealthy, so that load balancers can send calls elsewhere;
 *     at most {@code within}
 * @param within the total time for stopping; at most 100 years
 */
public record StopTimes(Duration lameDuck, Duration within) {
    /** No time for load balancers, and five seconds in total. */
    public static final StopTimes DEFAULT = new StopTimes(Duration.ZERO, Duration.ofSeconds(5));

    /** The time after the lame duck, divided by this, is reserved for aborting calls. */
    private static final int PART_FOR_BREAKING_OFF = 5;

    private static final Duration MIN_ABORT_TIME = Duration.ofMillis(100);
    private static final Duration MAX_ABORT_TIME = Duration.ofSeconds(1);

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

    /** The time for calls in progress, after the time for load balancers. */
    Duration forCalls() {
        Duration left = within.minus(lameDuck).minus(forBreakingOff());
        return left.isNegative() ? Duration.ZERO : left;
    }

    /**
     * The time for aborting the remaining calls. This takes milliseconds, except on an overloaded machine. It has a
     * minimum, even if {@code within} leaves less.
     */
    Duration forBreakingOff() {
        Duration part = within.minus(lameDuck).dividedBy(PART_FOR_BREAKING_OFF);
        if (part.compareTo(MIN_ABORT_TIME) < 0) {
            return MIN_ABORT_TIME;
        }
        return part.compareTo(MAX_ABORT_TIME) > 0 ? MAX_ABORT_TIME : part;
    }
}
