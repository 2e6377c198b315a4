package io.evenkeel.engine.lock;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.EngineStatus;
import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a call stops at the next check of its signal and releases everything. */
final class StopSignalTest {
    private static final int NODES = 3_000;
    private static final int PODS = 10_000;

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    @BeforeEach
    void fill() {
        engine.write(batch -> {
            for (int node = 0; node < NODES; node++) {
                Map<String, String> labels = Map.of(HOSTNAME, "node-" + node, ZONE, "zone-" + node % 3);
                batch.apply(Change.ADDED, new NodeObject("node-" + node, "uid-" + node, 0, labels, List.of(), false));
            }
            for (int pod = 0; pod < PODS; pod++) {
                String node = "node-" + pod % NODES;
                batch.apply(
                        Change.ADDED, new PodObject(NAMESPACE, "pod-" + pod, "pod-" + pod, 0, WEB, node, false, false));
            }
        });
    }

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    /** Stopped at its first check, its second, and so on, until a plan exists. */
    @Test
    void compiling_letsEverythingGo_whereverItIsStopped() {
        int looks = 0;
        while (stops(
                looks, stop -> engine.plan(web(hard(ZONE), hard(HOSTNAME), soft(ZONE)), SpreadDefaults.NONE, stop))) {
            looks++;
            IndexValidator.validate(engine);
            EngineStatus status = engine.status();
            assertEquals(
                    List.of(0, 0, 0, 0),
                    List.of(status.plans(), status.spreadGroups(), status.selectors(), status.eligibilities()));
        }
        assertTrue(
                looks > 3,
                "pods are looked through in slices, between which the signal is asked; it was " + looks + " times");
        assertEquals(1, engine.status().plans());
    }

    @Test
    void recount_passes_whileAPlanIsCompiled() {
        int[] looks = {0};
        engine.plan(web(hard(ZONE), hard(HOSTNAME)), SpreadDefaults.NONE, () -> {
            IndexValidator.validate(engine);
            looks[0]++;
            return false;
        });
        assertTrue(looks[0] > 3, "recounted " + looks[0] + " times");
    }

    @Test
    void aBatch_endsBetweenTwoPods() {
        PodPlan plan = engine.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        List<Integer> taken = new ArrayList<>();
        assertThrows(
                StoppedException.class,
                () -> engine.evaluate(
                        List.of(plan, plan, plan, plan),
                        Question.filter(NodeSubset.ALL),
                        new Answer(),
                        (answer, place) -> taken.add(place),
                        () -> taken.size() == 2));
        assertEquals(List.of(0, 1), taken);
    }

    @Test
    void whatIfs_endBetweenTwoCases() {
        PodPlan plan = engine.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        WhatIfCase one = new WhatIfCase(plan, "node-1", EntryRules.NONE, Overlay.without(PodKey.ofUid("pod-1")));
        int looks = 0;
        while (stops(looks, stop -> engine.whatIf(List.of(one, one, one), stop))) {
            looks++;
        }
        assertTrue(looks >= 3, "the signal must be asked for each case, was " + looks + " times");
    }

    @Test
    void explanations_endWhileTheyAreWritten() {
        PodPlan plan = engine.plan(web(hard(ZONE), soft(HOSTNAME)), SpreadDefaults.NONE);
        int looks = 0;
        while (stops(
                looks,
                stop -> engine.explain(
                        plan, NodeSubset.ALL, EntryRules.NONE, Overlay.without(PodKey.ofUid("pod-1")), 10, stop))) {
            looks++;
        }
        assertTrue(looks > NODES / 1_024, "the signal must be asked between nodes, was " + looks + " times");
    }

    private interface Call {
        void run(StopSignal stop);
    }

    /** Whether the call stops when its signal fires after {@code looks} checks. */
    private static boolean stops(int looks, Call call) {
        int[] asked = {0};
        try {
            call.run(() -> asked[0]++ >= looks);
            return false;
        } catch (StoppedException e) {
            assertEquals(looks + 1, asked[0], "a stopped call must not check again");
            return true;
        }
    }
}
