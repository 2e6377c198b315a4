package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * The figures of a race, as they are printed and written to JSON.
 *
 * @param begun the start time in ISO 8601
 * @param cluster the cluster as text
 */
record RaceReport(
        String begun, String cluster, String java, int processors, List<TurnResult> turns, List<Bounds.Bound> bounds) {

    void show(PrintWriter out) {
        Table rates = new Table(
                "pods", "scheduler", "bound>", "pods/s>", "plugins ms>", "p50>", "attempt p50>", "p99>", "violated>");
        Table times =
                new Table("pods", "CPU ms per pod", "scheduler>", "asked>", "API server>", "etcd>", "this program>");
        Table answers = new Table("pods", "scheduler", "answers of the plugin: from Evenkeel, and by reason if not");
        for (TurnResult turn : turns) {
            if (!turn.answers().isEmpty()) {
                answers.row(turn.shape(), turn.side(), AnswerSources.words(turn.answers()));
            }
            rates.row(
                    turn.shape(),
                    turn.side(),
                    Numbers.grouped(turn.bound()),
                    decimal(turn.podsPerSecond()),
                    decimal(turn.pluginMillis()),
                    decimal(turn.pluginP50Millis()),
                    decimal(turn.attemptP50Millis()),
                    decimal(turn.attemptP99Millis()),
                    turn.violated().size());
            ProcessorTimes took = turn.processorSeconds();
            times.row(
                    turn.shape(),
                    turn.side(),
                    aPod(took.scheduler(), turn),
                    aPod(took.asked(), turn),
                    aPod(took.apiServer(), turn),
                    aPod(took.etcd(), turn),
                    aPod(took.harness(), turn));
        }
        out.println();
        rates.print(out);
        out.println();
        times.print(out);
        out.println();
        if (turns.stream().anyMatch(turn -> !turn.answers().isEmpty())) {
            answers.print(out);
            out.println();
        }
        new Bounds().table(bounds, out).show(out);
    }

    private static String aPod(double seconds, TurnResult turn) {
        return decimal(1e3 * seconds / Math.max(1, turn.bound()));
    }

    static String decimal(double value) {
        return String.format(Locale.ROOT, "%,.2f", value);
    }

    /** Whether every bound holds. */
    boolean isWell() {
        return bounds.stream().allMatch(Bounds.Bound::holds);
    }
}
