package io.evenkeel.lab.peer;

import io.evenkeel.loadtest.cluster.Spread;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Table;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Compares the answers of both sides, and prints their times. */
final class PeerReport {
    private static final int MAX_DIFFERENCES = 20;

    private final List<Row> rows = new ArrayList<>();

    /** A line for each difference between the answers. */
    private final List<String> differences = new ArrayList<>();

    /** How long the calls of one side took. */
    record Times(long p50Nanos, long p99Nanos) {
        static Times of(PeerAnswer answer) {
            return new Times(answer.p50Nanos(), answer.p99Nanos());
        }
    }

    /**
     * The times of a question, as written to JSON.
     *
     * @param copies how many pods were placed; 0 if the pod was only judged
     * @param plugin the plugin's times; null if the plugin was not run
     * @param ratio the plugin's median time divided by Evenkeel's; 0 if the plugin was not run
     */
    record Row(
            Spread shape,
            int candidates,
            int copies,
            @Nullable Times plugin,
            Times evenkeel,
            double ratio) {}

    /** @param plugin the plugin's answer; null if the plugin was not run */
    void add(PeerQuestion question, @Nullable PeerAnswer plugin, PeerAnswer evenkeel) {
        Times ours = Times.of(evenkeel);
        Times theirs = plugin == null ? null : Times.of(plugin);
        double ratio = theirs == null ? 0 : (double) theirs.p50Nanos() / Math.max(1, ours.p50Nanos());
        rows.add(new Row(question.shape(), evenkeel.codes().size(), question.copies(), theirs, ours, ratio));
        if (plugin != null) {
            compare(question.name() + ", verdict on ", plugin.codes(), evenkeel.codes());
            compare(question.name() + ", score of ", plugin.scores(), evenkeel.scores());
            compare(question.name() + ", node of copy ", byNumber(plugin.placed()), byNumber(evenkeel.placed()));
        }
    }

    private <T> void compare(String what, Map<String, T> plugin, Map<String, T> evenkeel) {
        Set<String> nodes = new TreeSet<>(plugin.keySet());
        nodes.addAll(evenkeel.keySet());
        for (String node : nodes) {
            String theirs = words(plugin, node);
            String ours = words(evenkeel, node);
            if (!theirs.equals(ours)) {
                differences.add(what + node + ": the plugin says " + theirs + ", Evenkeel " + ours);
            }
        }
    }

    private static Map<String, String> byNumber(List<String> placed) {
        Map<String, String> byNumber = new HashMap<>();
        for (String node : placed) {
            byNumber.put(Integer.toString(byNumber.size() + 1), node);
        }
        return byNumber;
    }

    private static <T> String words(Map<String, T> answers, String node) {
        T value = answers.get(node);
        return value == null ? "nothing" : value.toString();
    }

    List<Row> rows() {
        return rows;
    }

    List<String> differences() {
        return differences;
    }

    void show(PrintWriter out) {
        Table table =
                new Table("incoming pod", "what", "plugin p50 ms>", "p99 ms>", "Evenkeel p50 µs>", "p99 µs>", "ratio>");
        for (Row row : rows) {
            Times plugin = row.plugin();
            table.row(
                    row.shape().words(),
                    row.copies() > 0 ? "place " + row.copies() : "judge on " + Numbers.grouped(row.candidates()),
                    plugin == null ? "-" : millis(plugin.p50Nanos()),
                    plugin == null ? "-" : millis(plugin.p99Nanos()),
                    Numbers.micros(row.evenkeel().p50Nanos()),
                    Numbers.micros(row.evenkeel().p99Nanos()),
                    plugin == null ? "-" : times(row.ratio()));
        }
        out.println();
        table.print(out);
        out.println();
        differences.stream().limit(MAX_DIFFERENCES).forEach(out::println);
        if (differences.size() > MAX_DIFFERENCES) {
            out.println("... and " + Numbers.grouped(differences.size() - MAX_DIFFERENCES) + " more differences");
        }
        out.println(closing());
    }

    private String closing() {
        long shapes = rows.stream().map(Row::shape).distinct().count();
        if (rows.stream().anyMatch(row -> row.plugin() == null)) {
            return shapes + " shapes answered by Evenkeel alone";
        }
        return differences.isEmpty()
                ? shapes + " shapes agree, slowest ratio "
                        + times(rows.stream().mapToDouble(Row::ratio).min().orElse(0))
                : Numbers.grouped(differences.size()) + " answers DIFFER";
    }

    /** Milliseconds with three decimals, because the plugin takes only microseconds if there is nothing to count. */
    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%,.3f", nanos / 1e6);
    }

    private static String times(double ratio) {
        return Numbers.grouped(Math.round(ratio)) + "×";
    }
}
