package io.evenkeel.placement.call;

import com.google.protobuf.Duration;

/** How long the answer to one request of a stream may take, from the creation of this object. Immutable. */
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

    /** The limit that a request sets; none if it is 0 or invalid. */
    public static TimeLimit of(Duration given) {
        return new TimeLimit(given);
    }

    /** Rejects a request whose limit is invalid. */
    void requireValid(String field) {
        WireDurations.requireValid(given, field);
    }

    /** True if the request sets a limit. */
    boolean isGiven() {
        return most != NONE;
    }

    /** True if the limit has passed. */
    public boolean isOver() {
        return most != NONE && System.nanoTime() - begin >= most;
    }

    /** The remaining time, but at most {@code longest}. */
    public java.time.Duration left(java.time.Duration longest) {
        if (most == NONE) {
            return longest;
        }
        java.time.Duration left = java.time.Duration.ofNanos(Math.max(0, most - (System.nanoTime() - begin)));
        return left.compareTo(longest) < 0 ? left : longest;
    }
}
