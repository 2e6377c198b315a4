package io.evenkeel.placement.call;

import com.google.protobuf.Duration;

/** How long the answer to one request of a stream may take, from when this is made. Immutable. */
public final class TimeLimit {
    private static final long NONE = Long.MAX_VALUE;

    private final Duration given;
    private final long begin;
    private final long most;

    private TimeLimit(Duration given) {
        this.given = given;
        boolean unset = !WireDurations.isValid(given) || given.equals(Duration.getDefaultInstance());
        most = unset ? NONE : WireDurations.of(given).toNanos();
        begin = unset ? 0 : System.nanoTime();
    }

    /** The limit that a request gives; none where it is 0, or where it is not valid. */
    public static TimeLimit of(Duration given) {
        return new TimeLimit(given);
    }

    /** Refuses a request whose limit is not valid. */
    void requireValid(String field) {
        WireDurations.requireValid(given, field);
    }

    /** Whether the request gives one. */
    boolean isGiven() {
        return most != NONE;
    }

    /** Whether the time has passed. */
    public boolean isOver() {
        return most != NONE && System.nanoTime() - begin >= most;
    }

    /** The time that is left, or {@code longest} where that is less. */
    public java.time.Duration left(java.time.Duration longest) {
        if (most == NONE) {
            return longest;
        }
        java.time.Duration left = java.time.Duration.ofNanos(Math.max(0, most - (System.nanoTime() - begin)));
        return left.compareTo(longest) < 0 ? left : longest;
    }
}
