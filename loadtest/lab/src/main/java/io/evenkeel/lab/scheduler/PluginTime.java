package io.evenkeel.lab.scheduler;

import java.util.List;
import java.util.Map;

/**
 * What the plugins of a scheduler take before it judges the first node, and before it scores the first: the times of
 * PreFilter and of PreScore, in ms, which kube-scheduler measures in each cycle. PodTopologySpread counts there, and
 * Evenkeel's plugin asks there; others take little.
 *
 * <p>The p50 is what a usual cycle takes. It is interpolated in buckets of which each is twice as wide as the one
 * before: where all cycles take between 51.2 and 102.4 ms, it is 76.8 ms whatever they take. The mean is exact, and has
 * the cycles in it that waited long for a processor.
 *
 * <p>The times that kube-scheduler tells of single plugins are of no use: they go through a buffer of 1,000, which is
 * emptied once a second, and what has no room is dropped. One cycle has thousands, one for each node and plugin.
 */
final class PluginTime {
    private static final String DURATION = "scheduler_framework_extension_point_duration_seconds";
    private static final List<String> POINTS = List.of("PreFilter", "PreScore");

    private PluginTime() {}

    /** The sum of the means. A point that no cycle came to takes no time. */
    static double meanMillis(Metrics metrics) {
        return POINTS.stream()
                .map(point -> Map.of("extension_point", point))
                .mapToDouble(labels -> 1e3
                        * metrics.sum(DURATION + "_sum", labels)
                        / Math.max(1, metrics.sum(DURATION + "_count", labels)))
                .sum();
    }

    /** The sum of the p50. */
    static double p50Millis(Metrics metrics) {
        return POINTS.stream()
                .map(point -> Map.of("extension_point", point))
                .mapToDouble(labels -> 1e3 * metrics.histogram(DURATION, labels).quantile(0.5))
                .sum();
    }
}
