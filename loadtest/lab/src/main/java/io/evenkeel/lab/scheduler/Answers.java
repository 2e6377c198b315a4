package io.evenkeel.lab.scheduler;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Who has answered in the cycles of a scheduler with Evenkeel's plugin. */
final class Answers {
    private static final String TOTAL = "evenkeel_topology_spread_answers_total";
    private static final String COMPARED = "evenkeel_topology_spread_shadow_outcomes_total";
    private static final String EVENKEEL = "evenkeel";

    private Answers() {}

    /**
     * How many answers were Evenkeel's and, by the reason, the original's; in shadow mode also how many comparisons
     * ended for which reason. Empty for other schedulers.
     */
    static Map<String, Long> of(Metrics metrics) {
        Map<String, Long> answers = new TreeMap<>();
        Double own = metrics.sums(TOTAL, "source").get(EVENKEEL);
        if (own != null) {
            answers.put(EVENKEEL, own.longValue());
        }
        metrics.sums(TOTAL, "reason").forEach((reason, count) -> {
            if (!reason.isEmpty()) {
                answers.put(reason, count.longValue());
            }
        });
        metrics.sums(COMPARED, "reason")
                .forEach((reason, count) ->
                        answers.put(reason.isEmpty() ? "compared" : "compared: " + reason, count.longValue()));
        return answers;
    }

    /** All of them, in words. */
    static String words(Map<String, Long> answers) {
        StringBuilder words = new StringBuilder();
        answers.forEach((who, count) ->
                words.append(words.isEmpty() ? "" : ", ").append(String.format(Locale.ROOT, "%s %,d", who, count)));
        return words.toString();
    }
}
