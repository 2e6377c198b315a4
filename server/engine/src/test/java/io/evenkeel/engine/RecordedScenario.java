package io.evenkeel.engine;

import io.evenkeel.engine.model.VerdictCode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A scenario of the conformance corpus, which is one line: events and questions in order, with kube-scheduler's
 * answers.
 */
record RecordedScenario(String name, List<Item> items) {
    sealed interface Item {}

    record Told(Step step) implements Item {}

    /**
     * Filter for every candidate, then Score for those that passed.
     *
     * @param codes null if Filter is not to be checked
     * @param scores null if Score is not to be checked
     */
    record Asked(
            ScriptedQuery.Placement query,
            @Nullable Map<String, VerdictCode> codes,
            @Nullable Map<String, Integer> scores)
            implements Item {}

    record AskedWhatIf(ScriptedQuery.WhatIf query, VerdictCode code) implements Item {}
}
