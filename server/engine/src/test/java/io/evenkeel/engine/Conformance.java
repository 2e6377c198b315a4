package io.evenkeel.engine;

import io.evenkeel.engine.model.VerdictCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Plays scenarios of the corpus to a subject, and collects the answers that differ from kube-scheduler's. */
final class Conformance {
    private final List<String> differences = new ArrayList<>();
    private int placements;
    private int whatIfs;

    void play(RecordedScenario scenario, ScriptTarget subject) {
        int position = 0;
        for (RecordedScenario.Item item : scenario.items()) {
            String where = scenario.name() + ", item " + position++ + ": ";
            if (item instanceof RecordedScenario.Told told) {
                subject.apply(told.step());
            } else if (item instanceof RecordedScenario.AskedWhatIf asked) {
                whatIfs++;
                Answers.WhatIf answer = (Answers.WhatIf) subject.ask(asked.query());
                if (answer.code() != asked.code()) {
                    differences.add(where + "what if: expected " + asked.code() + ", was " + answer.code());
                }
            } else if (item instanceof RecordedScenario.Asked asked) {
                placements++;
                compare(where, asked, (Answers.Placement) subject.ask(asked.query()));
            }
        }
        subject.validate();
    }

    private void compare(String where, RecordedScenario.Asked asked, Answers.Placement answer) {
        if (asked.codes() != null) {
            Map<String, VerdictCode> codes = new TreeMap<>();
            answer.verdicts().forEach((node, verdict) -> codes.put(node, verdict.code()));
            if (!codes.equals(asked.codes())) {
                differences.add(where + "filter: expected " + asked.codes() + ", was " + codes);
            }
        }
        if (asked.scores() != null && !answer.scoresOfPassed().equals(asked.scores())) {
            differences.add(where + "scores: expected " + asked.scores() + ", was " + answer.scoresOfPassed());
        }
    }

    List<String> differences() {
        return List.copyOf(differences);
    }

    int placements() {
        return placements;
    }

    int whatIfs() {
        return whatIfs;
    }
}
