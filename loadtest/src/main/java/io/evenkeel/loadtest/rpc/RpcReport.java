package io.evenkeel.loadtest.rpc;

import io.evenkeel.loadtest.text.Bounds;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import java.util.List;
import java.util.Locale;

/**
 * The figures of one run, as they are printed and written to JSON.
 *
 * @param cluster the cluster in words
 */
record RpcReport(String cluster, String java, int processors, List<RpcRow> rows) {
    void show(Screen screen) {
        screen.blank();
        Table table = new Table("what", "p50 µs>", "p99 µs>", "beside>", "ratio>", "pods/s>", "must be>", "holds");
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
        screen.table(table);
        screen.line("hard, soft: a zone and a hostname constraint of that kind; one pod a call, packed, unless said");
        screen.line("what-if: one call that asks of each node with pods what it would be without them");
        screen.line("beside: p50 of an echo of equal sizes; with 10,000 events/s p99 without them;");
        screen.line("        with 20 first sights/s p99 beside as many calls about pods that are known");
        bounds().show(screen);
    }

    /** The bounds of the rows that have one. */
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
