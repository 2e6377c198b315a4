package io.evenkeel.engine;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.LockProbe;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.Overlay;
import io.evenkeel.engine.model.PodKey;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.VerdictCode;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.ChangeGenerator;
import io.evenkeel.engine.script.QueryGenerator;
import io.evenkeel.engine.script.RandomChoices;
import io.evenkeel.engine.script.ScriptedQuery;
import io.evenkeel.engine.script.Step;
import io.evenkeel.engine.script.Universe;
import io.evenkeel.engine.whatif.WhatIfCase;
import io.evenkeel.engine.whatif.WhatIfResult;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that questions asked together are answered from one revision. */
final class OneRevisionTest {
    private static final int WRITES = 2_000;
    private static final Question FILTER = Question.filter(NodeSubset.ALL);

    private SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    @Test
    void plans_areAnsweredTogether_asEachByItself() {
        zones(engine, 2, 1, 1);
        List<PodPlan> plans = plansFor(web(hard(ZONE)), web(soft(ZONE)), web());
        List<Set<String>> together = new ArrayList<>();
        Answer answer = new Answer();
        engine.evaluate(
                plans,
                FILTER,
                answer,
                (each, place) -> {
                    assertEquals(together.size(), place);
                    together.add(passed(each));
                },
                StopSignal.NEVER);
        assertEquals(List.of(Set.of("z2", "z3"), Set.of("z1", "z2", "z3"), Set.of("z1", "z2", "z3")), together);
        assertEquals(engine.revision(), answer.revision());
    }

    @Test
    void noPlans_leaveTheAnswerWithRevisionAndUnknownCandidates() {
        zones(engine, 1);
        Answer answer = new Answer();
        engine.evaluate(
                List.of(),
                Question.filter(NodeSubset.named(List.of("z1", "z7"))),
                answer,
                (each, place) -> {
                    throw new AssertionError("there is nothing to take");
                },
                StopSignal.NEVER);
        assertEquals(engine.revision(), answer.revision());
        assertEquals(List.of("z7"), answer.unknownCandidates());
        assertEquals(1, answer.candidateCount());
    }

    @Test
    void plansThatPushEachOtherOut_areAnsweredAllTheSame() {
        engine = new SpreadEngine(EngineOptions.defaults().withMaxPlans(1));
        zones(engine, 2, 1);
        List<PodPlan> plans = plansFor(web(hard(ZONE)), web(hard(HOSTNAME)), web(hard(ZONE), soft(HOSTNAME)));
        assertNull(engine.findPlan(plans.get(0).pod(), SpreadDefaults.NONE));
        assertNotNull(engine.findPlan(plans.get(2).pod(), SpreadDefaults.NONE));
        List<Set<String>> together = new ArrayList<>();
        engine.evaluate(plans, FILTER, new Answer(), (each, place) -> together.add(passed(each)), StopSignal.NEVER);
        assertEquals(List.of(Set.of("z2"), Set.of("z2"), Set.of("z2")), together);
        assertEquals(
                List.of(VerdictCode.UNSCHEDULABLE, VerdictCode.SUCCESS, VerdictCode.SUCCESS),
                engine
                        .whatIf(
                                plans.stream()
                                        .map(plan -> new WhatIfCase(
                                                plan,
                                                "z1",
                                                EntryRules.NONE,
                                                plan == plans.get(0)
                                                        ? Overlay.NONE
                                                        : Overlay.without(PodKey.ofUid("z1-1"))))
                                        .toList(),
                                StopSignal.NEVER)
                        .results()
                        .stream()
                        .map(WhatIfResult::code)
                        .toList());
    }

    /** Between slices of one plan each, pods move, nodes are added and owners change. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(doubles = {0, 0.02, 0.1, 0.5, 1})
    void answersOfABatch_areOfTheRevisionReached_whateverHappensBetweenSlices(double rate) {
        checkBatches(rate, false);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.02, 0.1, 0.5, 1})
    void answersOfABatchWithAnOverlay_areOfTheRevisionReached_whateverHappensBetweenSlices(double rate) {
        checkBatches(rate, true);
    }

    private static void checkBatches(double rate, boolean changed) {
        for (long seed = 0; seed < 20; seed++) {
            RandomChoices dice = new RandomChoices(seed);
            Universe universe = new Universe(dice);
            BetweenHolds between = new BetweenHolds(dice, new ChangeGenerator(dice, universe), rate);
            QueryGenerator queries = new QueryGenerator(dice, universe);
            List<PodPlan> plans = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                ScriptedQuery query = queries.next(List.of("node"), List.of());
                plans.add(between.engine.plan(query.pod(), query.defaults()));
            }
            Question question = Question.evaluate(NodeSubset.ALL, 3);
            List<PodObject> pods = between.cluster.pods();
            Overlay overlay = !changed || pods.isEmpty()
                    ? Overlay.NONE
                    : queries.overlay(plans.get(0).pod(), dice.pick(pods).nodeName(), pods);
            List<List<Object>> taken = new ArrayList<>(Collections.nCopies(plans.size(), List.of()));
            Answer answer = new Answer();
            between.engine.probeHolds(between);
            if (changed) {
                between.engine.evaluate(
                        plans, question, overlay, answer, (each, place) -> taken.set(place, contents(each)), between);
            } else {
                between.engine.evaluate(
                        plans, question, answer, (each, place) -> taken.set(place, contents(each)), between);
            }
            between.engine.probeHolds(null);
            assertEquals(between.engine.revision(), answer.revision());
            assertEquals(taken.get(plans.size() - 1), contents(answer));
            assertTrue(between.holds > plans.size(), "holds: " + between.holds);
            for (int place = 0; place < plans.size(); place++) {
                Answer alone = new Answer();
                if (changed) {
                    between.engine.evaluate(
                            List.of(plans.get(place)), question, overlay, alone, (each, first) -> {}, StopSignal.NEVER);
                } else {
                    between.engine.evaluate(plans.get(place), question, alone);
                }
                assertEquals(contents(alone), taken.get(place), "place " + place + ", seed " + seed);
            }
        }
    }

    /** Changes the cluster when the engine checks its stop signal without the lock. */
    private static final class BetweenHolds implements StopSignal, LockProbe {
        final SpreadEngine engine =
                new SpreadEngine(EngineLayout.TURNING.options(), () -> 0, Capacity.LARGEST, EngineLayout.MIN_SLICES);
        private final RandomChoices dice;
        private final ChangeGenerator cluster;
        private final double rate;
        private boolean held;
        int holds;

