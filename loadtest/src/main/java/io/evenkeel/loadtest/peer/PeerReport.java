package io.evenkeel.loadtest.peer;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.loadtest.text.Table;
import java.util.List;
import java.util.Locale;

/**
 * The result of a comparison, and how it is printed.
 *
 * @param calls how many plugin calls were timed per question
 * @param differences a line for each difference between the answers
 */
record PeerReport(ClusterShape cluster, int calls, List<PeerRow> rows, List<String> differences) {
    private static final int MOST_DIFFERENCES = 20;

    PeerReport {
        rows = List.copyOf(rows);
        differences = List.copyOf(differences);
    }

    boolean bothSides() {
        return rows.stream().allMatch(row -> row.plugin() != null);
    }

    void show(Screen screen) {
        screen.blank();
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
        screen.table(table);
        screen.blank();
        differences.stream().limit(MOST_DIFFERENCES).forEach(screen::line);
        if (differences.size() > MOST_DIFFERENCES) {
            screen.line("... and " + Numbers.grouped(differences.size() - MOST_DIFFERENCES) + " more differences");
        }
        screen.line(closing());
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

    String toJson() {
        JsonObject json = new JsonObject();
        json.addProperty("nodes", cluster.nodes());
        json.addProperty("pods", cluster.pods());
        json.addProperty("sizes", cluster.sizes().name());
        json.addProperty("seed", cluster.seed());
        json.addProperty("java", Runtime.version().toString());
        json.addProperty("processors", Runtime.getRuntime().availableProcessors());
        json.addProperty("pluginCalls", calls);
        JsonArray list = new JsonArray();
        for (PeerRow row : rows) {
            JsonObject written = new JsonObject();
            written.addProperty("shape", row.question().shape().name());
            written.addProperty("candidates", row.evenkeel().codes().size());
            if (row.plugin() != null) {
                written.add("plugin", times(row.plugin()));
                written.addProperty("ratio", row.ratio());
            }
            written.add("evenkeel", times(row.evenkeel()));
            list.add(written);
        }
        json.add("rows", list);
        JsonArray differing = new JsonArray();
        differences.forEach(differing::add);
        json.add("differences", differing);
        return new GsonBuilder().setPrettyPrinting().create().toJson(json) + "\n";
    }

    private static JsonObject times(PeerAnswer answer) {
        JsonObject times = new JsonObject();
        times.addProperty("p50Nanos", answer.p50Nanos());
        times.addProperty("p99Nanos", answer.p99Nanos());
        return times;
    }
}
