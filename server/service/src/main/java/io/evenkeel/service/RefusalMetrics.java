package io.evenkeel.service;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Counts the calls, items of streams and connections that the server refuses at one of its bounds, or for want of a
 * right. {@link ErrorReasonMetrics} counts what callers are told. Safe for use by several threads.
 */
final class RefusalMetrics {
    /** Never changed. */
    private final Map<Why, Counter> counters = new EnumMap<>(Why.class);

    /** Why something was refused. Operators see the names, in small letters. */
    enum Why {
        /** A request or an answer found no room. */
        BYTES,
        /** A request was left half sent, or what was sent was left unread. */
        STALLED,
        /** The queue of the call's pool was full. */
        BUSY,
        /** Too many connections had calls that were let in. */
        CONNECTIONS,
        /** Too many connections had no such call yet, and one was closed. */
        NEWCOMERS,
        /** Too many calls were open. */
        CALLS,
        /** The caller had no right to the call, or has lost it. */
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
                        "Calls and items of streams that were refused: they held too much, stalled, came when queues were full,"
                                + " were one call or used one connection too many, or had no right to what they asked for;"
                                + " and connections that were closed before they had such calls, or left unread")
                .tag("why", why.name().toLowerCase(Locale.ROOT))
                .register(meters);
    }

    /** Counts one refusal. */
    void count(Why why) {
        Objects.requireNonNull(counters.get(why)).increment();
    }
}
