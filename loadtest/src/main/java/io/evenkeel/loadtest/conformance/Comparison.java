package io.evenkeel.loadtest.conformance;

import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.PlacementException;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.WhatIfAnswer;
import io.evenkeel.v1.WhatIfResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Compares the answers of one scenario with the expected ones, counts them, and reports differences. */
final class Comparison {
    private static final String NOTHING = "nothing";
    private static final String SENTENCE = "the sentence";

    private final Consumer<String> output;
    private String place = "";
    private long answers;
    private long differences;
    private long refusals;

    Comparison(Consumer<String> output) {
        this.output = output;
    }

    /** Sets the step to which the next answers belong. */
    void at(String scenario, int step) {
        place = scenario + " steps[" + step + "]";
    }

    /** Sets the operation to which the next answers belong. */
    void at(String scenario, int step, int operation) {
        at(scenario, step);
        place += ".ops[" + operation + "]";
    }

    String place() {
        return place;
    }

    /**
     * Reports objects that the server rejected.
     *
     * @param part the part of the step that an object is in, by its position in the message
     */
    void refused(List<Refusal> refused, IntFunction<String> part) {
        for (Refusal refusal : refused) {
            refusals++;
            output.accept("%s%s: the server rejected %s: %s"
                    .formatted(
                            place,
                            part.apply(refusal.getPosition()),
                            refusal.getObject().isEmpty() ? "an object without a name" : refusal.getObject(),
                            refusal.getError().getMessage()));
        }
    }

    void compare(Scenario.Query query, Supplier<Judge.Verdicts> answer) {
        Judge.Verdicts got = new Judge.Verdicts();
        String otherwise = NOTHING;
        try {
            got = answer.get();
        } catch (PlacementException problem) {
            otherwise = wordsUnlessUnavailable(problem);
        }
        if (!query.filter().isEmpty()) {
            compare("", query.filter(), got.codes(), CodeWords::words, otherwise);
        }
        if (!query.scores().isEmpty()) {
            compare("score of ", query.scores(), got.scores(), String::valueOf, otherwise);
        }
    }

    void compare(Scenario.Alternative alternative, Supplier<WhatIfResponse> call) {
        String got;
        try {
            WhatIfAnswer answer = call.get().getAnswers(0);
            got = answer.hasError()
                    ? String.valueOf(PlacementException.of(answer.getError()).getMessage())
                    : CodeWords.words(answer.getVerdict().getCode());
        } catch (PlacementException problem) {
            got = wordsUnlessUnavailable(problem);
        }
        count("what if on " + alternative.node(), CodeWords.words(alternative.expected()), got);
    }

    /** @param nodes every node of the cluster */
    void compare(Scenario.Whole whole, Set<String> nodes, Supplier<Judge.Fit> answer) {
        Map<String, NodeCode> codes = new HashMap<>();
        Map<String, String> messages = new HashMap<>();
        Map<String, Integer> counts = new HashMap<>();
        nodes.forEach(node -> {
            codes.put(node, NodeCode.NODE_CODE_SUCCESS);
            messages.put(node, "");
        });
        whole.excluded().forEach((node, exclusion) -> {
            codes.put(node, exclusion.code());
            messages.put(node, String.join(", ", exclusion.reasons()));
            exclusion.reasons().forEach(reason -> counts.merge(reason, 1, Integer::sum));
        });
        try {
            Judge.Fit got = answer.get();
            compare("", codes, got.verdicts().codes(), CodeWords::words, NOTHING);
            compare("nodes with ", counts, got.counts(), String::valueOf, NOTHING);
            Judge.Words words = got.words();
            if (words != null) {
                compare("messages of ", messages, words.messages(), Function.identity(), NOTHING);
                count(SENTENCE, whole.sentence(), words.sentence());
            }
        } catch (PlacementException problem) {
            count("every node", "an answer", wordsUnlessUnavailable(problem));
        }
    }

    void compare(Scenario.Place placed, Supplier<Judge.Fit> answer) {
        try {
            Judge.Fit got = answer.get();
            count("best node", placed.node(), best(got.verdicts().scores()));
            Judge.Words words = got.words();
            if (words != null) {
                count(SENTENCE, placed.sentence(), words.sentence());
            }
        } catch (PlacementException problem) {
            count("best node", placed.node(), wordsUnlessUnavailable(problem));
        }
    }

    /** The node with the highest score; among equal scores, the one with the lowest name. Empty if there is none. */
    private static String best(Map<String, Integer> scores) {
        return scores.entrySet().stream()
                .min(Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .orElse("");
    }

    Outcome outcome() {
        return new Outcome(1, answers, differences, refusals);
    }

    private <T> void compare(
            String what, Map<String, T> expected, Map<String, T> got, Function<T, String> words, String otherwise) {
        TreeSet<String> nodes = new TreeSet<>(expected.keySet());
        nodes.addAll(got.keySet());
        for (String node : nodes) {
            count(what + node, words(expected.get(node), words, NOTHING), words(got.get(node), words, otherwise));
        }
    }

    private static <T> String words(@Nullable T value, Function<T, String> words, String otherwise) {
        return value == null ? otherwise : words.apply(value);
    }

    private void count(String what, String expected, String got) {
        answers++;
        if (!expected.equals(got)) {
            differences++;
            output.accept("%s, %s: expected %s, got %s".formatted(place, what, shown(expected), shown(got)));
        }
    }

    private static String shown(String text) {
        return text.isEmpty() ? NOTHING : text;
    }

    /**
     * The error of a failed call, as text that counts as its answer. An unreachable server aborts the comparison
     * instead.
     */
    private static String wordsUnlessUnavailable(PlacementException problem) {
        if (problem.code() == ErrorCode.UNAVAILABLE) {
            throw problem;
        }
        return String.valueOf(problem.getMessage());
    }
}
