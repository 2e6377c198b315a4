package io.evenkeel.lab.scheduler;

import java.util.List;
import java.util.Map;

/**
 * The time of a scheduler's plugins before it filters and before it scores the first node: PreFilter and PreScore, in
 * ms, as measured by kube-scheduler in each cycle. PodTopologySpread counts there, and Evenkeel's plugin calls the
 * server there. Other plugins take little time.
 *
 * <p>The p50 is the time of a typical cycle. It is interpolated within buckets that double in width: if all cycles take
 * between 51.2 and 102.4 ms, it is always 76.8 ms. The mean is exact, but includes cycles that waited long for a
 * processor.
 *
 * <p>kube-scheduler's times of single plugins are useless: they go through a buffer of 1,000, which is flushed once per
 * second and drops what does not fit. One cycle has thousands, one for each node and plugin.
 */
final class PluginTime {
    private static final String DURATION = "scheduler_framework_extension_point_duration_seconds";
    private static final List<String> POINTS = List.of("PreFilter", "PreScore");

    private PluginTime() {}

    /** The sum of the means. An extension point that no cycle reached counts as 0. */
    static double meanMillis(Metrics metrics) {
        return POINTS.stream()
                .map(point -> Map.of("extension_point", point))
                .mapToDouble(labels -> 1e3
                        * metrics.sum(DURATION + "_sum", labels)
                        / Math.max(1, metrics.sum(DURATION + "_count", labels)))
                .sum();
    }

    /** The sum of the medians. */
    static double p50Millis(Metrics metrics) {
        return POINTS.stream()
                .map(point -> Map.of("extension_point", point))
                .mapToDouble(labels -> 1e3 * metrics.histogram(DURATION, labels).quantile(0.5))
                .sum();
    }
}
