package io.evenkeel.loadtest.peer;

import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.load.FiguresOutput;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The result of a comparison, and how it is printed.
 *
 * @param calls how many plugin calls were timed per question
 * @param differences a line for each difference between the answers
 */
record PeerReport(ClusterShape cluster, int calls, List<PeerRow> rows, List<String> differences) {
    private static final int MAX_DIFFERENCES = 20;

    PeerReport {
        rows = List.copyOf(rows);
        differences = List.copyOf(differences);
    }

    boolean bothSides() {
        return rows.stream().allMatch(row -> row.plugin() != null);
    }

    void show(PrintWriter out) {
        out.println();
        Table table = new Table(
                "incoming pod", "nodes>", "plugin p50 ms>", "p99 ms>", "Evenkeel p50 µs>", "p99 µs>", "ratio>");
        for (PeerRow row : rows) {
            PeerAnswer plugin = row.plugin();
            table.row(
                    row.question().shape().words(),
                    row.evenkeel().codes().size(),
                    plugin == null ? "-" : millis(plugin.p50Nanos()),
                    plugin == null ? "-" : millis(plugin.p99Nanos()),
                    Numbers.micros(row.evenkeel().p50Nanos()),
                    Numbers.micros(row.evenkeel().p99Nanos()),
                    plugin == null ? "-" : times(row.ratio()));
        }
        table.print(out);
        out.println();
        differences.stream().limit(MAX_DIFFERENCES).forEach(out::println);
        if (differences.size() > MAX_DIFFERENCES) {
            out.println("... and " + Numbers.grouped(differences.size() - MAX_DIFFERENCES) + " more differences");
        }
        out.println(closing());
    }

    private String closing() {
        long shapes =
                rows.stream().map(row -> row.question().shape()).distinct().count();
        if (!bothSides()) {
            return shapes + " shapes answered by Evenkeel alone";
        }
        if (!differences.isEmpty()) {
            return Numbers.grouped(differences.size()) + " answers DIFFER";
        }
        return shapes + " shapes agree, slowest ratio "
                + times(rows.stream().mapToDouble(PeerRow::ratio).min().orElse(0));
    }

    /** Milliseconds with three decimals, because the plugin takes only microseconds if there is nothing to count. */
    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%,.3f", nanos / 1e6);
    }

    private static String times(double ratio) {
        return Numbers.grouped(Math.round(ratio)) + "×";
    }

    Map<String, Object> toJson() {
        List<Map<String, Object>> list = new ArrayList<>();
        for (PeerRow row : rows) {
            Map<String, Object> written = new LinkedHashMap<>();
            written.put("shape", row.question().shape().name());
            written.put("candidates", row.evenkeel().codes().size());
            if (row.plugin() != null) {
                written.put("plugin", times(row.plugin()));
                written.put("ratio", row.ratio());
            }
            written.put("evenkeel", times(row.evenkeel()));
            list.add(written);
        }
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("nodes", cluster.nodes());
        json.put("pods", cluster.pods());
        json.put("sizes", cluster.sizes().name());
        json.put("seed", cluster.seed());
        json.put("pluginCalls", calls);
        json.put("rows", list);
        json.put("differences", differences);
        return FiguresOutput.ofThisMachine(json);
    }

    private static Map<String, Long> times(PeerAnswer answer) {
        return Map.of("p50Nanos", answer.p50Nanos(), "p99Nanos", answer.p99Nanos());
    }
}
