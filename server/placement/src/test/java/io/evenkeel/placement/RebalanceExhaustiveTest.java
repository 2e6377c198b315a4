package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares plans for tiny clusters with all placements of their pods: none may have less excess, or the same excess
 * with fewer moves. Also carries the plans out.
 */
final class RebalanceExhaustiveTest {
    private static final int FEW_CLUSTERS = 40;
    private static final int CLUSTERS = 600;

    private final PlanReplay replay = new PlanReplay();
    private int moving;

    /** A constraint, in numbers: whether it counts a pod, and which domain a node is in. */
    private static final class Counted {
        private final boolean[] pods;
        private final int[] domains;
        private final int domainCount;
        private final int maxSkew;
        private final boolean minimumIsZero;

        Counted(boolean[] pods, int[] domains, int domainCount, int maxSkew, boolean minimumIsZero) {
            this.pods = pods;
            this.domains = domains;
            this.domainCount = domainCount;
            this.maxSkew = maxSkew;
            this.minimumIsZero = minimumIsZero;
        }

        private int[] counts(int[] nodeOf) {
            int[] counts = new int[domainCount];
            for (int pod = 0; pod < pods.length; pod++) {
                counts[domains[nodeOf[pod]]] += pods[pod] ? 1 : 0;
            }
            return counts;
        }

        private int highest(int[] counts) {
            return (minimumIsZero ? 0 : Arrays.stream(counts).min().orElseThrow()) + maxSkew;
        }

        int excess(int[] nodeOf) {
            int[] counts = counts(nodeOf);
            return Math.max(0, Arrays.stream(counts).max().orElseThrow() - highest(counts));
        }

        /** Whether the domain of a node admits no pod that does not count, either. */
        boolean isClosed(int node, int[] nodeOf) {
            int[] counts = counts(nodeOf);
            return counts[domains[node]] > highest(counts);
        }
    }

    /** The least excess, and the fewest moves that reach it. */
    private record Best(int excess, int moves) {
        boolean isBetterThan(Best other) {
            return excess < other.excess || excess == other.excess && moves < other.moves;
        }
    }

    /** All placements of the pods of a cluster. */
    private static final class Placements {
        private final CountedCluster cluster;
        private final List<Pod> pods;
        private final List<String> nodes;
        private final List<Counted> constraints = new ArrayList<>();

        /** Those of each pod that count only others. */
        private final List<List<Counted>> filters = new ArrayList<>();

        private final int[] now;
        private final int[] nodeOf;
        private final int[] free;
        private final boolean[] stays;
        final int before;
        Best best = new Best(Integer.MAX_VALUE, 0);

        /** The best one in which no pod has entered a domain that a constraint closes although it does not count it. */
        Best unfiltered = best;

        Placements(CountedCluster cluster) {
            this.cluster = cluster;
            pods = List.copyOf(cluster.pods.values());
            nodes = List.copyOf(cluster.zones.keySet());
            now = pods.stream()
                    .mapToInt(pod -> nodes.indexOf(pod.getSpec().getNodeName()))
                    .toArray();
            nodeOf = now.clone();
            free = nodes.stream()
                    .mapToInt(node -> Objects.requireNonNull(cluster.rooms.get(node)))
                    .toArray();
            Set<String> considered = considered();
            stays = new boolean[now.length];
            Set<List<Object>> distinct = new HashSet<>();
            for (int i = 0; i < stays.length; i++) {
                Pod pod = pods.get(i);
                boolean isConsidered = considered.contains(CountedCluster.app(pod));
                stays[i] = !isConsidered || cluster.mustStay(pod);
                for (TopologySpreadConstraint constraint : cluster.constraintsOf(pod)) {
                    if (isConsidered && distinct.add(identity(constraint, pod))) {
                        constraints.add(counted(constraint));
                    }
                }
            }
            for (int i = 0; i < stays.length; i++) {
                Pod pod = pods.get(i);
                filters.add(pod.getSpec().getTopologySpreadConstraintsList().stream()
                        .filter(CountedCluster::isHard)
                        .map(constraint -> CountedCluster.effective(constraint, pod))
                        .filter(constraint -> !CountedCluster.isCounted(constraint, pod))
                        .map(this::counted)
                        .toList());
            }
            before = excess();
            place(0, 0);
        }

        /** The workloads that violate a constraint; all, if there is one and some constraint counts pods of both. */
        private Set<String> considered() {
            Set<String> violating = new HashSet<>();
            boolean isShared = false;
            for (Pod pod : pods) {
                for (TopologySpreadConstraint constraint : cluster.constraintsOf(pod)) {
                    if (cluster.excess(constraint) > 0) {
                        violating.add(CountedCluster.app(pod));
                    }
                    isShared |= pods.stream()
                            .anyMatch(other -> !CountedCluster.app(other).equals(CountedCluster.app(pod))
                                    && CountedCluster.isCounted(constraint, other));
                }
            }
            return isShared && !violating.isEmpty()
                    ? pods.stream()
                            .filter(cluster::isKnown)
                            .map(CountedCluster::app)
                            .collect(Collectors.toSet())
                    : violating;
        }

