package io.evenkeel.loadtest.rpc;

import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;

/**
 * The figures of one run, as they are printed and written to JSON.
 *
 * @param cluster the cluster as text
 */
record RpcReport(String cluster, String java, int processors, List<RpcRow> rows) {
    void show(PrintWriter out) {
        out.println();
        Table table = new Table("what", "p50 µs>", "p99 µs>", "control>", "ratio>", "pods/s>", "must be>", "holds");
        for (RpcRow row : rows) {
            table.row(
                    row.what(),
                    micros(row.p50Nanos()),
                    micros(row.p99Nanos()),
                    micros(row.besideNanos()),
                    String.format(Locale.ROOT, "%.2f", row.ratio()),
                    row.podsPerSecond() == 0 ? "" : Numbers.grouped(row.podsPerSecond()),
                    row.target(),
                    row.target().isEmpty() ? "" : row.holds() ? "yes" : "NO");
        }
        table.print(out);
        out.println("hard, soft: a zone and a hostname constraint of that kind; one pod per call, packed by default");
        out.println("what-if: one call that asks, for each node, whether the pod fits without the pods on it");
        out.println("control: p50 of an echo of equal size; for 10,000 events/s, p99 without events;");
        out.println("         for 20 first sights/s, p99 with as many calls about known pods");
        bounds().show(out);
    }

    /** The bounds of the rows that have a bound. */
    Bounds bounds() {
        Bounds bounds = new Bounds();
        rows.stream().filter(row -> !row.target().isEmpty()).forEach(row -> bounds.add(words(row), row.holds()));
        return bounds;
    }

    private static String words(RpcRow row) {
        return row.what() + ": ratio " + String.format(Locale.ROOT, "%.2f", row.ratio())
                + (row.podsPerSecond() == 0 ? "" : ", " + Numbers.grouped(row.podsPerSecond()) + " pods/s")
                + ", must be " + row.target();
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%,.1f", nanos / 1e3);
    }
}
