package io.evenkeel.lab.scheduler;

import io.evenkeel.loadtest.text.Numbers;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Counts the source of the answers in the cycles of a scheduler with Evenkeel's plugin. */
final class AnswerSources {
    private static final String TOTAL = "evenkeel_topology_spread_answers_total";
    private static final String COMPARED = "evenkeel_topology_spread_shadow_outcomes_total";
    private static final String EVENKEEL = "evenkeel";

    private AnswerSources() {}

    /**
     * The number of answers from Evenkeel, and from the original plugin by reason. In shadow mode, also the number of
     * comparisons by outcome. Empty for other schedulers.
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

    /** All counts as text. */
    static String words(Map<String, Long> answers) {
        return answers.entrySet().stream()
                .map(each -> each.getKey() + " " + Numbers.grouped(each.getValue()))
                .collect(Collectors.joining(", "));
    }
}
