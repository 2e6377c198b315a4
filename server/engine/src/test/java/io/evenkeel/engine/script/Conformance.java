package io.evenkeel.engine.script;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.VerdictCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Plays scenarios of the corpus to a subject, and collects the answers that differ from kube-scheduler's. */
public final class Conformance {
    private final List<String> differences = new ArrayList<>();
    private int placements;
    private int whatIfs;
    private int wholes;
    private int places;

    public void play(RecordedScenario scenario, ScriptTarget subject) {
        int position = 0;
        for (RecordedScenario.Item item : scenario.items()) {
            String where = scenario.name() + ", item " + position++ + ": ";
            if (item instanceof RecordedScenario.Applied applied) {
                subject.apply(applied.step());
            } else if (item instanceof RecordedScenario.AskedWhatIf asked) {
                whatIfs++;
                Answers.WhatIf answer = (Answers.WhatIf) subject.ask(asked.query());
                if (answer.code() != asked.code()) {
                    differences.add(where + "what if: expected " + asked.code() + ", was " + answer.code());
                }
            } else if (item instanceof RecordedScenario.Asked asked) {
                placements++;
                compare(where, asked, (Answers.Placement) subject.ask(asked.query()));
            } else if (item instanceof RecordedScenario.AskedWhole asked) {
                wholes++;
                compare(where, asked, fitting(subject, asked.query()));
            } else if (item instanceof RecordedScenario.Placed placed) {
                places++;
                place(where, placed, subject);
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

    private static Answers.Fitting fitting(ScriptTarget subject, ScriptedQuery.Placement query) {
        return ((Answers.Placement) subject.ask(query)).fitting();
    }

    private void compare(String where, RecordedScenario.AskedWhole asked, Answers.Fitting answer) {
        Map<String, RecordedScenario.Excluded> excluded = new TreeMap<>();
        answer.verdicts().forEach((node, verdict) -> {
            if (!verdict.equals(Verdict.SUCCESS)) {
                excluded.put(node, new RecordedScenario.Excluded(verdict.code(), verdict.message()));
            }
        });
        if (!excluded.equals(asked.excluded())) {
            differences.add(where + "excluded nodes: expected " + asked.excluded() + ", was " + excluded);
        }
    }

    /** Puts the pod on the expected node, so that later answers are comparable even if this one differs. */
    private void place(String where, RecordedScenario.Placed placed, ScriptTarget subject) {
        String best = fitting(subject, placed.query()).scores().entrySet().stream()
                .min(Map.Entry.<String, Integer>comparingByValue().reversed().thenComparing(Map.Entry.comparingByKey()))
                .map(Map.Entry::getKey)
                .orElse("");
        PodObject pod = placed.pod();
        String expected = pod == null ? "" : pod.nodeName();
        if (!best.equals(expected)) {
            differences.add(where + "best node: expected '" + expected + "', was '" + best + "'");
        }
        if (pod != null) {
            subject.apply(new Step.PodEvent(Change.ADDED, pod));
        }
    }

    public List<String> differences() {
        return List.copyOf(differences);
    }

    public int placements() {
        return placements;
    }

    public int whatIfs() {
        return whatIfs;
    }

    public int wholes() {
        return wholes;
    }

    public int places() {
        return places;
    }
}
