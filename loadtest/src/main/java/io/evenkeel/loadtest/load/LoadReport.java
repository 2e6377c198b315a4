package io.evenkeel.loadtest.load;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A run and what came of it, as it is written to JSON. Names that end in Nanos hold nanoseconds.
 *
 * @param start in ISO form
 * @param settings what was asked of the command
 * @param server what was asked: its address, version, nodes and pods
 * @param calls those that were due within the duration
 * @param podsPerSecond calls a second times pods a call
 * @param judgedPerCall how many of a call's pods the server judges at most: those that are alike it judges once
 * @param judgedPerSecond calls a second times these
 * @param failed calls that failed, those of warm-up too
 * @param latencyNanos from when each call was due until it was over, failed ones too
 * @param lateNanos by how much each was made later than it was due; null for a closed loop
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
     * What became of the pod events sent alongside.
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
