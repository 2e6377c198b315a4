package io.evenkeel.engine.overlay;

import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.IndexValidator;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.explain.Explanation;
import io.evenkeel.engine.explain.Explanation.DomainState;
import io.evenkeel.engine.lock.LockProbe;
import io.evenkeel.engine.lock.Slices;
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
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.whatif.WhatIfCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which pods an overlay removes and adds, and that its answers are from one revision. */
final class OverlayTest {
    private static final int MANY = 6_000;
    private static final int ROUNDS = 60;
    private static final String UUID = "6f1c9d4e-0000-4000-8000-00000000000a";

    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final PodPlan byZone = engine.plan(web(hard(ZONE)), SpreadDefaults.NONE);

    @BeforeEach
    void zones() {
        engine.write(batch -> {
            for (String zone : List.of("a", "b", "c")) {
                batch.apply(Change.ADDED, node(zone));
            }
            batch.apply(Change.ADDED, pod("a-1", "a"));
            batch.apply(Change.ADDED, pod("a-2", "a"));
            batch.apply(Change.ADDED, pod(UUID, "b"));
            batch.apply(Change.ADDED, pod("pending", ""));
        });
    }

    @AfterEach
    void index_isWhatARecountSays() {
        assertEquals("{a=2, b=1, c=0}", counts(Overlay.NONE));
        IndexValidator.validate(engine);
    }

    @Test
    void podTakenOff_countsNowhere_howeverItIsNamedAndHoweverOften() {
        for (PodKey key : List.of(uid("a-1"), PodKey.ofName(NAMESPACE, "a-1"))) {
            assertEquals("{a=1, b=1, c=0}", counts(Overlay.without(key)));
            assertEquals("{a=1, b=1, c=0}", counts(new Overlay(List.of(key, uid("a-1"), key), List.of())));
        }
        assertEquals("{a=2, b=0, c=0}", counts(Overlay.without(uid(UUID))));
    }

    @Test
    void podOfTheCluster_thatIsPutOn_moves() {
        assertEquals("{a=1, b=1, c=1}", counts(on(known(uid("a-1"), "c"))));
        assertEquals("{a=2, b=0, c=1}", counts(on(known(PodKey.ofName(NAMESPACE, UUID), "c"))));
        assertEquals("{a=1, b=1, c=1}", counts(on(new Overlay.InFull(pod("a-1", "c")))));
        assertEquals("{a=2, b=1, c=1}", counts(on(known(uid("pending"), "c"))));
    }

    @Test
    void podThatIsTakenOffAndPutOn_countsIfItIsPutOn() {
        List<PodKey> without = List.of(uid("a-1"));
        assertEquals("{a=1, b=1, c=1}", counts(new Overlay(without, List.of(known(uid("a-1"), "c")))));
        assertEquals("{a=2, b=1, c=0}", counts(new Overlay(without, List.of(known(uid("a-1"), "")))));
        assertEquals("{a=1, b=2, c=0}", counts(new Overlay(without, List.of(new Overlay.InFull(pod("a-1", "b"))))));
    }

    @Test
    void podPutOnTwice_countsOnce_ifItWasPutLast() {
        Overlay.InFull onB = new Overlay.InFull(pod("new", "b"));
        Overlay.InFull onC = new Overlay.InFull(pod("new", "c"));
        assertEquals("{a=2, b=1, c=1}", counts(on(onC, onC)));
        assertEquals("{a=2, b=1, c=1}", counts(on(onB, onC)));
        assertEquals("{a=2, b=2, c=0}", counts(on(onC, onB)));
        assertEquals("{a=1, b=2, c=0}", counts(on(known(uid("a-1"), "c"), new Overlay.InFull(pod("a-1", "b")))));
        assertEquals("{a=1, b=1, c=1}", counts(on(new Overlay.InFull(pod("a-1", "b")), known(uid("a-1"), "c"))));
        Overlay.InFull nameless = new Overlay.InFull(new PodObject(NAMESPACE, "", "", 0, WEB, "c", false, false));
        assertEquals("{a=2, b=1, c=2}", counts(on(nameless, nameless)));
    }

    @Test
    void podThatIsPutOnNoKnownNode_countsNowhere() {
        assertEquals("{a=1, b=1, c=0}", counts(on(known(uid("a-1"), "nowhere"))));
        assertEquals("{a=1, b=1, c=0}", counts(on(new Overlay.InFull(pod("a-1", "nowhere")))));
        assertEquals("{a=2, b=1, c=0}", counts(on(new Overlay.InFull(pod("new", "")))));
        assertEquals("{a=2, b=1, c=0}", counts(on(known(uid("pending"), ""))));
    }

