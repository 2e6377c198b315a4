package io.evenkeel.loadtest.scheduler;

import java.util.List;
import java.util.Map;

/**
 * What the plugins of a scheduler take before it judges the first node, and before it scores the first: the sum of the
 * p50 of PreFilter and of PreScore, in ms, which kube-scheduler measures in each cycle. PodTopologySpread counts there,
 * and Evenkeel's plugin asks there; others take little.
 *
 * <p>The times that kube-scheduler tells of single plugins are of no use: they go through a buffer of 1,000, which is
 * emptied once a second, and what has no room is dropped. One cycle has thousands, one for each node and plugin.
 */
final class PluginTime {
    private static final String DURATION = "scheduler_framework_extension_point_duration_seconds";
    private static final List<String> POINTS = List.of("PreFilter", "PreScore");

    private PluginTime() {}

    static double millis(Metrics metrics) {
        return POINTS.stream()
                .mapToDouble(point -> 1e3
                        * metrics.histogram(DURATION, Map.of("extension_point", point))
                                .quantile(0.5))
                .sum();
    }
}
