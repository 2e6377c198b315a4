package io.evenkeel.lab.scheduler;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Prints the figures of a race. */
final class RaceReport {
    private RaceReport() {}

    /** Prints the medians of each side's turns, then each turn, then the bounds. */
    static Bounds show(List<TurnResult> turns, List<Bounds.Bound> figures, PrintWriter out) {
        Table rates = new Table(
                "pods", "scheduler", "bound>", "pods/s>", "plugins ms>", "p50>", "attempt p50>", "p99>", "violated>");
        Table times =
                new Table("pods", "CPU ms per pod", "scheduler>", "asked>", "API server>", "etcd>", "this program>");
        Table cycles = new Table("pods", "scheduler", "cycles by Evenkeel, and others by reason", "comparisons");
        for (TurnResult turn : turns) {
            Comparisons comparisons = turn.comparisons();
            if (comparisons != null) {
                cycles.row(
                        turn.shape(),
                        turn.side(),
                        AnswerSources.words(turn.cycles()),
                        "equal %,d, different %,d, missing %,d"
                                .formatted(comparisons.equal(), comparisons.different(), comparisons.missing()));
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
                    decimal(turn.millisPerPod(took.scheduler())),
                    decimal(turn.millisPerPod(took.asked())),
                    decimal(turn.millisPerPod(took.apiServer())),
                    decimal(turn.millisPerPod(took.etcd())),
                    decimal(turn.millisPerPod(took.harness())));
        }
        out.println();
        medians(turns).print(out);
        out.println();
        rates.print(out);
        out.println();
        times.print(out);
        out.println();
        if (turns.stream().anyMatch(turn -> turn.comparisons() != null)) {
            cycles.print(out);
            out.println();
        }
        Bounds bounds = new Bounds().table(figures, out);
        bounds.show(out);
        return bounds;
    }

    private static Table medians(List<TurnResult> turns) {
        Table medians = new Table(
                "pods",
                "medians",
                "turns>",
                "pods/s>",
                "vs stock>",
                "CPU ms per pod>",
                "scheduler MiB>",
                "asked MiB>",
                "by Evenkeel>");
        Map<String, Map<String, List<TurnResult>>> byShape = turns.stream()
                .collect(groupingBy(
                        TurnResult::shape,
                        LinkedHashMap::new,
                        groupingBy(TurnResult::side, LinkedHashMap::new, toList())));
        byShape.forEach((shape, bySide) -> bySide.forEach((side, some) -> {
            double rate = TurnResult.median(some, TurnResult::podsPerSecond);
            List<TurnResult> stock = bySide.getOrDefault(Side.STOCK.words(), List.of());
            boolean asks = some.get(0).comparisons() != null;
            medians.row(
                    shape,
                    side,
                    some.size(),
                    decimal(rate),
                    stock.isEmpty() ? "" : decimal(rate / TurnResult.median(stock, TurnResult::podsPerSecond)) + "x",
                    decimal(TurnResult.median(
                            some,
                            turn -> turn.millisPerPod(turn.processorSeconds().scheduler()))),
                    Math.round(TurnResult.median(some, turn -> turn.peakMemory().scheduler())),
                    asks
                            ? Math.round(TurnResult.median(
                                    some, turn -> turn.peakMemory().asked()))
                            : "",
                    some.get(0).cycles().isEmpty()
                            ? ""
                            : percent(TurnResult.median(some, turn -> AnswerSources.share(turn.cycles()))));
        }));
        return medians;
    }

    /** A share, rounded down, so that 100% means all. */
    static String percent(double share) {
        return decimal(Math.floor(1e4 * share) / 1e2) + "%";
    }

    static String decimal(double value) {
        return String.format(Locale.ROOT, "%,.2f", value);
    }
}
