package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.text.Numbers;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the scheduling cycles of a scheduler with Evenkeel's plugin by who gave the answers. */
final class AnswerSources {
    private static final String TOTAL = "evenkeel_topology_spread_cycles_total";
    private static final String EVENKEEL = "evenkeel";

    private AnswerSources() {}

    /**
     * The number of cycles with Evenkeel's answers, and of those with the original plugin's by reason. Only pods with
     * constraints are counted. Empty for other schedulers.
     */
    static Map<String, Long> of(Metrics metrics) {
        Map<String, Long> cycles = new TreeMap<>();
        Double own = metrics.sums(TOTAL, "source").get(EVENKEEL);
        if (own != null) {
            cycles.put(EVENKEEL, own.longValue());
        }
        metrics.sums(TOTAL, "reason").forEach((reason, count) -> {
            if (!reason.isEmpty()) {
                cycles.put(reason, count.longValue());
            }
        });
        return cycles;
    }

    static long byEvenkeel(Map<String, Long> cycles) {
        return cycles.getOrDefault(EVENKEEL, 0L);
    }

    /** The share of Evenkeel in all cycles; 0 without cycles. */
    static double share(Map<String, Long> cycles) {
        long all = cycles.values().stream().mapToLong(Long::longValue).sum();
        return all == 0 ? 0 : (double) byEvenkeel(cycles) / all;
    }

    /** All counts as text. */
    static String words(Map<String, Long> cycles) {
        return cycles.entrySet().stream()
                .map(each -> each.getKey() + " " + Numbers.grouped(each.getValue()))
                .collect(Collectors.joining(", "));
    }
}