    @Test
    void podThatIsTerminatingOrFinished_countsNowhere_alsoIfItIsPutOn() {
        for (boolean terminating : new boolean[] {true, false}) {
            PodObject gone = new PodObject(NAMESPACE, "gone", "gone", 0, WEB, "b", terminating, !terminating);
            assertEquals("{a=2, b=1, c=0}", counts(on(new Overlay.InFull(gone))));
            engine.write(batch -> batch.apply(Change.LISTED, gone));
            assertEquals("{a=2, b=1, c=0}", counts(on(known(uid("gone"), "c"))));
        }
    }

    @Test
    void podOfAnotherNamespace_countsNowhere() {
        assertEquals(
                "{a=2, b=1, c=0}",
                counts(on(new Overlay.InFull(new PodObject("other", "n", "n", 0, WEB, "c", false, false)))));
    }

    @Test
    void assumedPod_isTakenOff_andStaysIfItIsIfNoNodeIsNamed() {
        engine.write(batch -> batch.assume(pod("pending", ""), "c", null));
        assertEquals("{a=2, b=1, c=1}", counts(Overlay.NONE));
        assertEquals("{a=2, b=1, c=0}", counts(Overlay.without(uid("pending"))));
        assertEquals("{a=2, b=1, c=1}", counts(on(known(uid("pending"), ""))));
        assertEquals("{a=2, b=2, c=0}", counts(on(known(uid("pending"), "b"))));
        engine.write(batch -> batch.forget("pending"));
    }

    @Test
    void unknownPods_areListedOnce_andTheRestIsJudged() {
        Overlay overlay = new Overlay(
                List.of(uid("no-such"), uid("a-1"), uid("no-such")),
                List.of(
                        known(PodKey.ofName("no-such", "pod"), "c"),
                        known(uid(UUID), "c"),
                        known(uid("no-such"), "c")));
        List<PodKey> unknown = List.of(uid("no-such"), PodKey.ofName("no-such", "pod"));
        assertEquals("{a=1, b=0, c=1}", counts(overlay));
        assertEquals(unknown, evaluate(byZone, overlay, new Answer()));
        Explanation explanation = explain(overlay);
        assertEquals(unknown, explanation.unknownPods());
        assertTrue(explanation.wasPlaced());
    }

    /** Counts of single nodes are bit planes: none has enough planes for this many pods. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1_000})
    void countsThatNoNodeHas_areCounted(int narrowUpTo) {
        SpreadEngine other = new SpreadEngine(EngineOptions.defaults().withNarrowUpTo(narrowUpTo));
        other.write(batch -> {
            for (int i = 0; i < 130; i++) {
                batch.apply(Change.ADDED, node("n" + i));
            }
        });
        List<Overlay.Added> added = new ArrayList<>();
        for (int pod = 0; pod < 9; pod++) {
            added.add(new Overlay.InFull(pod("new-" + pod, "n129")));
        }
        Overlay overlay = new Overlay(List.of(), added);
        IncomingPod pod = web(hard(HOSTNAME), soft(ZONE), soft(HOSTNAME));
        Answer answer = new Answer();
        Question question = Question.evaluate(NodeSubset.ALL, 1);
        PodPlan plan = other.plan(pod, SpreadDefaults.NONE);
        for (boolean changed : new boolean[] {false, true, false}) {
            if (changed) {
                other.evaluate(List.of(plan), question, overlay, answer, (each, place) -> {}, StopSignal.NEVER);
            } else {
                other.evaluate(plan, question, answer);
            }
            assertEquals(changed ? 129 : 130, answer.passedCount());
            assertEquals(!changed, answer.isPassed(129));
        }
        IndexValidator.validate(other);
    }

    /** A pod that is removed repeatedly, and a plan that no pod of the overlay affects. */
    @Test
    void answers_areThoseOfTheirOwnOverlay_inOneAnswerObject() {
        Answer answer = new Answer();
        for (int round = 0; round < 3; round++) {
            evaluate(byZone, Overlay.NONE, answer);
            assertEquals(List.of(false, false, true), passed(answer));
            evaluate(byZone, new Overlay(List.of(uid(UUID)), List.of(known(uid("a-1"), "c"))), answer);
            assertEquals(List.of(false, true, false), passed(answer));
            evaluate(byZone, on(known(uid("pending"), "c")), answer);
            assertEquals(List.of(false, true, true), passed(answer));
            engine.evaluate(byZone, Question.evaluate(NodeSubset.ALL, 3), answer);
            assertEquals(List.of(false, false, true), passed(answer));
        }
    }

