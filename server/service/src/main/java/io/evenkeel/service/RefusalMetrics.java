package io.evenkeel.service;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Counts the calls, stream items and connections that the server rejects at one of its limits or for lack of a right.
 * {@link ErrorReasonMetrics} counts the errors that callers receive. Thread-safe.
 */
final class RefusalMetrics {
    /** Immutable. */
    private final Map<Why, Counter> counters = new EnumMap<>(Why.class);

    /** Why something was rejected. Operators see the names in lower case. */
    enum Why {
        /** There was no room for a request or an answer. */
        BYTES,
        /** A request was left half sent, or answers were left unread. */
        STALLED,
        /** The queue of the call's pool was full. */
        BUSY,
        /** There were too many connections with admitted calls. */
        CONNECTIONS,
        /** There were too many connections without an admitted call, and one was closed. */
        NEWCOMERS,
        /** Too many calls were open. */
        CALLS,
        /** The caller did not have the right to the call, or lost it. */
        ACCESS
    }

    RefusalMetrics(MeterRegistry meters) {
        for (Why why : Why.values()) {
            counters.put(why, counter(why, meters));
        }
    }

    private static Counter counter(Why why, MeterRegistry meters) {
        return Counter.builder("evenkeel.server.refusals")
                .description(
                        "Calls and stream items that were rejected because they held too much, stalled, found a full queue,"
                                + " exceeded the limit of calls or connections, or lacked a right;"
                                + " and connections that were closed before an admitted call or because they left answers unread")
                .tag("why", why.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /** Counts one rejection. */
    void count(Why why) {
        Objects.requireNonNull(counters.get(why)).increment();
    }
}
