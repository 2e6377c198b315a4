package io.evenkeel.engine;

import static io.evenkeel.engine.plan.EventCostLimits.MAX_CONDITIONS;
import static io.evenkeel.engine.script.World.HOSTNAME;
import static io.evenkeel.engine.script.World.NAMESPACE;
import static io.evenkeel.engine.script.World.WEB;
import static io.evenkeel.engine.script.World.ZONE;
import static io.evenkeel.engine.script.World.hard;
import static io.evenkeel.engine.script.World.soft;
import static io.evenkeel.engine.script.World.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.Question;
import io.evenkeel.engine.cluster.Capacity;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.LockProbe;
import io.evenkeel.engine.lock.Slices;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.IncomingPod;
import io.evenkeel.engine.model.LabelRequirement;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.engine.model.NodeRequirement;
import io.evenkeel.engine.model.NodeTerm;
import io.evenkeel.engine.model.PodObject;
import io.evenkeel.engine.model.PodSelector;
import io.evenkeel.engine.model.SpreadConstraint;
import io.evenkeel.engine.model.SpreadDefaults;
import io.evenkeel.engine.model.TaintToleration;
import io.evenkeel.engine.plan.EventCostLimits;
import io.evenkeel.engine.plan.PlanLimitException;
import io.evenkeel.engine.plan.PlanPins;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.script.World;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the bounds on plans: their number, their bytes, and the time that they add to events. */
final class PlanRoomTest {
    private static final Question FILTER = Question.filter(NodeSubset.ALL);

