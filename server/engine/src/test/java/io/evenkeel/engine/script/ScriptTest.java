package io.evenkeel.engine.script;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.naive.ModelSubject;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Tests that generated scripts ask what they are made for, and that a faulty subject is detected and its script
 * shortened.
 */
final class ScriptTest {
    private static final int STEPS = 200;

    @Test
    void oneSeed_makesOneScript() {
        assertEquals(Script.random(7, STEPS, 0.4), Script.random(7, STEPS, 0.4));
        assertNotEquals(Script.random(7, STEPS, 0.4), Script.random(8, STEPS, 0.4));
    }

    @Test
    void modelsAgree_withThemselves() {
        for (long seed = 0; seed < 20; seed++) {
            Script.random(seed, STEPS, 0.3).mustAgree("seed " + seed, ModelSubject::new, ModelSubject::new);
        }
    }

    @Test
    void scripts_meetEveryKindOfStepAndAnswer() {
        Map<String, Integer> seen = new TreeMap<>();
        for (long seed = 0; seed < 40; seed++) {
            ScriptTarget model = new ModelSubject();
            for (Act act : Script.random(seed, STEPS, 0.4).acts()) {
                if (act instanceof Step step) {
                    model.apply(step);
                    seen.merge(kind(step), 1, Integer::sum);
                } else {
                    kinds(model.ask((ScriptedQuery) act)).forEach(kind -> seen.merge(kind, 1, Integer::sum));
                    if (act instanceof ScriptedQuery.Placement placement
                            && !model.ask(placement).equals(model.ask(withoutOverlay(placement)))) {
                        seen.merge("overlay that matters", 1, Integer::sum);
                    }
                }
            }
        }
        List<String> wanted = new ArrayList<>(List.of(
                "Assume",
                "Forget",
                "Expire",
                "BeginSnapshot",
                "EndSnapshot",
                "FromElsewhere",
                "one score",
                "scores differ",
                "overlay that matters"));
        for (Change change : Change.values()) {
            wanted.addAll(List.of("node " + change, "pod " + change, "owner " + change));
        }
        for (VerdictCode code : VerdictCode.values()) {
            wanted.addAll(List.of("filter " + code, "what if " + code));
        }
        wanted.addAll(List.of("shut out UNSCHEDULABLE", "shut out UNTOLERATED_TAINT", "shut out NODE_AFFINITY"));
        for (Reason reason : Reason.values()) {
            wanted.add("fits " + reason);
        }
        wanted.addAll(List.of("fits null", "Too many pods", "Insufficient cpu", "Too many pods, Insufficient cpu"));
        assertAll(wanted.stream()
                .map(kind -> () -> assertTrue(seen.getOrDefault(kind, 0) >= 10, () -> kind + " of " + seen)));
    }

    private static ScriptedQuery.Placement withoutOverlay(ScriptedQuery.Placement query) {
        return new ScriptedQuery.Placement(query.pod(), query.defaults(), query.candidates());
    }

    private static String kind(Step step) {
        if (step instanceof Step.NodeEvent event) {
            return "node " + event.change();
        } else if (step instanceof Step.PodEvent event) {
            return "pod " + event.change();
        } else if (step instanceof Step.OwnerEvent event) {
            return "owner " + event.change();
        }
        return step.getClass().getSimpleName();
    }

    private static List<String> kinds(Answers answers) {
        if (answers instanceof Answers.WhatIf whatIf) {
            return List.of("what if " + whatIf.code());
        }
        Answers.Placement placement = (Answers.Placement) answers;
        List<String> kinds = new ArrayList<>();
        placement.verdicts().values().forEach(verdict -> kinds.add("filter " + verdict.code()));
        placement.shutOut().values().forEach(reason -> kinds.add("shut out " + reason));
        placement.fitting().verdicts().values().forEach(verdict -> kinds.add("fits " + verdict.reason()));
        placement.fitting().verdicts().values().forEach(verdict -> kinds.add(verdict.message()));
        long scores = placement.scoresOfPassed().values().stream().distinct().count();
        kinds.add(scores > 1 ? "scores differ" : "one score");
        return kinds;
    }

    @Test
    void subjectThatCountsTerminatingPods_isFound_withFewActs() {
        assertFound(step -> step instanceof Step.PodEvent event
                ? new Step.PodEvent(event.change(), terminating(event.pod()))
                : step);
    }

    private static PodObject terminating(PodObject pod) {
        return new PodObject(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                pod.resourceVersion(),
                pod.labels(),
                pod.nodeName(),
                false,
                pod.finished());
    }

    @Test
    void subjectThatForgetsTombstones_isFound_withFewActs() {
        assertFound(step -> step instanceof Step.PodEvent event && event.change() == Change.MODIFIED
                ? new Step.PodEvent(Change.LISTED, event.pod())
                : step);
    }

    @Test
    void subjectThatMissesTheEndOfASnapshot_isFound_withFewActs() {
        assertFound(step -> step instanceof Step.EndSnapshot end
                ? new Step.AbandonSnapshot(end.lists().keySet())
                : step);
    }

    /** A subject that receives changed steps must be detected, with a script that a person can follow. */
    private static void assertFound(UnaryOperator<Step> fault) {
        AssertionError found = assertThrows(AssertionError.class, () -> {
            for (long seed = 0; seed < 200; seed++) {
                Script.random(seed, STEPS, 0.3).mustAgree("seed " + seed, ModelSubject::new, () -> new Faulty(fault));
            }
        });
        String message = String.valueOf(found.getMessage());
        long acts = message.lines().filter(line -> line.matches("  \\d+\\. .*")).count();
        assertTrue(message.startsWith("seed ") && acts > 0 && acts <= 10, message);
    }

    private static final class Faulty implements ScriptTarget {
        private final ScriptTarget model = new ModelSubject();
        private final UnaryOperator<Step> fault;

        Faulty(UnaryOperator<Step> fault) {
            this.fault = fault;
        }

        @Override
        public void apply(Step step) {
            model.apply(fault.apply(step));
        }

        @Override
        public Answers ask(ScriptedQuery query) {
            return model.ask(query);
        }
    }

    @Test
    void shrinker_leavesTheItemsThatFailTogether_eachAsSimpleAsItMayBe() {
        List<Integer> numbers = new ArrayList<>(IntStream.range(0, 500).boxed().toList());
        Collections.reverse(numbers);
        Function<Integer, List<Integer>> oneLess = number -> number > 0 ? List.of(number - 1) : List.of();
        Shrinker<Integer> shrinker = new Shrinker<>(
                list -> list.stream().filter(number -> number >= 40).count() >= 2 && list.contains(7), oneLess);
        List<Integer> least = shrinker.shrink(numbers);
        assertEquals(List.of(40, 40, 7), least);
    }
}
