package io.evenkeel.engine.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.StopSignal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class GroupPlacerTest {
    private static GroupPlacement placeAnywhere(Problem problem) {
        return GroupPlacer.place(problem, List.of(Worlds.first(problem.nodes().count)), StopSignal.NEVER);
    }

    /** Two hosts in one zone and one in another; both constraints have maxSkew 1. */
    private static GroupPlacement placeOnThreeHosts(int pods) {
        Problem problem = Worlds.of(new int[] {0, 0, 1}, 100, 0, pods, 0, 0, false, Worlds.ZONE, Worlds.HOST);
        GroupPlacement placement = placeAnywhere(problem);
        if (placement.endState() != null) {
            assertEquals(List.of(), PlanJudge.faults(problem, placement.endState()));
        }
        return placement;
    }

    @Test
    void fivePods_fit() {
        GroupPlacement placement = placeOnThreeHosts(5);
        assertNotNull(placement.order());
        assertEquals(5, placement.order().placed());
    }

    @Test
    void sixPods_haveNoValidState() {
        GroupPlacement placement = placeOnThreeHosts(6);
        assertNull(placement.order());
        assertNull(placement.endState());
        assertTrue(placement.isOrderExcluded());
        assertTrue(placement.isEndStateExcluded());
        assertEquals(Unplaced.Cause.SPREAD, placement.unplaced().get(0).cause());
    }

    @Test
    void sevenPods_haveAValidState_thatNoOrderReaches() {
        GroupPlacement placement = placeOnThreeHosts(7);
        assertNull(placement.order());
        assertTrue(placement.isOrderExcluded());
        assertNotNull(placement.endState());
        assertFalse(placement.endState().isOrder());
    }

    @Test
    void anyAmountOfAResource_isRoom() {
        Problem problem = Worlds.of(new int[] {0, 0, 1}, 100, 0, 7, 0, 0, false, Worlds.ZONE, Worlds.HOST);
        Arrays.fill(problem.nodes().free, 1L << 62);
        assertNotNull(placeAnywhere(problem).endState());
    }

    @Test
    void firstSetWithAnOrder_isTaken() {
        Problem problem = Worlds.of(new int[] {0, 0, 1, 1}, 2, 0, 4, 0, 0, false, Worlds.ZONE);
        BitSet one = new BitSet();
        one.set(0, 2);
        BitSet other = new BitSet();
        other.set(1, 3);
        GroupPlacement placement = GroupPlacer.place(problem, List.of(one, other), StopSignal.NEVER);
        assertEquals(1, placement.set());
        assertNotNull(placement.order());
    }

    /** Tiny random groups, compared with all orders and all end states. */
    @Test
    void answers_areThoseOfExhaustiveSearch() {
        int proven = 0;
        for (int seed = 0; seed < 300; seed++) {
            Problem problem = random(new SplittableRandom(seed));
            int pods = problem.pods();
            GroupPlacement placement = placeAnywhere(problem);
            boolean hasOrder = PlanJudge.mostInOrder(problem) == pods;
            boolean hasEndState = PlanJudge.hasEndState(problem);
            String message = "seed " + seed;
            assertEquals(hasOrder, placement.order() != null, message);
            assertEquals(!hasOrder, placement.isOrderExcluded(), message);
            if (placement.endState() != null) {
                assertEquals(List.of(), PlanJudge.faults(problem, placement.endState()), message);
            }
            if (!hasOrder) {
                assertEquals(hasEndState, placement.endState() != null, message);
                assertTrue(hasEndState ? !placement.isEndStateExcluded() : true, message);
                proven += placement.isEndStateExcluded() ? 1 : 0;
            }
        }
        assertTrue(proven > 20, "only " + proven);
    }

    private static Problem random(SplittableRandom random) {
        int nodes = random.nextInt(1, 5);
        int zones = random.nextInt(1, 4);
        int[] zone = new int[nodes];
        int[] host = new int[nodes];
        long[] free = new long[nodes];
        for (int n = 0; n < nodes; n++) {
            zone[n] = random.nextInt(zones);
            host[n] = n;
            free[n] = random.nextInt(0, 7);
        }
        int shapes = random.nextInt(1, 3);
        boolean isShared = shapes == 2 && random.nextInt(3) == 0;
        List<CountedPods> counted = new ArrayList<>();
        List<PodShape> pods = new ArrayList<>();
        for (int s = 0; s < shapes; s++) {
            BitSet matching = isShared ? Worlds.first(2) : new BitSet();
            matching.set(s);
            BitSet eligible = Worlds.first(nodes);
            counted.add(new CountedPods(0, new int[zones], eligible, new BitSet(), matching));
            counted.add(new CountedPods(1, new int[nodes], eligible, new BitSet(), matching));
            List<HardConstraint> constraints = new ArrayList<>();
            int first = isShared ? 0 : 2 * s;
            int minDomains = random.nextInt(4) == 0 ? 3 : 1;
            if (random.nextInt(4) > 0) {
                constraints.add(new HardConstraint(first, random.nextInt(1, 3), minDomains, true));
            }
            if (random.nextInt(3) > 0) {
                constraints.add(new HardConstraint(first + 1, random.nextInt(1, 3), 1, true));
            }
            BitSet enterable = new BitSet();
            for (int n = 0; n < nodes; n++) {
                enterable.set(n, random.nextInt(6) > 0);
            }
            pods.add(new PodShape(
                    random.nextInt(1, 5), new long[] {random.nextInt(1, 3)}, enterable, new BitSet(), constraints));
        }
        return new Problem(1, 2, new Nodes(nodes, free, new int[][] {zone, host}), List.of(), counted, pods, false);
    }
}