    private SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());

    @AfterEach
    void index_isWhatARecountSays() {
        IndexValidator.validate(engine);
    }

    @Test
    void plansOfOneCall_areEachMadeOnce_ifFewerAreKept() {
        engine = new SpreadEngine(EngineOptions.defaults().withMaxPlans(3));
        fill();
        List<Integer> answered = new ArrayList<>();
        try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED)) {
            List<PodPlan> plans = IntStream.range(0, 40)
                    .mapToObj(i -> pins.plan(notIn(i), SpreadDefaults.NONE))
                    .toList();
            assertEquals(40, engine.status().plans());
            for (int i = 0; i < plans.size(); i++) {
                assertSame(plans.get(i), pins.plan(notIn(i), SpreadDefaults.NONE));
                assertTrue(engine.isStillValid(plans.get(i)));
            }
            engine.evaluate(
                    plans,
                    FILTER,
                    new Answer(),
                    (answer, place) -> answered.add(answer.passedCount()),
                    StopSignal.NEVER);
        }
        assertEquals(IntStream.range(0, 40).mapToObj(i -> 1).toList(), answered);
        assertEquals(3, engine.status().plans());
    }

    @Test
    void plans_takeNoMoreBytesThanTheyMay_whateverTheirPodsBring() {
        engine = new SpreadEngine(EngineOptions.defaults().withMaxPlanBytes(4 << 20));
        fill();
        for (int i = 0; i < 60; i++) {
            engine.plan(withValues(i, 2_000), SpreadDefaults.NONE);
            assertTrue(engine.planBytes() <= 4 << 20, "plans took " + engine.planBytes() + " bytes");
        }
        int kept = engine.status().plans();
        assertTrue(kept > 1 && kept < 30, "each takes some 200 KB and more, " + kept + " were kept");
    }

    /** A plan that no call holds is dropped at once while another call fills all the room. */
    @Test
    @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void droppedPlan_isAnsweredFrom_whileAnotherCallHoldsAllTheRoom() {
        engine = new SpreadEngine(EngineOptions.defaults().withMaxPlanBytes(1));
        fill();
        try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED)) {
            pins.plan(notIn(1), SpreadDefaults.NONE);
            PodPlan dropped = engine.plan(notIn(2), SpreadDefaults.NONE);
            assertFalse(engine.isStillValid(dropped));
            Answer answer = new Answer();
            engine.evaluate(dropped, FILTER, answer);
            assertEquals(1, answer.passedCount());
        }
    }

    /** Without their selectors, the pods of all these workloads are equal. */
    @Test
    void workloadsOfOneNamespace_canBeAskedAbout_howeverManyWereDropped() {
        int workloads = 2_000;
        engine = new SpreadEngine(EngineOptions.defaults().withMaxPlans(1));
        fill();
        engine.write(batch -> {
            for (int i = 0; i < workloads; i++) {
                batch.apply(
                        Change.ADDED,
                        new PodObject(NAMESPACE, "w" + i, "w" + i, 0, Map.of("app", "w" + i), "a", false, false));
            }
        });
        Answer answer = new Answer();
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < workloads; i++) {
                engine.evaluate(engine.plan(ofWorkload(i), SpreadDefaults.NONE), FILTER, answer);
                assertEquals(2, answer.passedCount());
            }
        }
    }

    private static IncomingPod ofWorkload(int number) {
        Map<String, String> labels = Map.of("app", "w" + number);
        SpreadConstraint itself =
                new SpreadConstraint(1, HOSTNAME, true, PodSelector.ofLabels(labels), List.of(), 0, true, false);
        return new IncomingPod(NAMESPACE, labels, Map.of(), null, List.of(), List.of(itself), null);
    }

    @Test
    void aPodWithTooManyNewConstraintsForACall_isRefused_andLeavesNothing_norTakesRoomFromOthers() {
        fill();
        engine.plan(web(hard(ZONE), hard(HOSTNAME)), SpreadDefaults.NONE);
        try (PlanPins pins = engine.pinPlans(StopSignal.NEVER, 2)) {
            pins.plan(web(hard(ZONE)), SpreadDefaults.NONE);
            EngineStatus before = engine.status();
            String message = String.valueOf(assertThrows(
                            PlanLimitException.class,
                            () -> pins.plan(
                                    new IncomingPod(
                                            NAMESPACE,
                                            WEB,
                                            Map.of(),
                                            null,
                                            List.of(),
                                            List.of(by(1), by(2), by(3)),
                                            null),
                                    SpreadDefaults.NONE))
                    .getMessage());
            assertTrue(message.contains("must be at most 2 in a call, were 4 or more"), message);
            assertEquals(before, engine.status());
            pins.plan(web(soft(HOSTNAME)), SpreadDefaults.NONE);
        }
        assertEquals(3, engine.status().plans());
    }

    @Test
    void callThatEnds_leavesItToOthers_whatTheyAreLettingGo() {
        engine = new SpreadEngine(
                EngineOptions.defaults().withMaxPlans(1),
                System::nanoTime,
                Capacity.LARGEST,
                new Slices(() -> () -> true, Slices.PODS));
        fill();
        engine.plan(web(hard(ZONE), hard(HOSTNAME)), SpreadDefaults.NONE);
        AnotherCall another = new AnotherCall();
        engine.probeHolds(another);
        engine.plan(web(soft(ZONE), soft(HOSTNAME)), SpreadDefaults.NONE);
        engine.probeHolds(null);
        assertTrue(another.ended > 2, "ended " + another.ended + " times");
        assertEquals(0, another.writes);
    }

    /** Begins and ends whenever the lock is free and the number of plans is within the bound. */
    private final class AnotherCall implements LockProbe {
        int ended;
        int writes;
        private boolean ends;

        @Override
        public long now() {
            return 1;
        }

        @Override
        public void held(boolean writing, long nanos) {
            if (ends) {
                writes += writing ? 1 : 0;
                return;
            }
            ends = true;
            if (writing && engine.status().plans() == 1) {
                engine.pinPlans(StopSignal.NEVER, PlanPins.UNLIMITED).close();
                ended++;
            }
            ends = false;
        }
    }

    /** Each selector matches every pod, so an event of any pod counts for all of them. */
    @Test
    void selectorsAskedOnce_areNotKept_ifEachPodEventWouldCountForAllOfThem() {
        fill();
        PodPlan often = engine.plan(web(hard(ZONE), soft(HOSTNAME)), SpreadDefaults.NONE);
        for (IntFunction<IncomingPod> kind :
                List.<IntFunction<IncomingPod>>of(PlanRoomTest::notIn, PlanRoomTest::webAndNotIn)) {
            for (int i = 0; i < 3 * EventCostLimits.MAX_SELECTORS / 2; i++) {
                engine.plan(kind.apply(i), SpreadDefaults.NONE);
                engine.evaluate(often, FILTER, new Answer());
                assertTrue(engine.isStillValid(often));
            }
            int selectors = engine.status().selectors();
            assertTrue(selectors <= 2 * EventCostLimits.MAX_SELECTORS + 1, selectors + " selectors are kept");
        }
        assertNotNull(engine.findPlan(often.pod(), SpreadDefaults.NONE));
    }

    @Test
    void nodeSelectorsAskedOnce_areNotKept_ifEachNodeEventWouldLookAtAllOfThem() {
        fill();
        PodPlan often =
                engine.plan(World.withNodeSelector(web(hard(ZONE)), Map.of("pool", "known")), SpreadDefaults.NONE);
        for (int i = 0; i < 3 * MAX_CONDITIONS; i++) {
            engine.plan(World.withNodeSelector(web(hard(ZONE)), Map.of("pool", "pool-" + i)), SpreadDefaults.NONE);
            engine.evaluate(often, FILTER, new Answer());
            assertTrue(engine.isStillValid(often));
        }
        int eligibilities = engine.status().eligibilities();
        assertTrue(eligibilities <= MAX_CONDITIONS + 1, eligibilities + " eligibilities are kept");
    }

    /** A node event also checks the taints that each list of tolerations tolerates, but that takes little time. */
    @Test
    void plansWithNodeSelectors_areKept_howeverManyListsOfTolerationsWereAskedAbout() {
        fill();
        for (int i = 0; i < MAX_CONDITIONS + 100; i++) {
            engine.plan(tolerating("tenant-" + i), SpreadDefaults.NONE);
        }
        for (int i = 0; i < 10; i++) {
            engine.plan(inPool(i, 0), SpreadDefaults.NONE);
        }
        for (int i = 0; i < 10; i++) {
            assertNotNull(engine.findPlan(inPool(i, 0), SpreadDefaults.NONE), "of pool " + i);
        }
        assertNotNull(engine.findPlan(tolerating("tenant-0"), SpreadDefaults.NONE));
    }

    /** A condition goes only when all plans that need it are dropped. */
    @Test
    void plansThatAreDropped_areThoseByWhichConditionsGo_ifSeveralPlansShareEach() {
        fill();
        int plansOfEach = 4;
        for (int plan = 0; plan < plansOfEach; plan++) {
            for (int pool = 0; pool < MAX_CONDITIONS + 8; pool++) {
                engine.plan(inPool(pool, plan), SpreadDefaults.NONE);
            }
        }
        int eligibilities = engine.status().eligibilities();
        assertTrue(eligibilities <= MAX_CONDITIONS + 1, eligibilities + " eligibilities are kept");
        int plans = engine.status().plans();
        assertTrue(plans > (plansOfEach - 1) * MAX_CONDITIONS, plans + " plans are kept");
    }

    /** They share a label, but each also has a unique one that it is filed under. */
    @Test
    void selectorsOfManyWorkloads_areKept_thoughTheyShareALabel() {
        fill();
        int workloads = EventCostLimits.MAX_SELECTORS + 100;
        for (int i = 0; i < workloads; i++) {
            engine.plan(
                    constrained(PodSelector.ofLabels(Map.of("a-team", "shop", "name", "web-" + i))),
                    SpreadDefaults.NONE);
        }
        assertEquals(workloads, engine.status().selectors());
    }

    private void fill() {
        engine.write(batch -> {
            for (String name : List.of("a", "b", "c")) {
                Map<String, String> labels = Map.of(ZONE, name, HOSTNAME, name);
                batch.apply(Change.ADDED, new NodeObject(name, "node " + name, 0, labels, List.of(), false));
            }
            batch.apply(Change.ADDED, new PodObject(NAMESPACE, "p", "p", 0, WEB, "a", false, false));
            batch.apply(Change.ADDED, new PodObject(NAMESPACE, "q", "q", 0, WEB, "b", false, false));
        });
    }

    private static SpreadConstraint by(int number) {
        return constraint(new PodSelector(List.of(notInRequirement(number))));
    }

    /** A pod that fits only in the third zone. */
    private static IncomingPod notIn(int number) {
        return constrained(new PodSelector(List.of(notInRequirement(number))));
    }

    private static IncomingPod webAndNotIn(int number) {
        return constrained(PodSelector.ofLabels(WEB).and(new PodSelector(List.of(notInRequirement(number)))));
    }

    private static LabelRequirement notInRequirement(int number) {
        return new LabelRequirement("word", LabelRequirement.Operator.NOT_IN, List.of("word-" + number));
    }

    private static IncomingPod withValues(int number, int values) {
        List<String> names = IntStream.range(0, values)
                .mapToObj(i -> "value-" + number + "-" + i)
                .toList();
        NodeTerm term = new NodeTerm(List.of(new NodeRequirement("pool", "NotIn", names)), List.of());
        return new IncomingPod(NAMESPACE, WEB, Map.of(), List.of(term), List.of(), List.of(hard(ZONE)), null);
    }

    private static IncomingPod tolerating(String tenant) {
        TaintToleration toleration = new TaintToleration("tenant", "Equal", tenant, "");
        return new IncomingPod(NAMESPACE, WEB, Map.of(), null, List.of(toleration), List.of(hard(ZONE)), null);
    }

    /** One of several kinds of pods of a pool of nodes. */
    private static IncomingPod inPool(int pool, int kind) {
        return World.withNodeSelector(notIn(kind), Map.of("pool", "pool-" + pool));
    }

    private static IncomingPod constrained(PodSelector selector) {
        return new IncomingPod(NAMESPACE, WEB, Map.of(), null, List.of(), List.of(constraint(selector)), null);
    }

    private static SpreadConstraint constraint(PodSelector selector) {
        return new SpreadConstraint(1, ZONE, true, selector, List.of(), 0, true, false);
    }
}
