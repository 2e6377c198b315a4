package io.evenkeel.placement.call;

import com.google.protobuf.Duration;

/** Parses the durations of requests. */
public final class WireDurations {
    /** The longest duration that protobuf allows: 10,000 years. */
    private static final long MAX_SECONDS = 315_576_000_000L;

    private static final long NANOS_A_SECOND = 1_000_000_000;

    private WireDurations() {}

    /** True if it is a non-negative duration that protobuf allows. */
    public static boolean isValid(Duration given) {
        return given.getSeconds() >= 0
                && given.getSeconds() <= MAX_SECONDS
                && given.getNanos() >= 0
                && given.getNanos() < NANOS_A_SECOND;
    }

    /** Rejects a request whose duration is negative, too long or malformed. */
    public static void requireValid(Duration given, String field) {
        if (!isValid(given)) {
            throw RequestException.invalid(
                    field,
                    "must be a duration from 0 to " + MAX_SECONDS + " s, was " + given.getSeconds() + " s and "
                            + given.getNanos() + " ns");
        }
    }

    /** Converts a valid duration; the result is at most {@link Limits#LONGEST}. */
    public static java.time.Duration of(Duration valid) {
        java.time.Duration duration = java.time.Duration.ofSeconds(valid.getSeconds(), valid.getNanos());
        return duration.compareTo(Limits.LONGEST) < 0 ? duration : Limits.LONGEST;
    }

    /** Converts nanoseconds to a message. */
    public static Duration ofNanos(long nanos) {
        return Duration.newBuilder()
                .setSeconds(nanos / NANOS_A_SECOND)
                .setNanos((int) (nanos % NANOS_A_SECOND))
                .build();
    }
}
