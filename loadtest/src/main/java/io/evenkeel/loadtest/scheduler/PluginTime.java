package io.evenkeel.loadtest.scheduler;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The time of a plugin in a scheduling cycle, in ms, from what kube-scheduler measures in every tenth cycle: the p50 of
 * each point that it runs once a cycle, and of Filter and Score, which it runs for each node, the mean sum.
 */
final class PluginTime {
    private static final String DURATION = "scheduler_plugin_execution_duration_seconds";
    private static final List<String> ONCE = List.of("PreFilter", "PreScore", "ScoreExtensionNormalize");
    private static final List<String> FOR_EACH_NODE = List.of("Filter", "Score");

    private PluginTime() {}

    static double millis(Metrics metrics, String plugin) {
        double cycles = Stream.of("PreFilter", "PreScore")
                .mapToDouble(point -> histogram(metrics, plugin, point).count())
                .max()
                .orElse(0);
        if (cycles == 0) {
            return 0;
        }
        double once = ONCE.stream()
                .mapToDouble(point -> histogram(metrics, plugin, point).quantile(0.5))
                .sum();
        double forNodes = FOR_EACH_NODE.stream()
                .mapToDouble(point -> histogram(metrics, plugin, point).sum())
                .sum();
        return 1e3 * (once + forNodes / cycles);
    }

    private static Metrics.Buckets histogram(Metrics metrics, String plugin, String point) {
        return metrics.histogram(DURATION, Map.of("plugin", plugin, "extension_point", point));
    }
}
