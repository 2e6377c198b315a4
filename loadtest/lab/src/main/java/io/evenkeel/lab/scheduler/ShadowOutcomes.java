package io.evenkeel.lab.scheduler;

import java.util.Map;

/** The number of Evenkeel's answers that were equal to the original plugin's, different, or not comparable. */
record ShadowOutcomes(long equal, long different, long notComparable) {
    private static final String UNDER_WAY = "evenkeel_topology_spread_shadow_under_way";
    private static final String OUTCOMES = "evenkeel_topology_spread_shadow_outcomes_total";

    /** The counts of a scheduler in shadow mode so far. */
    static ShadowOutcomes of(Metrics metrics) {
        Map<String, Double> outcomes = metrics.sums(OUTCOMES, "outcome");
        return new ShadowOutcomes(
                outcomes.getOrDefault("equal", 0.0).longValue(),
                outcomes.getOrDefault("different", 0.0).longValue(),
                outcomes.getOrDefault("not_comparable", 0.0).longValue());
    }

    /** The number of comparisons without an outcome yet. */
    static double inProgress(Metrics metrics) {
        return metrics.sum(UNDER_WAY, Map.of());
    }

    long compared() {
        return equal + different + notComparable;
    }

    double comparablePart() {
        return compared() == 0 ? 0 : (double) (equal + different) / compared();
    }
}
