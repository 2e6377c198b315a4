package io.evenkeel.engine.estimate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.estimate.Unplaced.Cause;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EstimatorTest {
    private static Plan assertOptimal(Problem problem, int pods, int nodes) {
        Estimate estimate = Estimator.estimate(problem);
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
        assertEquals(List.of(), Judge.faults(small, Estimator.estimate(small).plan()));
    }

    @Test
    void emptyCluster_isFilledEvenly_whenTheZonesOfTemplatesCount() {
        Problem balanced = Worlds.of(new int[0], 0, 0, 1000, 3, 5000, true, Worlds.ZONE, Worlds.HOST);
        Plan plan = assertOptimal(balanced, 1000, 36);
        assertEquals(List.of(), Judge.faults(balanced, plan));
        assertOptimal(Worlds.of(new int[0], 0, 0, 5000, 3, 5000, true, Worlds.ZONE, Worlds.HOST), 5000, 168);
    }

    @Test
    void emptyCluster_needsOneZoneOnly_whenAZoneWithoutNodesIsNoDomain() {
        assertOptimal(Worlds.of(new int[0], 0, 0, 1000, 3, 5000, false, Worlds.ZONE, Worlds.HOST), 1000, 34);
    }

    @Test
    void minDomains_demandsNodes_whenFewerNodesHaveRoom() {
        HardConstraint host = new HardConstraint(1, 1, 3, true);
        Estimate estimate = Estimator.estimate(Worlds.of(new int[0], 0, 0, 12, 1, 10, false, host));
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
        Estimate estimate = Estimator.estimate(problem);
        assertEquals(18, estimate.endState().placed());
        assertFalse(estimate.endState().isOrder());
        assertEquals(13, estimate.plan().placed());
        assertEquals(List.of(), Judge.faults(problem, estimate.plan()));
        assertEquals(List.of(), Judge.faults(problem, estimate.endState()));
        assertEquals(Cause.SPREAD, estimate.unplaced().get(0).cause());
    }

    @Test
    void cause_namesTheDomainWithTheMinimum_andWhyItTakesNoPod() {
        // Zone 1 has a node that is full, and there are no new nodes.
        Problem problem = Worlds.of(new int[] {0, 1}, 9, 0, 5, 0, 0, false, Worlds.ZONE);
        problem.nodes().free[1] = 0;
        Unplaced unplaced = Estimator.estimate(problem).unplaced().get(0);
        assertEquals(new Unplaced(0, 4, Cause.SPREAD, 0, 1, Cause.NO_ROOM), unplaced);
    }

    @Test
    void cause_isRoom_whenAllNewNodesAreFull() {
        Unplaced unplaced = Estimator.estimate(Worlds.of(new int[0], 0, 0, 100, 1, 2, false, Worlds.ZONE))
                .unplaced()
                .get(0);
        assertEquals(40, unplaced.pods());
        assertEquals(Cause.NO_ROOM, unplaced.cause());
    }
}
