package io.evenkeel.client;

import java.time.Duration;

/** Validates the time limits of calls and requests. */
final class Deadlines {
    /** 100 years. Much longer times overflow a long of nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private Deadlines() {}

    /** The time, capped at 100 years. */
    static Duration positive(String name, Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException(name + " must be more than zero, was " + time);
        }
        return time.compareTo(LONGEST) > 0 ? LONGEST : time;
    }
}