        BetweenHolds(RandomChoices dice, ChangeGenerator cluster, double rate) {
            this.dice = dice;
            this.cluster = cluster;
            this.rate = rate;
            for (int step = 0; step < 100; step++) {
                change();
            }
        }

        private void change() {
            Step step = cluster.next();
            engine.write(writer -> EngineSubject.apply(step, writer, new AtomicLong()));
        }

        @Override
        public boolean isStopped() {
            if (!held && dice.chance(rate)) {
                change();
            }
            return false;
        }

        @Override
        public long now() {
            held = true;
            return 1;
        }

        @Override
        public void held(boolean writing, long nanos) {
            held = false;
            holds++;
        }
    }

    private static List<Object> contents(Answer answer) {
        List<Object> contents = new ArrayList<>(List.of(answer.names().revision()));
        for (int i = 0; i < answer.names().limit(); i++) {
            contents.add(String.valueOf(answer.names().name(i)));
            contents.add(String.valueOf(answer.reason(i)));
            contents.add(answer.isCandidate(i) ? answer.score(i) : -1);
        }
        return contents;
    }

    @Test
    void answersOfABatch_agree_whileAWriterMovesPods() throws InterruptedException {
        zones(engine, 1, 0);
        IncomingPod byZone = web(hard(ZONE));
        IncomingPod byHostname = web(hard(HOSTNAME));
        List<PodPlan> plans = plansFor(byZone, byHostname, byZone);
        AtomicBoolean written = new AtomicBoolean();
        AtomicInteger writes = new AtomicInteger();
        Thread writer = new Thread(() -> {
            try {
                for (int i = 0; i < WRITES; i++) {
                    String node = i % 2 == 0 ? "z2" : "z1";
                    engine.write(batch -> {
                        batch.apply(Change.DELETED, pod("z1-1", ""));
                        batch.apply(Change.LISTED, pod("z1-1", node));
                    });
                    writes.incrementAndGet();
                }
            } finally {
                written.set(true);
            }
        });
        writer.start();
        Answer answer = new Answer();
        do {
            List<Set<String>> last = new ArrayList<>(Collections.nCopies(plans.size(), Set.of()));
            engine.evaluate(plans, FILTER, answer, (each, place) -> last.set(place, passed(each)), StopSignal.NEVER);
            assertEquals(1, new HashSet<>(last).size());
            assertEquals(1, last.get(0).size());
        } while (!written.get());
        writer.join();
        assertEquals(WRITES, writes.get());
    }

    private List<PodPlan> plansFor(IncomingPod... pods) {
        List<PodPlan> plans = new ArrayList<>();
        for (IncomingPod pod : pods) {
            plans.add(engine.plan(pod, SpreadDefaults.NONE));
        }
        return plans;
    }

    private static Set<String> passed(Answer answer) {
        Set<String> names = new TreeSet<>();
        for (int i = 0; i < answer.names().limit(); i++) {
            if (answer.isPassed(i)) {
                names.add(String.valueOf(answer.names().name(i)));
            }
        }
        return names;
    }

    private static void zones(SpreadEngine engine, int... podsPerZone) {
        engine.write(batch -> {
            for (int zone = 1; zone <= podsPerZone.length; zone++) {
                String name = "z" + zone;
                batch.apply(
                        Change.ADDED,
                        new NodeObject(name, "node " + name, 0, Map.of(ZONE, name, HOSTNAME, name), List.of(), false));
                for (int pod = 1; pod <= podsPerZone[zone - 1]; pod++) {
                    batch.apply(Change.ADDED, pod(name + "-" + pod, name));
                }
            }
        });
    }

    private static PodObject pod(String name, String node) {
        return new PodObject(NAMESPACE, name, name, 0, WEB, node, false, false);
    }
}
