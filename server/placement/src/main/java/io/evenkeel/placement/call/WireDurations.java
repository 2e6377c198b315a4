package io.evenkeel.placement.call;

import com.google.protobuf.Duration;

/** Reads the durations of requests. */
public final class WireDurations {
    /** The longest duration that protobuf allows: 10,000 years. */
    private static final long MOST_SECONDS = 315_576_000_000L;

    private static final long NANOS_A_SECOND = 1_000_000_000;

    private WireDurations() {}

    /** Whether it is a duration of at least 0 that protobuf allows. */
    static boolean isValid(Duration given) {
        return given.getSeconds() >= 0
                && given.getSeconds() <= MOST_SECONDS
                && given.getNanos() >= 0
                && given.getNanos() < NANOS_A_SECOND;
    }

    /** Refuses a request with a duration that is negative, too long, or none. */
    public static void requireValid(Duration given, String field) {
        if (!isValid(given)) {
            throw RequestException.invalid(
                    field,
                    "must be a duration from 0 to " + MOST_SECONDS + " s, was " + given.getSeconds() + " s and "
                            + given.getNanos() + " ns");
        }
    }

    /** A valid duration; at most {@link Limits#LONGEST}. */
    public static java.time.Duration of(Duration valid) {
        java.time.Duration duration = java.time.Duration.ofSeconds(valid.getSeconds(), valid.getNanos());
        return duration.compareTo(Limits.LONGEST) < 0 ? duration : Limits.LONGEST;
    }

    /** The duration as a message. */
    public static Duration ofNanos(long nanos) {
        return Duration.newBuilder()
                .setSeconds(nanos / NANOS_A_SECOND)
                .setNanos((int) (nanos % NANOS_A_SECOND))
                .build();
    }
}
