package io.evenkeel.loadtest.load;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run and its result, as written to JSON. Fields whose names end in Nanos hold nanoseconds.
 *
 * @param start the start in ISO form
 * @param settings the options of the command
 * @param server the server that was asked: its address, version, nodes and pods
 * @param calls how many calls were due within the duration
 * @param podsPerSecond calls a second times pods a call
 * @param judgedPerCall how many pods of a call the server judges at most; it judges equal pods once
 * @param judgedPerSecond calls a second times these
 * @param failed how many calls failed, including those of the warm-up
 * @param latencyNanos the time from when each call was due until it was over, including failed calls
 * @param lateNanos how much later each call was made than it was due; null for a closed loop
 * @param churn null where there was none
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
     * The result of the pod events that were sent meanwhile.
     *
     * @param fault what went wrong; null where all went well
     */
    record ChurnReport(
            long sent,
            long applied,
            double sentPerSecond,
            @Nullable String fault) {}

    /** Whether every call and every event went well. */
    boolean isWell() {
        return failed == 0 && (churn == null || churn.fault() == null);
    }
}