    @Test
    void neitherTakesTheLockForWriting_norHoldsItForAllThatIsLookedUp() {
        List<PodKey> all = fill();
        AtomicInteger writes = new AtomicInteger();
        AtomicInteger reads = new AtomicInteger();
        engine.probeHolds(new LockProbe() {
            @Override
            public long now() {
                return 1;
            }

            @Override
            public void held(boolean writing, long nanos) {
                (writing ? writes : reads).incrementAndGet();
            }
        });
        evaluate(byZone, new Overlay(all, List.of()), new Answer());
        int evaluated = reads.getAndSet(0);
        explain(new Overlay(all, List.of()));
        engine.probeHolds(null);
        assertEquals(0, writes.get());
        assertTrue(evaluated >= MANY / 1_024, "pods must be looked up some at a time, was in " + evaluated + " holds");
        assertTrue(reads.get() >= MANY / 1_024, "pods must be looked up some at a time, was in " + reads + " holds");
        engine.write(batch -> all.forEach(key -> batch.apply(Change.DELETED, pod(key.uid(), ""))));
    }

    /** The time of each hold is up at once, so that few pods are matched in it. */
    @Test
    void manyPods_areMatchedInManyHolds() {
        SpreadEngine sliced = new SpreadEngine(
                EngineOptions.defaults(),
                System::nanoTime,
                Capacity.LARGEST,
                new Slices(() -> () -> true, Slices.PODS));
        List<Overlay.Added> added = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            added.add(new Overlay.InFull(pod("new-" + i, i % 2 == 0 ? "a" : "b")));
        }
        Overlay overlay = new Overlay(List.of(), added);
        sliced.write(batch -> List.of("a", "b", "c").forEach(zone -> batch.apply(Change.ADDED, node(zone))));
        PodPlan soft = sliced.plan(web(soft(ZONE)), SpreadDefaults.NONE);
        PodPlan hard = sliced.plan(web(hard(ZONE)), SpreadDefaults.NONE);
        AtomicInteger holds = new AtomicInteger();
        sliced.probeHolds(new LockProbe() {
            @Override
            public long now() {
                return 1;
            }

            @Override
            public void held(boolean writing, long nanos) {
                holds.incrementAndGet();
            }
        });
        Answer answer = new Answer();
        Question question = Question.evaluate(NodeSubset.ALL, 3);
        sliced.evaluate(List.of(soft, hard), question, overlay, answer, (each, place) -> {}, StopSignal.NEVER);
        assertEquals(List.of(false, false, true), passed(answer));
        int looks = MANY / 1_024;
        int matches = MANY / 512;
        assertTrue(holds.get() > looks + 2 * matches, "was in " + holds + " holds");
        holds.set(0);
        Explanation explained = sliced.explain(hard, NodeSubset.ALL, EntryRules.NONE, overlay, 10, StopSignal.NEVER);
        assertEquals(
                Map.of("a", MANY / 2, "b", MANY / 2, "c", 0),
                explained.constraints().get(0).domains().stream()
                        .collect(Collectors.toMap(DomainState::value, DomainState::matchingPods)));
        assertTrue(holds.get() > looks + matches, "was in " + holds + " holds");
        sliced.probeHolds(null);
        IndexValidator.validate(sliced);
    }

    /**
     * A pod that no overlay names comes and goes in zone c, and so does one that each overlay names. The answer must
     * fit the revision that it names.
     */
    @Test
    void answers_areOfTheRevisionTheyName_whilePodsChange() throws InterruptedException {
        List<PodKey> all = new ArrayList<>(fill());
        all.add(PodKey.ofName(NAMESPACE, "again"));
        long first = engine.revision();
        AtomicBoolean over = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            for (int pair = 0; !over.get(); pair++) {
                PodObject pod = pod(pair % 4 == 0 ? "again" : "extra", "c");
                engine.write(batch -> batch.apply(Change.LISTED, pod));
                engine.write(batch -> batch.apply(Change.DELETED, pod));
            }
        });
        writer.start();
        try {
            Answer answer = new Answer();
            Overlay overlay = new Overlay(all, List.of(known(uid("a-1"), "b")));
            for (int round = 0; round < ROUNDS; round++) {
                List<PodKey> unknown = evaluate(byZone, overlay, answer);
                long step = answer.revision() - first;
                boolean again = step % 8 == 1;
                boolean extra = step % 2 == 1 && !again;
                // a=1, b=2, and c=0 or 1
                assertEquals(List.of(extra, false, true), passed(answer), "revision " + answer.revision());
                assertEquals(again ? List.of() : List.of(all.get(all.size() - 1)), unknown);
            }
        } finally {
            over.set(true);
            writer.join();
        }
        engine.write(batch -> all.forEach(key -> batch.apply(Change.DELETED, pod(key.uid(), ""))));
    }

    /** Between any two holds of the lock, more pods change than are compared in one hold. */
    @Test
    void endsWithAnAnswer_whileMorePodsChangeThanAreCompared() {
        List<PodKey> all = fill();
        Overlay overlay = new Overlay(all, List.of());
        Rush rush = new Rush();
        engine.probeHolds(rush);
        Answer answer = new Answer();
        engine.evaluate(List.of(byZone), Question.filter(NodeSubset.ALL), overlay, answer, (each, place) -> {}, rush);
        assertEquals(List.of(false, false, true), passed(answer));
        assertEquals(
                3,
                engine.explain(byZone, NodeSubset.ALL, EntryRules.NONE, overlay, 10, rush)
                        .verdicts()
                        .size());
        engine.whatIf(List.of(new WhatIfCase(byZone, "c", EntryRules.NONE, overlay)), rush);
        engine.probeHolds(null);
        engine.write(batch -> {
            batch.apply(Change.DELETED, pod("rush", ""));
            all.forEach(key -> batch.apply(Change.DELETED, pod(key.uid(), "")));
        });
    }

    /** Moves one pod very often, whenever the engine checks its stop signal without the lock. */
    private final class Rush implements StopSignal, LockProbe {
        private static final int MOVES = 2_000;
        private static final int MAX_LOCK_HOLDS = 2_000;
        private int holds;
        private boolean held;

        @Override
        public boolean isStopped() {
            if (!held) {
                engine.write(batch -> {
                    for (int i = 0; i < MOVES; i++) {
                        batch.apply(Change.LISTED, pod("rush", i % 2 == 0 ? "a" : "b"));
                    }
                });
            }
            return holds > MAX_LOCK_HOLDS;
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

    /** Many pods in zone c, by UID. */
    private List<PodKey> fill() {
        List<String> names = IntStream.range(0, MANY).mapToObj(i -> "many-" + i).toList();
        engine.write(batch -> names.forEach(name -> batch.apply(Change.ADDED, pod(name, "c"))));
        return names.stream().map(PodKey::ofUid).toList();
    }

    /** The matching pods of each zone according to the explanation; answers must pass only the emptiest zones. */
    private String counts(Overlay overlay) {
        Map<String, Integer> counts = new TreeMap<>();
        for (DomainState domain : explain(overlay).constraints().get(0).domains()) {
            counts.put(domain.value(), domain.matchingPods());
        }
        Answer answer = new Answer();
        evaluate(byZone, overlay, answer);
        int least = counts.values().stream().min(Integer::compare).orElseThrow();
        assertEquals(counts.values().stream().map(count -> count == least).toList(), passed(answer));
        return counts.toString();
    }

    private Explanation explain(Overlay overlay) {
        return engine.explain(byZone, NodeSubset.ALL, EntryRules.NONE, overlay, 10, StopSignal.NEVER);
    }

    private List<PodKey> evaluate(PodPlan plan, Overlay overlay, Answer answer) {
        return engine.evaluate(
                List.of(plan),
                Question.evaluate(NodeSubset.ALL, 3),
                overlay,
                answer,
                (each, place) -> {},
                StopSignal.NEVER);
    }

    private static List<Boolean> passed(Answer answer) {
        return List.of(answer.isPassed(0), answer.isPassed(1), answer.isPassed(2));
    }

    private static Overlay on(Overlay.Added... added) {
        return new Overlay(List.of(), List.of(added));
    }

    private static Overlay.Known known(PodKey pod, String node) {
        return new Overlay.Known(pod, node);
    }

    private static PodKey uid(String uid) {
        return PodKey.ofUid(uid);
    }

    private static NodeObject node(String name) {
        return new NodeObject(name, "node " + name, 0, Map.of(ZONE, name, HOSTNAME, name), List.of(), false);
    }

    private static PodObject pod(String name, String node) {
        return new PodObject(NAMESPACE, name, name, 0, WEB, node, false, false);
    }
}
