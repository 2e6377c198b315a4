package io.evenkeel.loadtest.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Records calls and their latencies. The latencies include every call that was due after the warm-up, even failed
 * calls. Failures are counted from the start. Any thread may record; one thread reads.
 */
final class LatencyRecording {
    /** Significant digits of the recorded values, which can be up to an hour. */
    private static final int DIGITS = 3;

    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private final long from;
    private final Histogram latencies = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
    private final Histogram failures = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
    private final Histogram delays = new ConcurrentHistogram(LONGEST_NANOS, DIGITS);
    /** Errors by {@link Fault#kind}. */
    private final Map<String, ErrorCount> errors = new TreeMap<>();

    private long failed;

    /** @param from when the warm-up ends, by {@link Clock#nanos} */
    LatencyRecording(long from) {
        this.from = from;
    }

    /** Records that a call due at {@code due} was made at {@code now}. */
    void made(long due, long now) {
        if (due - from >= 0) {
            delays.recordValue(within(now - due));
        }
    }

    /** Records that a call due at {@code due} ended at {@code now}. */
    void completed(long due, long now, @Nullable Fault fault) {
        if (due - from >= 0) {
            latencies.recordValue(within(now - due));
            if (fault != null) {
                failures.recordValue(within(now - due));
            }
        }
        if (fault != null) {
            failed(fault);
        }
    }

    private synchronized void failed(Fault fault) {
        failed++;
        errors.merge(
                fault.kind(), new ErrorCount(fault.status(), fault.reason(), 1, fault.message()), ErrorCount::plus);
    }

    /** The latencies in nanoseconds. */
    Histogram latencies() {
        return latencies;
    }

    /** The latencies of failed calls, which {@link #latencies} contains too. */
    Histogram failures() {
        return failures;
    }

    /** How many nanoseconds late calls were made. */
    Histogram delays() {
        return delays;
    }

    /** The number of failed calls. */
    synchronized long failed() {
        return failed;
    }

    /** The failures by status and reason. */
    synchronized List<ErrorCount> errors() {
        return new ArrayList<>(errors.values());
    }

    private static long within(long nanos) {
        return Math.max(0, Math.min(nanos, LONGEST_NANOS));
    }
}
