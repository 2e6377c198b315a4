package io.evenkeel.loadtest.load;

import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;

/** Prints a report to the screen. */
final class ReportText {
    private ReportText() {}

    static void write(LoadReport report, Screen screen) {
        screen.blank();
        screen.line("%s calls, %s per second, %s pods per second; %s failed"
                .formatted(
                        Numbers.grouped(report.calls()),
                        Numbers.grouped(Math.round(report.callsPerSecond())),
                        Numbers.grouped(Math.round(report.podsPerSecond())),
                        Numbers.grouped(report.failed())));
        if (report.judgedPerSecond() < report.podsPerSecond()) {
            screen.line("evaluated pods: %s per call, %s per second; equal pods of a call are evaluated once"
                    .formatted(
                            Numbers.grouped(report.judgedPerCall()),
                            Numbers.grouped(Math.round(report.judgedPerSecond()))));
        }
        Table table = new Table("µs", "p50>", "p90>", "p99>", "p99.9>", "max>", "mean>");
        row(table, report.lateNanos() == null ? "latency" : "latency from schedule", report.latencyNanos());
        if (report.lateNanos() != null) {
            row(table, "of that, made late", report.lateNanos());
        }
        screen.table(table);
        LoadReport.ChurnReport churn = report.churn();
        if (churn != null) {
            screen.line("%s pod events sent during the run, %s per second; %s changed the state%s"
                    .formatted(
                            Numbers.grouped(churn.sent()),
                            Numbers.grouped(Math.round(churn.sentPerSecond())),
                            Numbers.grouped(churn.applied()),
                            churn.fault() == null ? "" : "; FAILED: " + churn.fault()));
        }
        if (!report.errors().isEmpty()) {
            Table errors = new Table("failed with", "reason", "calls>", "first error");
            report.errors()
                    .forEach(error -> errors.row(error.status(), error.reason(), error.calls(), error.example()));
            screen.table(errors);
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
