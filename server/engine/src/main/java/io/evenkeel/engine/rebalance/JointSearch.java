package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.plan.PlannedConstraint;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Improves the plan for several groups together: it describes them in numbers to the {@link AnnealingSearch}. */
final class JointSearch {
    /** The most groups times nodes. */
    private static final long MAX_SEARCHED = 1 << 17;

    private final GroupSolver solver;
    private final int[] slots;
    private final StopSignal stop;

    JointSearch(GroupSolver solver, StopSignal stop) {
        this.solver = solver;
        slots = solver.slots;
        this.stop = stop;
    }

    /**
     * Improves the plan. If there are too many groups, only for those whose plan may not be the best one, and for none
     * if there are still too many.
     */
    void improve(List<ReplicaGroup> all, List<PlannedSpread> spreads) {
        List<ReplicaGroup> groups = isSearchable(all)
                ? all
                : all.stream()
                        .filter(group -> GroupSolver.isTouched(group) && !solver.isBest(group))
                        .toList();
        if (!isSearchable(groups)) {
            return;
        }
        Map<Object, long[]> free = new LinkedHashMap<>();
        groups.forEach(group -> addFree(group, free));
        List<PlannedSpread> counting =
                spreads.stream().filter(spread -> spread.domains() > 0).toList();
        List<AnnealingSearch.Pods> pods = groups.stream()
                .map(group -> numbers(group, counting, free.keySet()))
                .toList();
        int[][] best = new AnnealingSearch(
                        pods,
                        free.values().toArray(long[][]::new),
                        counting.stream().map(this::numbers).toList(),
                        stop)
                .search(solver.bound(groups));
        for (int i = 0; i < best.length; i++) {
            solver.plan(groups.get(i), slots, pods.get(i).planned, best[i]);
        }
    }

    private boolean isSearchable(List<ReplicaGroup> groups) {
        return (long) groups.size() * slots.length <= MAX_SEARCHED;
    }

    /** Adds what is free of each resource that a group asks for, and of its host ports. */
    private void addFree(ReplicaGroup group, Map<Object, long[]> free) {
        NodeFit fit = group.plan.fit;
        fit.catchUp();
        for (int kind = 0; kind < fit.kinds(); kind++) {
            int its = kind;
            free.computeIfAbsent(
                    fit.resource(kind),
                    resource -> Arrays.stream(solver.room.free(fit, its, slots))
                            .map(amount -> Math.max(0, amount))
                            .toArray());
        }
        if (fit.hasPorts()) {
            free.put(
                    group,
                    Arrays.stream(solver.room.more(group, slots)).asLongStream().toArray());
        }
    }

    private AnnealingSearch.Pods numbers(ReplicaGroup group, List<PlannedSpread> spreads, Set<Object> resources) {
        NodeFit fit = group.plan.fit;
        Map<Object, Long> asked = new HashMap<>(Map.of(group, 1L));
        for (int kind = 0; kind < fit.kinds(); kind++) {
            asked.put(fit.resource(kind), fit.asked(kind));
        }
        int[] filters = Arrays.stream(group.plan.hard)
                .filter(constraint -> constraint.group() != null && constraint.self() == 0)
                .mapToInt(constraint -> numberOf(constraint, spreads))
                .filter(number -> number >= 0)
                .toArray();
        BitSet enterable = solver.enterable(group, false);
        boolean[] enters = new boolean[slots.length];
        for (int i = 0; i < slots.length; i++) {
            enters[i] = enterable.get(slots[i]) && !isOverfull(fit, slots[i]);
        }
        return new AnnealingSearch.Pods(
                Arrays.stream(slots).map(group.now::get).toArray(),
                Arrays.stream(slots).map(group::plannedOn).toArray(),
                Arrays.stream(slots)
                        .map(slot -> group.now.get(slot) - group.movableOn(slot))
                        .toArray(),
                enters,
                resources.stream()
                        .mapToLong(resource -> asked.getOrDefault(resource, 0L))
                        .toArray(),
                group.spreads.stream()
                        .mapToInt(spreads::indexOf)
                        .filter(number -> number >= 0)
                        .toArray(),
                filters);
    }

    /** The place of a constraint; -1 if it has no domain, and so closes none. */
    private static int numberOf(PlannedConstraint constraint, List<PlannedSpread> spreads) {
        for (int i = 0; i < spreads.size(); i++) {
            if (spreads.get(i).isOf(constraint)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isOverfull(NodeFit fit, int slot) {
        for (int kind = 0; kind < fit.kinds(); kind++) {
            if (fit.asked(kind) > 0 && fit.free(kind, slot) < 0) {
                return true;
            }
        }
        return false;
    }

    private AnnealingSearch.Counts numbers(PlannedSpread spread) {
        return new AnnealingSearch.Counts(
                Arrays.stream(slots).map(spread::domainOf).toArray(),
                spread.counts(),
                spread.constraint.source().maxSkew(),
                spread.constraint.isBelowMinDomains());
    }
}
