package io.evenkeel.engine.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.estimate.Unplaced.Cause;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class EstimatorTest {
    private static Plan assertOptimal(Problem problem, int pods, int nodes) {
        NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
        Plan plan = estimate.plan();
        assertEquals(pods, plan.placed());
        assertEquals(nodes, Arrays.stream(plan.newNodes()).sum());
        assertTrue(plan.isOrder());
        assertTrue(estimate.isOptimal());
        assertEquals(nodes, estimate.priceBound());
        assertSame(plan, estimate.endState());
        return plan;
    }

    @Test
    void newNodes_takeTwoPodsEach_whenFullNodesHoldOne() {
        assertOptimal(Worlds.of(Worlds.inTurn(5000, 3), 0, 1, 1000, 1, 5000, false, Worlds.HOST), 1000, 500);
    }

    @Test
    void allGroups_areConsideredTogether_whenZonesAreConstrained() {
        Problem large = Worlds.of(Worlds.inTurn(5000, 3), 0, 1, 1000, 3, 5000, false, Worlds.ZONE, Worlds.HOST);
        assertOptimal(large, 1000, 501);
        Problem small = Worlds.of(Worlds.inTurn(100, 3), 0, 1, 200, 3, 5000, false, Worlds.ZONE, Worlds.HOST);
        assertEquals(
                List.of(),
                PlanJudge.faults(
                        small, Estimator.estimate(small, StopSignal.NEVER).plan()));
    }

    @Test
    void emptyCluster_isFilledEvenly_whenTheZonesOfTemplatesCount() {
        Problem balanced = Worlds.of(new int[0], 0, 0, 1000, 3, 5000, true, Worlds.ZONE, Worlds.HOST);
        Plan plan = assertOptimal(balanced, 1000, 36);
        assertEquals(List.of(), PlanJudge.faults(balanced, plan));
        assertOptimal(Worlds.of(new int[0], 0, 0, 5000, 3, 5000, true, Worlds.ZONE, Worlds.HOST), 5000, 168);
    }

    @Test
    void emptyCluster_needsOneZoneOnly_whenAZoneWithoutNodesIsNoDomain() {
        assertOptimal(Worlds.of(new int[0], 0, 0, 1000, 3, 5000, false, Worlds.ZONE, Worlds.HOST), 1000, 34);
    }

    @Test
    void minDomains_demandsNodes_whenFewerNodesHaveRoom() {
        HardConstraint host = new HardConstraint(1, 1, 3, true);
        NodeEstimate estimate =
                Estimator.estimate(Worlds.of(new int[0], 0, 0, 12, 1, 10, false, host), StopSignal.NEVER);
        assertEquals(12, estimate.plan().placed());
        assertEquals(3, estimate.plan().newNodes()[0]);
    }

    @Test
    void existingNodes_areUsedFirst() {
        assertOptimal(Worlds.of(Worlds.inTurn(3, 3), 4, 0, 12, 3, 10, false, Worlds.ZONE, Worlds.HOST), 12, 0);
    }

    @Test
    void endStateAndOrder_differ_whenNoOrderReachesTheEndState() {
        int[] zones = {0, 0, 1, 1, 2, 2, 2};
        Problem problem = Worlds.of(zones, 16, 0, 18, 0, 0, false, Worlds.ZONE, Worlds.HOST);
        NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
        assertEquals(18, estimate.endState().placed());
        assertFalse(estimate.endState().isOrder());
        assertEquals(13, estimate.plan().placed());
        assertEquals(List.of(), PlanJudge.faults(problem, estimate.plan()));
        assertEquals(List.of(), PlanJudge.faults(problem, estimate.endState()));
        assertEquals(Cause.SPREAD, estimate.unplaced().get(0).cause());
    }

    @Test
    void cause_namesTheDomainWithTheMinimum_andWhyItTakesNoPod() {
        // Zone 1 has a node that is full, and there are no new nodes.
        Problem problem = Worlds.of(new int[] {0, 1}, 9, 0, 5, 0, 0, false, Worlds.ZONE);
        problem.nodes().free[1] = 0;
        Unplaced unplaced =
                Estimator.estimate(problem, StopSignal.NEVER).unplaced().get(0);
        assertEquals(new Unplaced(0, 4, Cause.SPREAD, 0, 1, Cause.NO_ROOM), unplaced);
    }

    @Test
    void cause_isTheMaximum_whenAllNewNodesAreFull() {
        Problem problem = Worlds.of(new int[0], 0, 0, 100, 1, 2, false, Worlds.ZONE);
        NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
        assertEquals(List.of(new Unplaced(0, 40, Cause.MAX_COUNT, -1, -1, Cause.NO_NODE)), estimate.unplaced());
        assertEquals(List.of(new Unplaced(0, 100, Cause.NO_NODE, -1, -1, Cause.NO_NODE)), estimate.withoutNewNodes());
    }

    @Test
    void cause_isTheMaximum_inTheDomainWithTheMinimum() {
        // Zone 1 has one new node, which is full, and may have no more.
        Problem problem = Worlds.of(new int[] {0}, 100, 0, 70, 2, 1, true, Worlds.ZONE);
        Unplaced unplaced =
                Estimator.estimate(problem, StopSignal.NEVER).unplaced().get(0);
        assertEquals(new Unplaced(0, 9, Cause.SPREAD, 0, 1, Cause.MAX_COUNT), unplaced);
    }

    @Test
    void cause_isSpread_whenOneMoreNodeHasRoom_inADomainThatMayTakeNoPod() {
        // Zones 1 and 2 are full. New nodes are possible only in zone 0.
        Problem problem = Worlds.of(new int[] {0, 1, 2}, 0, 0, 2, 1, 1_000, false, Worlds.ZONE);
        NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
        assertEquals(1, estimate.plan().placed());
        assertEquals(List.of(new Unplaced(0, 1, Cause.SPREAD, 0, 1, Cause.NO_ROOM)), estimate.unplaced());
        assertEquals(List.of(new Unplaced(0, 2, Cause.NO_ROOM, -1, -1, Cause.NO_NODE)), estimate.withoutNewNodes());
    }

    @Test
    void newNodes_areNeeded_becauseOfTheDomainWithTheMinimum() {
        // Zone 1 is full, so that zone 0 may take one more pod than it.
        Problem problem = Worlds.of(new int[] {0, 1}, 9, 0, 5, 2, 1, false, Worlds.ZONE);
        problem.nodes().free[1] = 0;
        NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
        assertEquals(List.of(), estimate.unplaced());
        assertEquals(List.of(new Unplaced(0, 4, Cause.SPREAD, 0, 1, Cause.NO_ROOM)), estimate.withoutNewNodes());
    }

    @Test
    void withoutNewNodes_isEmpty_whenThereAreNone() {
        Problem problem = Worlds.of(new int[] {0, 1}, 9, 0, 5, 2, 1, false, Worlds.ZONE);
        assertEquals(List.of(), Estimator.estimate(problem, StopSignal.NEVER).withoutNewNodes());
    }

    @Test
    void orderedPlan_isOptimal_whenNoCheaperOrderExists() {
        // Seven pods have an end state on these nodes, but no order.
        Problem problem = Worlds.of(new int[] {0, 0, 1}, 100, 0, 7, 2, 5, false, Worlds.ZONE, Worlds.HOST);
        NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
        assertEquals(1, estimate.plan().price());
        assertTrue(estimate.isOptimal());
        assertEquals(0, estimate.endState().price());
        assertEquals(0, estimate.priceBound());
    }

    @Test
    void plansThatAreProvenOptimal_haveNoCheaperOrder() {
        int better = 0;
        for (int seed = 0; seed < 2_000; seed++) {
            Problem problem = random(new SplittableRandom(seed));
            NodeEstimate estimate = Estimator.estimate(problem, StopSignal.NEVER);
            if (estimate.isOptimal()) {
                int[] newNodes = new int[problem.templates().size()];
                assertEquals(List.of(), cheaper(problem, newNodes, 0, estimate.plan()), "seed " + seed);
                better += estimate.endState().price() < estimate.plan().price() ? 1 : 0;
            }
        }
        assertTrue(better > 0, better + " plans differ from their end states");
    }

    private static Problem random(SplittableRandom random) {
        HardConstraint zone = new HardConstraint(0, random.nextInt(1, 3), random.nextInt(1, 4), true);
        HardConstraint host = new HardConstraint(1, random.nextInt(1, 3), random.nextInt(1, 4), true);
        HardConstraint[][] choices = {{zone, host}, {zone, host}, {zone}, {host}, {}};
        Problem ofOnePrice = Worlds.of(
                random.ints(random.nextInt(0, 6), 0, 3).toArray(),
                random.nextInt(0, 6),
                random.nextInt(0, 2),
                random.nextInt(1, 12),
                random.nextInt(1, 3),
                random.nextInt(1, 3),
                random.nextInt(4) == 0,
                choices[random.nextInt(choices.length)]);
        List<NodeTemplate> templates = ofOnePrice.templates().stream()
                .map(each -> new NodeTemplate(each.free, each.domains, each.max, random.nextInt(1, 4)))
                .toList();
        return new Problem(
                1,
                2,
                ofOnePrice.nodes(),
                templates,
                ofOnePrice.counted(),
                ofOnePrice.shapes(),
                ofOnePrice.templateDomainsCount());
    }

    /** The cheaper combinations of new nodes for which there is an order that places all that a plan places. */
    private static List<List<Integer>> cheaper(Problem problem, int[] newNodes, int from, Plan plan) {
        Ground ground = new Ground(problem, StopSignal.NEVER);
        List<List<Integer>> cheaper = new ArrayList<>();
        if (plan.placed() == ground.pods && ground.price(newNodes) < plan.price()) {
            OrderSearch search = new OrderSearch(new Trial(ground, newNodes.clone()));
            if (search.run() || !search.isComplete()) {
                cheaper.add(Arrays.stream(newNodes).boxed().toList());
            }
        }
        for (int t = from; t < newNodes.length; t++) {
            if (newNodes[t] < problem.templates().get(t).max) {
                newNodes[t]++;
                cheaper.addAll(cheaper(problem, newNodes, t, plan));
                newNodes[t]--;
            }
        }
        return cheaper;
    }

    @Test
    void anyMaxSkew_isNoLimit() {
        HardConstraint zone = new HardConstraint(0, Integer.MAX_VALUE, 1, true);
        HardConstraint host = new HardConstraint(1, Integer.MAX_VALUE, 1, true);
        assertOptimal(Worlds.of(new int[] {0, 1}, 10, 3, 8, 2, 5, false, zone, host), 8, 0);
        assertOptimal(Worlds.of(new int[] {0, 1}, 10, 3, 80, 2, 5, false, zone, host), 80, 2);
    }

    @Test
    void manyWaysToDivideThePods_end() {
        HardConstraint zone = new HardConstraint(0, 20_000, 1, true);
        NodeEstimate estimate = Estimator.estimate(
                Worlds.of(new int[] {0, 1, 2}, 0, 0, 20_000, 3, 20_000, false, zone, Worlds.HOST), StopSignal.NEVER);
        assertTrue(estimate.priceBound() <= estimate.plan().price());
    }

    @Test
    void manyPricesWithoutACommonDivisor_end() {
        NodeEstimate estimate = Estimator.estimate(manyPrices(), StopSignal.NEVER);
        assertEquals(16, estimate.plan().placed());
        assertTrue(estimate.priceBound() <= estimate.plan().price());
    }

    /** A node holds one pod. Most prices are of no combination, but very many combinations cost a little less. */
    private static Problem manyPrices() {
        List<NodeTemplate> templates = new ArrayList<>();
        templates.add(new NodeTemplate(new long[] {10}, new int[] {}, 1, 10_000));
        for (int t = 1; t < 12; t++) {
            templates.add(new NodeTemplate(new long[] {10}, new int[] {}, 1_000, 9_999));
        }
        PodShape shape = new PodShape(8, new long[] {6}, new BitSet(), Worlds.first(12), List.of());
        Nodes none = new Nodes(0, new long[0], new int[0][]);
        return new Problem(1, 0, none, templates, List.of(), List.of(shape, shape), false);
    }

    @Test
    void estimate_stopsSoon() {
        HardConstraint zone = new HardConstraint(0, 20_000, 1, true);
        List<Problem> problems = List.of(
                Worlds.of(new int[] {0, 1, 2}, 0, 0, 20_000, 3, 20_000, false, zone, Worlds.HOST),
                Worlds.of(Worlds.inTurn(5_000, 3), 100, 0, 20_000, 3, 20_000, false, Worlds.ZONE, Worlds.HOST),
                manyPrices());
        for (Problem problem : problems) {
            AtomicInteger checks = new AtomicInteger();
            StopSignal stop = () -> checks.incrementAndGet() > 1_000;
            assertThrows(StoppedException.class, () -> Estimator.estimate(problem, stop));
        }
    }
}
