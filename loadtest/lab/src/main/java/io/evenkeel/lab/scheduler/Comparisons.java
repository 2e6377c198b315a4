package io.evenkeel.lab.scheduler;

import java.util.Map;

/**
 * The number of Evenkeel's answers that were equal to the original plugin's or different, and of those that it did not
 * give in time.
 */
record Comparisons(long equal, long different, long missing) {
    private static final String OUTCOMES = "evenkeel_topology_spread_comparisons_total";

    /** The counts of a scheduler with Evenkeel's plugin so far. */
    static Comparisons of(Metrics metrics) {
        Map<String, Double> outcomes = metrics.sums(OUTCOMES, "outcome");
        return new Comparisons(
                outcomes.getOrDefault("equal", 0.0).longValue(),
                outcomes.getOrDefault("different", 0.0).longValue(),
                outcomes.getOrDefault("missing", 0.0).longValue());
    }

    /** The number of answers that were given and compared. */
    long compared() {
        return equal + different;
    }

    double comparedPart() {
        return compared() == 0 ? 0 : (double) compared() / (compared() + missing);
    }
}
