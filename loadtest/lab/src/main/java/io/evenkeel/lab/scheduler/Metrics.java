package io.evenkeel.lab.scheduler;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A program's metrics in the Prometheus text format: samples, each with a name, labels and a value. Immutable. */
final class Metrics {
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? (\\S+)(?: \\d+)?");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    private record Sample(Map<String, String> labels, double value) {}

    private final Map<String, List<Sample>> samples = new HashMap<>();

    private Metrics() {}

    static Metrics parse(String text) {
        Metrics metrics = new Metrics();
        text.lines()
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .map(SAMPLE::matcher)
                .filter(Matcher::matches)
                .forEach(sample -> metrics.samples
                        .computeIfAbsent(sample.group(1), name -> new ArrayList<>())
                        .add(new Sample(labels(sample.group(2)), value(sample.group(3)))));
        return metrics;
    }

    /** The increase since earlier metrics, if all samples belong to counters or histograms. */
    Metrics since(Metrics earlier) {
        Metrics difference = new Metrics();
        samples.forEach((name, now) -> {
            Map<Map<String, String>, Double> before = new HashMap<>();
            earlier.samples
                    .getOrDefault(name, List.of())
                    .forEach(sample -> before.put(sample.labels(), sample.value()));
            difference.samples.put(
                    name,
                    now.stream()
                            .map(sample -> new Sample(
                                    sample.labels(), sample.value() - before.getOrDefault(sample.labels(), 0.0)))
                            .toList());
        });
        return difference;
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        if (text != null) {
            for (Matcher label = LABEL.matcher(text); label.find(); ) {
                labels.put(label.group(1), label.group(2));
            }
        }
        return labels;
    }

    private static double value(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    /** The sum of the samples with this name and these labels; 0 if there are none. */
    double sum(String name, Map<String, String> labels) {
        return matching(name, labels).stream().mapToDouble(Sample::value).sum();
    }

    /** The sums of the samples with this name, by the value of one label. */
    Map<String, Double> sums(String name, String label) {
        Map<String, Double> sums = new TreeMap<>();
        for (Sample sample : samples.getOrDefault(name, List.of())) {
            sums.merge(sample.labels().getOrDefault(label, ""), sample.value(), Double::sum);
        }
        return sums;
    }

    /** The histograms with this name and these labels, merged. */
    Buckets histogram(String name, Map<String, String> labels) {
        TreeMap<Double, Double> upTo = new TreeMap<>();
        for (Sample bucket : matching(name + "_bucket", labels)) {
            upTo.merge(value(bucket.labels().getOrDefault("le", "+Inf")), bucket.value(), Double::sum);
        }
        return new Buckets(upTo);
    }

    private List<Sample> matching(String name, Map<String, String> labels) {
        return samples.getOrDefault(name, List.of()).stream()
                .filter(sample -> sample.labels().entrySet().containsAll(labels.entrySet()))
                .toList();
    }

    /**
     * A histogram.
     *
     * @param upTo cumulative counts by upper bound
     */
    record Buckets(TreeMap<Double, Double> upTo) {
        double count() {
            return upTo.isEmpty() ? 0 : upTo.lastEntry().getValue();
        }

        /** A quantile, interpolated within its bucket like histogram_quantile; 0 if there are no values. */
        double quantile(double part) {
            double rank = part * count();
            double below = 0;
            double from = 0;
            for (Map.Entry<Double, Double> bucket : upTo.entrySet()) {
                double bound = bucket.getKey();
                double upToHere = bucket.getValue();
                if (upToHere >= rank && upToHere > below) {
                    return Double.isInfinite(bound)
                            ? from
                            : from + (bound - from) * (rank - below) / (upToHere - below);
                }
                below = upToHere;
                from = bound;
            }
            return 0;
        }
    }
}
