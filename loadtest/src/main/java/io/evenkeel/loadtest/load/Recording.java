package io.evenkeel.loadtest.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * What is seen of calls. Every call that was due after warm-up is in the latencies, those that failed too; what failed
 * is counted from the start. Any thread may tell of calls; one thread asks.
 */
final class Recording {
    /** Of three significant digits, up to an hour. */
    private static final int DIGITS = 3;

    private static final long LONGEST_NANOS = 3_600_000_000_000L;

    private final long from;
    private final Recorder latencies = new Recorder(LONGEST_NANOS, DIGITS);
    private final Recorder delays = new Recorder(LONGEST_NANOS, DIGITS);
    private final Map<String, ErrorCount> errors = new TreeMap<>();
    private long failed;

    /** @param from when warm-up ends, by {@link Clock#nanos} */
    Recording(long from) {
        this.from = from;
    }

    /** A call that was due at {@code due} is made now. */
    void made(long due, long now) {
        if (due - from >= 0) {
            delays.recordValue(within(now - due));
        }
    }

    /** A call that was due at {@code due} is over now. */
    void completed(long due, long now, @Nullable Fault fault) {
        if (due - from >= 0) {
            latencies.recordValue(within(now - due));
        }
        if (fault != null) {
            failed(fault);
        }
    }

    private synchronized void failed(Fault fault) {
        failed++;
        errors.merge(fault.status(), new ErrorCount(fault.status(), 1, fault.message()), ErrorCount::plus);
    }

    /** Latencies in nanoseconds since the last time this was asked. */
    Histogram nextLatencies() {
        return latencies.getIntervalHistogram();
    }

    /** By how many nanoseconds calls were made later than they were due, since the last time this was asked. */
    Histogram nextDelays() {
        return delays.getIntervalHistogram();
    }

    /** How many calls have failed. */
    synchronized long failed() {
        return failed;
    }

    /** What they failed of. */
    synchronized List<ErrorCount> errors() {
        return new ArrayList<>(errors.values());
    }

    private static long within(long nanos) {
        return Math.max(0, Math.min(nanos, LONGEST_NANOS));
    }
}
