package io.evenkeel.engine.script;

import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.VerdictCode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scenario of the conformance corpus, which is one line: events and questions in order, with kube-scheduler's
 * answers.
 */
public record RecordedScenario(String name, List<Item> items) {
    public sealed interface Item {}

    public record Applied(Step step) implements Item {}

    /**
     * Filter for every candidate, then Score for those that passed.
     *
     * @param codes null if Filter is not to be checked
     * @param scores null if Score is not to be checked
     */
    public record Asked(
            ScriptedQuery.Placement query,
            @Nullable Map<String, VerdictCode> codes,
            @Nullable Map<String, Integer> scores)
            implements Item {}

    /**
     * Every filter on every node.
     *
     * @param excluded the nodes that do not pass
     */
    public record AskedWhole(ScriptedQuery.Placement query, Map<String, Excluded> excluded) implements Item {}

    /**
     * Why a node does not pass.
     *
     * @param message kube-scheduler's messages, joined by ", "
     */
    public record Excluded(VerdictCode code, String message) {}

    /**
     * The pod goes to the best node, by score and then by name, and counts there from then on.
     *
     * @param pod as it is stored then, on that node; null if no node passes
     */
    public record Placed(
            ScriptedQuery.Placement query, @Nullable PodObject pod) implements Item {}

    public record AskedWhatIf(ScriptedQuery.WhatIf query, VerdictCode code) implements Item {}
}
