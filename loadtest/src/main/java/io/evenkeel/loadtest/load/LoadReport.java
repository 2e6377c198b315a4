package io.evenkeel.loadtest.load;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A run and its result, as written to JSON. Fields named *Nanos are in nanoseconds.
 *
 * @param start the start time in ISO 8601
 * @param arguments the command line
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
        List<String> arguments,
        Server server,
        long calls,
        double callsPerSecond,
        double podsPerSecond,
        int judgedPerCall,
        double judgedPerSecond,
        long failed,
        List<ErrorCount> errors,
        Percentiles latencyNanos,
        @Nullable Percentiles lateNanos,
        @Nullable ChurnReport churn) {

    /** The server that was called, and the size of its cluster. */
    record Server(String target, String version, long nodes, long pods) {}

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

    /** Prints the report. */
    void show(PrintWriter out) {
        out.println();
        out.println("%s calls, %s per second, %s pods per second; %s failed"
                .formatted(
                        Numbers.grouped(calls),
                        Numbers.grouped(Math.round(callsPerSecond)),
                        Numbers.grouped(Math.round(podsPerSecond)),
                        Numbers.grouped(failed)));
        if (judgedPerSecond < podsPerSecond) {
            out.println("evaluated pods: %s per call, %s per second; equal pods of a call are evaluated once"
                    .formatted(Numbers.grouped(judgedPerCall), Numbers.grouped(Math.round(judgedPerSecond))));
        }
        Table table = new Table("µs", "p50>", "p90>", "p99>", "p99.9>", "max>", "mean>");
        row(table, lateNanos == null ? "latency" : "latency from schedule", latencyNanos);
        if (lateNanos != null) {
            row(table, "of that, made late", lateNanos);
        }
        table.print(out);
        if (churn != null) {
            out.println("%s pod events sent during the run, %s per second; %s changed the state%s"
                    .formatted(
                            Numbers.grouped(churn.sent()),
                            Numbers.grouped(Math.round(churn.sentPerSecond())),
                            Numbers.grouped(churn.applied()),
                            churn.fault() == null ? "" : "; FAILED: " + churn.fault()));
        }
        if (!errors.isEmpty()) {
            Table failures = new Table("failed with", "reason", "calls>", "first error");
            errors.forEach(error -> failures.row(error.status(), error.reason(), error.calls(), error.example()));
            failures.print(out);
        }
    }

    private static void row(Table table, String what, Percentiles nanos) {
        table.row(
                what,
                Numbers.micros(nanos.p50()),
                Numbers.micros(nanos.p90()),
                Numbers.micros(nanos.p99()),
                Numbers.micros(nanos.p999()),
                Numbers.micros(nanos.max()),
                Numbers.micros(Math.round(nanos.mean())));
    }
}
