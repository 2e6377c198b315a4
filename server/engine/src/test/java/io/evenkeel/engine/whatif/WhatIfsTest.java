package io.evenkeel.engine.whatif;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.LockProbe;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests what-ifs with enough pods that they are looked up in several holds of the lock, and explanations, with and
 * without concurrent writes.
 */
final class WhatIfsTest {
    private static final int PODS = 6_000;
    private static final int ROUNDS = 60;

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final List<PodKey> all =
            IntStream.range(0, PODS).mapToObj(i -> PodKey.ofUid("pod-" + i)).toList();

    @BeforeEach
    void fill() {
        engine.write(batch -> {
            for (String zone : List.of("a", "b")) {
                Map<String, String> labels = Map.of(ZONE, zone, HOSTNAME, zone);
                batch.apply(Change.ADDED, new NodeObject(zone, "node " + zone, 0, labels, List.of(), false));
            }
            for (int i = 0; i < PODS; i++) {
                batch.apply(Change.ADDED, pod("pod-" + i, i % 2 == 0 ? "a" : "b"));
            }
        });
    }

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    @Test
    void neitherTakesTheLockForWriting_norHoldsItForAllThatIsLookedUp() {
        PodPlan plan = engine.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        AtomicInteger writes = new AtomicInteger();
        AtomicInteger reads = new AtomicInteger();
        engine.probeHolds(new LockProbe() {
            @Override
            public long now() {
                return System.nanoTime();
            }

            @Override
            public void held(boolean writing, long nanos) {
                (writing ? writes : reads).incrementAndGet();
            }
        });
        WhatIfCase evens = new WhatIfCase(plan, "a", EntryRules.NONE, new Overlay(all, List.of()));
        assertEquals(
                VerdictCode.SUCCESS,
                engine.whatIf(List.of(evens), StopSignal.NEVER).results().get(0).code());
        assertTrue(reads.get() >= PODS / 1_024, "pods must be looked up some at a time, was in " + reads + " holds");
        engine.explain(
                plan, NodeSubset.ALL, EntryRules.NONE, Overlay.without(PodKey.ofUid("pod-1")), 10, StopSignal.NEVER);
        engine.probeHolds(null);
        assertEquals(0, writes.get());
    }

    /**
     * A pod that no overlay removes moves between the zones; one that every overlay removes comes and goes. The answer
     * must fit the revision that it names.
     */
    @Test
    void answers_areOfTheRevisionTheyName_whilePodsAndNodesChange() throws InterruptedException {
        PodPlan plan = engine.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        long first = engine.revision();
        AtomicBoolean over = new AtomicBoolean();
        // Each write makes one revision; the pod "extra" is on zone a at odd revisions after the first, and absent at
        // even ones.
        Thread writer = new Thread(() -> {
            for (int pair = 0; !over.get(); pair++) {
                PodObject pod = pod(pair % 4 == 0 ? "again" : "extra-" + pair % 4, "a");
                engine.write(batch -> batch.apply(Change.LISTED, pod));
                engine.write(batch -> batch.apply(Change.DELETED, pod));
            }
        });
        writer.start();
        try {
            List<PodKey> keys = new ArrayList<>(all);
            keys.add(PodKey.ofName(NAMESPACE, "again"));
            for (int round = 0; round < ROUNDS; round++) {
                WhatIfAnswers answers = engine.whatIf(
                        List.of(new WhatIfCase(plan, "a", EntryRules.NONE, new Overlay(keys, List.of()))),
                        StopSignal.NEVER);
                WhatIfResult answer = answers.results().get(0);
                boolean there = (answers.revision() - first) % 2 == 1;
                boolean again = (answers.revision() - first) % 8 == 1;
                assertEquals(
                        there && !again ? VerdictCode.UNSCHEDULABLE : VerdictCode.SUCCESS,
                        answer.code(),
                        "revision " + answers.revision());
                assertEquals(again ? List.of() : List.of(keys.get(PODS)), answer.unknown());
            }
        } finally {
            over.set(true);
            writer.join();
        }
    }

    /** A pod is identified by its UID: a pod that is added twice is one pod, on the node named last. */
    @Test
    void podAddedTwice_isOnePod() {
        PodPlan plan = engine.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        PodKey gone = all.get(0);
        PodObject onA = pod("new", "a");
        PodObject onB = pod("new", "b");
        assertEquals(
                VerdictCode.SUCCESS,
                World.whatIf(engine, plan, "a", List.of(gone), List.of(onA, onA))
                        .code());
        assertEquals(
                VerdictCode.UNSCHEDULABLE,
                World.whatIf(engine, plan, "b", List.of(gone), List.of(onA, onB))
                        .code());
        assertEquals(
                VerdictCode.SUCCESS,
                World.whatIf(engine, plan, "b", List.of(gone), List.of(onB, onA))
                        .code());
    }

    private static PodObject pod(String name, String node) {
        return new PodObject(NAMESPACE, name, name, 0, WEB, node, false, false);
    }
}
