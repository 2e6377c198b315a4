package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Carries out plans of moves in small clusters, and judges each move and each chain of moves. None violates a
 * constraint that was satisfied, unless the whole plan does.
 */
final class PlanReplay {
    /** Of more moves that are left, not all subsets are tried. */
    private static final int MOST_LEFT = 10;

    /** What the plans had, so that a test cannot pass because there was nothing to judge. */
    int chains;

    int impossible;

    /** Moves that violate a constraint, until others are made. */
    int violating;

    /** Asks an instance for a plan of a cluster. */
    static RebalanceResponse plan(CountedCluster cluster) {
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            assertEquals(
                    List.of(),
                    instance.clusterState()
                            .apply(Messages.apply(cluster.objects()))
                            .getRefusalsList());
            FutureCall<RebalanceResponse> call = new FutureCall<>(Duration.ofSeconds(30));
            instance.placement()
                    .rebalance()
                    .handleMessage(
                            RebalanceRequest.newBuilder()
                                    .setIncludeSoft(cluster.withSoft)
                                    .build(),
                            call);
            return call.join();
        }
    }

    /** Makes the possible moves of a plan. */
    void check(RebalanceResponse plan, CountedCluster cluster, String what) {
        Set<TopologySpreadConstraint> kept = satisfiedAfter(plan, cluster);
        int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
        int from = 0;
        while (from < possible) {
            int last = from;
            while (plan.getMoves(last).getTogetherWithNext()) {
                last++;
            }
            assertTrue(
                    last < possible && !plan.getMoves(last).getRejected(), what + ", a chain without an end\n" + plan);
            List<PodMove> chain = plan.getMovesList().subList(from, last + 1);
            Set<TopologySpreadConstraint> before = cluster.satisfied();
            before.retainAll(kept);
            for (PodMove move : chain) {
                String pod = move.getPod().getName();
                Set<TopologySpreadConstraint> satisfied = cluster.satisfied();
                satisfied.retainAll(kept);
                assertEquals(plan.getNodes(move.getFrom()), cluster.nodeOf.put(pod, plan.getNodes(move.getTo())), what);
                boolean violatesNone = cluster.satisfied().containsAll(satisfied);
                violating += violatesNone ? 0 : 1;
                assertEquals(
                        !move.getRejected(),
                        cluster.isAdmitted(pod) && violatesNone,
                        what + ", " + pod + " at its turn\n" + plan);
            }
            chains += chain.size() > 1 ? 1 : 0;
            for (PodMove move : chain) {
                String pod = move.getPod().getName();
                assertTrue(cluster.isAdmitted(pod), what + ", " + pod + " at the end of its chain\n" + plan);
            }
            assertTrue(cluster.satisfied().containsAll(before), what + ", at the end of a chain\n" + plan);
            from = last + 1;
        }
        assertTrue(
                possible == 0 || plan.getExcessAfter() < plan.getExcessBefore(), what + ", moves for nothing\n" + plan);
        assertNull(possible == 0 ? cluster.missedMove() : null, what + ", a move that would help\n" + plan);
        impossible += plan.getMovesCount() > possible ? 1 : 0;
        List<PodMove> left = plan.getMovesList().subList(possible, plan.getMovesCount());
        assertEquals(List.of(), helpful(left, plan, cluster, kept), what + ", moves that help come last\n" + plan);
    }

    /** The constraints that the whole plan satisfies. */
    private static Set<TopologySpreadConstraint> satisfiedAfter(RebalanceResponse plan, CountedCluster cluster) {
        Map<String, String> before = Map.copyOf(cluster.nodeOf);
        make(plan.getMovesList(), plan, cluster);
        Set<TopologySpreadConstraint> satisfied = cluster.satisfied();
        cluster.nodeOf.putAll(before);
        return satisfied;
    }

    private static void make(List<PodMove> moves, RebalanceResponse plan, CountedCluster cluster) {
        moves.forEach(move -> cluster.nodeOf.put(move.getPod().getName(), plan.getNodes(move.getTo())));
    }

    /** Some of the moves that are possible together and lower the excess; none if there are no such moves. */
    private static List<PodMove> helpful(
            List<PodMove> left, RebalanceResponse plan, CountedCluster cluster, Set<TopologySpreadConstraint> kept) {
        Map<String, String> before = new HashMap<>(cluster.nodeOf);
        Set<TopologySpreadConstraint> satisfied = cluster.satisfied();
        satisfied.retainAll(kept);
        int excess = cluster.excess();
        for (int chosen = 1; chosen < 1 << Math.min(left.size(), MOST_LEFT); chosen++) {
            List<PodMove> some = new ArrayList<>();
            for (int i = 0; i < left.size(); i++) {
                if ((chosen >> i & 1) == 1) {
                    some.add(left.get(i));
                }
            }
            make(some, plan, cluster);
            boolean isPossible = some.stream()
                            .allMatch(move -> cluster.isAdmitted(move.getPod().getName()))
                    && cluster.satisfied().containsAll(satisfied);
            boolean isHelpful = isPossible && cluster.excess() < excess;
            cluster.nodeOf.putAll(before);
            if (isHelpful) {
                return some;
            }
        }
        return List.of();
    }
}
