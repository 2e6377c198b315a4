package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.OwnerObject;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfCase;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Tests plans and candidates that are kept and used again: when they are valid, when they are not, and with which
 * engine.
 */
final class PlanReuseTest {
    private static final Question FILTER = Question.filter(NodeSubset.ALL);

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    @Test
    void replacedPlans_areNotKept_howeverOftenOwnersChange() {
        nodes(engine, "a", "b");
        IncomingPod pod = web();
        for (int change = 0; change < 200; change++) {
            service(change % 2 == 0 ? "web" : "other");
            engine.evaluate(engine.plan(pod, SpreadDefaults.SYSTEM), FILTER, new Answer());
        }
        assertEquals(1, engine.status().plans());
        assertEquals(1, engine.plansInLine());
        IndexValidator.validate(engine);
    }

    @Test
    void recount_knowsPlansThatCallsHold_alsoOnesThatWereReplaced() {
        nodes(engine, "a", "b");
        service("web");
        try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED)) {
            PodPlan held = pins.plan(web(), SpreadDefaults.SYSTEM);
            service("other");
            engine.evaluate(held, FILTER, new Answer());
            assertNotSame(held, engine.plan(web(), SpreadDefaults.SYSTEM));
            assertEquals(1, engine.status().plans());
            IndexValidator.validate(engine);
        }
        IndexValidator.validate(engine);
    }

    @Test
    void candidates_areOtherNodes_inAnotherEngine() {
        nodes(engine, "a", "b");
        SpreadEngine other = new SpreadEngine(EngineOptions.defaults());
        nodes(other, "b", "a");
        NodeSubset candidates = NodeSubset.named(List.of("a"));
        Question question = Question.filter(candidates);
        for (SpreadEngine each : List.of(engine, other, engine)) {
            Answer answer = new Answer();
            each.evaluate(each.plan(web(hard(ZONE)), SpreadDefaults.NONE), question, answer);
            int judged = answer.isCandidate(0) ? 0 : 1;
            assertEquals(1, answer.candidateCount());
            assertEquals("a", answer.names().name(judged));
        }
    }

    @Test
    void planOfAnotherEngine_isRefused() {
        nodes(engine, "a", "b");
        SpreadEngine other = new SpreadEngine(EngineOptions.defaults());
        nodes(other, "a", "b");
        PodPlan plan = other.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        Answer answer = new Answer();
        WhatIfCase whatIf = new WhatIfCase(plan, "a", EntryRules.NONE, Overlay.NONE);
        for (Runnable use : List.<Runnable>of(
                () -> engine.isStillValid(plan),
                () -> engine.evaluate(plan, FILTER, answer),
                () -> engine.evaluate(List.of(plan), FILTER, answer, (each, place) -> {}, StopSignal.NEVER),
                () -> engine.whatIf(List.of(whatIf), StopSignal.NEVER),
                () -> engine.explain(plan, NodeSubset.ALL, EntryRules.NONE, Overlay.NONE, 10, StopSignal.NEVER))) {
            String message = String.valueOf(
                    assertThrows(IllegalArgumentException.class, use::run).getMessage());
            assertTrue(message.startsWith("plan must come from the engine that is asked"), message);
        }
    }

    private void service(String app) {
        engine.write(batch -> batch.apply(
                Change.MODIFIED,
                new OwnerObject(
                        ObjectKind.SERVICE,
                        NAMESPACE,
                        "service-" + app,
                        "uid",
                        0,
                        PodSelector.ofLabels(Map.of("app", app)))));
    }

    private static void nodes(SpreadEngine engine, String... names) {
        engine.write(batch -> {
            for (String name : names) {
                Map<String, String> labels = Map.of(ZONE, name, HOSTNAME, name);
                batch.apply(Change.ADDED, new NodeObject(name, "node " + name, 0, labels, List.of(), false));
                batch.apply(Change.ADDED, new PodObject(NAMESPACE, name, name, 0, WEB, name, false, false));
            }
        });
    }
}
