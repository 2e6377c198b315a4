package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/** Prints the figures of a race. */
final class RaceReport {
    private RaceReport() {}

    static Bounds show(List<TurnResult> turns, List<Bounds.Bound> figures, PrintWriter out) {
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
        Bounds bounds = new Bounds().table(figures, out);
        bounds.show(out);
        return bounds;
    }

    private static String aPod(double seconds, TurnResult turn) {
        return decimal(1e3 * seconds / Math.max(1, turn.bound()));
    }

    static String decimal(double value) {
        return String.format(Locale.ROOT, "%,.2f", value);
    }
}
