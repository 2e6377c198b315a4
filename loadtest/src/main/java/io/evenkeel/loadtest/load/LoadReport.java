package io.evenkeel.loadtest.load;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run and its result, as written to JSON. Fields named *Nanos are in nanoseconds.
 *
 * @param start the start time in ISO 8601
 * @param settings the options of the command
 * @param server the server that was called: its address, version, nodes and pods
 * @param calls how many calls were due within the duration
 * @param podsPerSecond calls per second times pods per call
 * @param judgedPerCall the maximum number of pods that the server evaluates per call; it evaluates equal pods once
 * @param judgedPerSecond calls per second times {@code judgedPerCall}
 * @param failed the number of failed calls, including the warm-up
 * @param latencyNanos the time from when each call was due to its end, including failed calls
 * @param lateNanos how late each call was made; null for a closed loop
 * @param churn null if no events were sent
 */
record LoadReport(
        String start,
        Map<String, Object> settings,
        Map<String, Object> server,
        long calls,
        double callsPerSecond,
        double podsPerSecond,
        int judgedPerCall,
        double judgedPerSecond,
        long failed,
        List<ErrorCount> errors,
        Percentiles latencyNanos,
        @Nullable Percentiles lateNanos,
        List<LoadSecond> seconds,
        @Nullable ChurnReport churn) {

    /**
     * The result of the pod events that were sent during the run.
     *
     * @param fault what failed; null if nothing did
     */
    record ChurnReport(
            long sent,
            long applied,
            double sentPerSecond,
            @Nullable String fault) {}

    /** Whether every call and every event succeeded. */
    boolean isWell() {
        return failed == 0 && (churn == null || churn.fault() == null);
    }
}