        /**
         * What is equal for constraints that count once. All topology keys together decide which nodes are eligible,
         * but a soft constraint on hostnames counts every node.
         */
        private List<Object> identity(TopologySpreadConstraint constraint, Pod of) {
            String when = constraint.getWhenUnsatisfiable();
            boolean isOfAllNodes = !CountedCluster.isHard(constraint)
                    && constraint.getTopologyKey().equals(HOSTNAME);
            return List.of(
                    constraint.getTopologyKey(),
                    constraint.getLabelSelector(),
                    constraint.getMaxSkew(),
                    constraint.getMinDomains() > cluster.domains(constraint).size(),
                    of.getSpec().getTopologySpreadConstraintsList().stream()
                            .filter(other -> !isOfAllNodes
                                    && other.getWhenUnsatisfiable().equals(when))
                            .map(TopologySpreadConstraint::getTopologyKey)
                            .collect(Collectors.toSet()));
        }

        private Counted counted(TopologySpreadConstraint constraint) {
            List<String> domains = cluster.domains(constraint);
            boolean[] counted = new boolean[now.length];
            for (int i = 0; i < counted.length; i++) {
                counted[i] = CountedCluster.isCounted(constraint, pods.get(i));
            }
            return new Counted(
                    counted,
                    nodes.stream()
                            .mapToInt(node -> domains.indexOf(cluster.domain(constraint, node)))
                            .toArray(),
                    domains.size(),
                    constraint.getMaxSkew(),
                    domains.size() < constraint.getMinDomains());
        }

        /** The excess after the first moves of a plan. */
        int excessAfter(RebalanceResponse plan, int made) {
            System.arraycopy(now, 0, nodeOf, 0, now.length);
            for (PodMove move : plan.getMovesList().subList(0, made)) {
                for (int i = 0; i < now.length; i++) {
                    if (pods.get(i).getMetadata().getName().equals(move.getPod().getName())) {
                        nodeOf[i] = nodes.indexOf(plan.getNodes(move.getTo()));
                    }
                }
            }
            return excess();
        }

        private int excess() {
            return constraints.stream().mapToInt(each -> each.excess(nodeOf)).sum();
        }

        private boolean isAnyFiltered() {
            return IntStream.range(0, now.length)
                    .anyMatch(pod -> nodeOf[pod] != now[pod]
                            && filters.get(pod).stream().anyMatch(each -> each.isClosed(nodeOf[pod], nodeOf)));
        }

        private void place(int pod, int moves) {
            if (pod == now.length) {
                Best reached = new Best(excess(), moves);
                best = reached.isBetterThan(best) ? reached : best;
                unfiltered = reached.isBetterThan(unfiltered) && !isAnyFiltered() ? reached : unfiltered;
                return;
            }
            for (int node = 0; node < free.length; node++) {
                if (free[node] > 0 && (node == now[pod] || !stays[pod])) {
                    free[node]--;
                    nodeOf[pod] = node;
                    place(pod + 1, moves + (node == now[pod] ? 0 : 1));
                    free[node]++;
                }
            }
        }
    }

    @Test
    void plans_areTheBestOfAllPlacements() {
        play(0, FEW_CLUSTERS);
    }

    @Test
    @Tag("long")
    void plans_areTheBestOfAllPlacements_inMoreClusters() {
        play(FEW_CLUSTERS, CLUSTERS);
    }

    private void play(int from, int end) {
        for (int seed = from; seed < end; seed++) {
            CountedCluster cluster = CountedCluster.tiny(new Random(seed));
            compare(cluster, "seed " + seed);
        }
        assertTrue(moving > (end - from) / 4, "plans with moves: " + moving);
    }

    private void compare(CountedCluster cluster, String what) {
        Placements placements = new Placements(cluster);
        RebalanceResponse plan = PlanReplay.plan(cluster);
        assertEquals(placements.before, plan.getExcessBefore(), what + ", excess before\n" + plan);
        int afterAll = placements.excessAfter(plan, plan.getMovesCount());
        // A plan may have moves that a constraint excludes which counts only others, as impossible ones.
        Best best = afterAll == placements.best.excess ? placements.best : placements.unfiltered;
        assertEquals(best.excess, afterAll, what + ", excess after all moves\n" + plan);
        int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
        assertEquals(placements.excessAfter(plan, possible), plan.getExcessAfter(), what + ", excess after\n" + plan);
        assertEquals(best.moves, plan.getMovesCount(), what + ", moves\n" + plan);
        assertTrue(plan.getMinMoveCount() <= best.moves, what + ", bound\n" + plan);
        replay.check(plan, cluster, what);
        moving += plan.getMovesCount() > 0 ? 1 : 0;
    }
}
