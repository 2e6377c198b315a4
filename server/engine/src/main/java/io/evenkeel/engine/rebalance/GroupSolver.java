package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.answer.EntryPass;
import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Distributes the pods of one group over the nodes, while all other pods are on their planned nodes. Used under the
 * engine's lock.
 *
 * <pre>
 *   taken   resource → slot → how much more pods take there in the plan than now
 * </pre>
 */
final class GroupSolver {
    /** What a question ignores. */
    enum Relaxed {
        /** That some pods may not be moved. */
        IMMOVABLE,
        /** How much room nodes have. */
        ROOM,
        /** Which nodes the pods may enter. */
        ENTRY
    }

    /** The most groups times nodes for which groups are improved together. */
    private static final long MAX_SEARCHED = 1 << 17;

    private static final PlannedConstraint[] NO_CONSTRAINTS = {};

    private final ClusterView cluster;
    private final boolean withSoft;
    private final StopSignal stop;
    private final int[] slots;
    private final Map<String, long[]> taken = new HashMap<>();
    /** Slot → the last group with host ports that got a pod there in the plan. */
    private final Int2ObjectHashMap<ReplicaGroup> portTakers = new Int2ObjectHashMap<>();

    private final IdentityHashMap<ReplicaGroup, Bound> bounds = new IdentityHashMap<>();

    /** @param withSoft whether soft constraints are repaired as well */
    GroupSolver(ClusterView cluster, boolean withSoft, StopSignal stop) {
        this.cluster = cluster;
        this.withSoft = withSoft;
        this.stop = stop;
        slots = BitSet.valueOf(cluster.knownSlots()).stream().toArray();
    }

    /** The best distribution of a group's pods. */
    private static final class Solution {
        /** The nodes that have or can have some. */
        final int[] slots;

        final DomainTree tree;
        final WindowSearch.Found found;

        Solution(int[] slots, DomainTree tree, WindowSearch.Found found) {
            this.slots = slots;
            this.tree = tree;
            this.found = found;
        }

        int[] targets() {
            return tree.targets(found.lowest, found.highest);
        }
    }

    /** Improves the plan for a group; returns whether it did. */
    boolean improve(ReplicaGroup group) {
        Solution solution = solve(group, group.spreads, EnumSet.noneOf(Relaxed.class));
        if (solution == null) {
            return false;
        }
        int excess = excess(group.spreads);
        int moves = group.moves();
        int[] before = Arrays.stream(solution.slots).map(group::plannedOn).toArray();
        plan(group, solution.slots, solution.targets());
        int now = excess(group.spreads);
        if (now < excess || now == excess && group.moves() < moves) {
            return true;
        }
        plan(group, solution.slots, before);
        return false;
    }

    /** The bound of a group that is alone, so that it does not depend on the plan of others. */
    Bound bound(ReplicaGroup group) {
        return bounds.computeIfAbsent(group, this::findBound);
    }

    /** Whether the plan of a group reaches its bound. */
    boolean isBest(ReplicaGroup group) {
        return group.isAlone() && bound(group).equals(new Bound(excess(group.spreads), group.moves()));
    }

    /** Whether the constraints of a group are exceeded, now or before its moves. */
    static boolean isTouched(ReplicaGroup group) {
        return group.moves() > 0 || excess(group.spreads) > 0;
    }

    private Bound findBound(ReplicaGroup group) {
        Solution solution = solve(group, group.spreads, EnumSet.of(Relaxed.ROOM));
        return solution == null || !solution.found.exact
                ? new Bound(0, 0)
                : new Bound(solution.found.excess, solution.found.moves);
    }

    /**
     * Improves the plan for several groups together. If there are too many, only for those whose plan may not be the
     * best one, and for none if there are still too many.
     */
    void improve(List<ReplicaGroup> all, List<PlannedSpread> spreads) {
        List<ReplicaGroup> groups = isSearchable(all)
                ? all
                : all.stream()
                        .filter(group -> isTouched(group) && !isBest(group))
                        .toList();
        if (!isSearchable(groups)) {
            return;
        }
        Map<Object, long[]> free = new LinkedHashMap<>();
        groups.forEach(group -> addFree(group, free));
        List<PlannedSpread> counting =
                spreads.stream().filter(spread -> spread.eligible().length > 0).toList();
        List<AnnealingSearch.Pods> pods = groups.stream()
                .map(group -> numbers(group, counting, free.keySet()))
                .toList();
        int[][] best = new AnnealingSearch(
                        pods,
                        free.values().toArray(long[][]::new),
                        counting.stream().map(this::numbers).toList(),
                        stop)
                .search(bound(groups));
        for (int i = 0; i < best.length; i++) {
            plan(groups.get(i), slots, best[i]);
        }
    }

    /** The bound of a plan for several groups. Those that share constraints add nothing to it. */
    Bound bound(List<ReplicaGroup> groups) {
        int excess = 0;
        int moves = 0;
        for (ReplicaGroup group : groups) {
            if (isTouched(group) && group.isAlone()) {
                excess += bound(group).excess();
                moves += bound(group).moves();
            }
        }
        return new Bound(excess, moves);
    }

    private boolean isSearchable(List<ReplicaGroup> groups) {
        return (long) groups.size() * slots.length <= MAX_SEARCHED;
    }

    /** Adds what is free of each resource that a group asks for, and of its host ports. */
    private void addFree(ReplicaGroup group, Map<Object, long[]> free) {
        NodeFit fit = group.plan.fit;
        for (int kind = 0; kind < fit.kinds(); kind++) {
            int its = kind;
            long[] planned = taken.get(fit.resource(kind));
            free.computeIfAbsent(
                    fit.resource(kind),
                    resource -> Arrays.stream(slots)
                            .mapToLong(slot -> Math.max(0, fit.free(its, slot) - (planned == null ? 0 : planned[slot])))
                            .toArray());
        }
        if (fit.hasPorts()) {
            free.put(
                    group,
                    Arrays.stream(slots)
                            .mapToLong(slot -> room(group, slot, group.plannedOn(slot)) - group.plannedOn(slot))
                            .toArray());
        }
    }

    /**
     * Whether the plan has pods of another group on a node that was free of them and that may ask for the same ports.
     */
    private boolean isPortPlanned(ReplicaGroup group, int slot) {
        ReplicaGroup other = portTakers.get(slot);
        return other != null && other != group && other.plannedOn(slot) > other.now.get(slot);
    }

    private AnnealingSearch.Pods numbers(ReplicaGroup group, List<PlannedSpread> spreads, Set<Object> resources) {
        NodeFit fit = group.plan.fit;
        Map<Object, Long> asked = new HashMap<>(Map.of(group, 1L));
        for (int kind = 0; kind < fit.kinds(); kind++) {
            asked.put(fit.resource(kind), fit.asked(kind));
        }
        // The search does not see a hard constraint that counts only other pods, so these pods stay.
        boolean isFilteredByOthers = Arrays.stream(group.plan.hard)
                .anyMatch(constraint -> constraint.group() != null && constraint.self() == 0);
        BitSet enterable = enterable(group, false);
        boolean[] enters = new boolean[slots.length];
        for (int i = 0; i < slots.length; i++) {
            enters[i] = enterable.get(slots[i]) && !isOverfull(group.plan.fit, slots[i]);
        }
        return new AnnealingSearch.Pods(
                Arrays.stream(slots).map(group.now::get).toArray(),
                Arrays.stream(slots).map(group::plannedOn).toArray(),
                Arrays.stream(slots)
                        .map(slot -> group.now.get(slot) - (isFilteredByOthers ? 0 : group.movableOn(slot)))
                        .toArray(),
                enters,
                resources.stream()
                        .mapToLong(resource -> asked.getOrDefault(resource, 0L))
                        .toArray(),
                group.spreads.stream()
                        .mapToInt(spreads::indexOf)
                        .filter(number -> number >= 0)
                        .toArray());
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
        Map<Integer, Integer> numbers = new HashMap<>();
        for (int domain : spread.eligible()) {
            numbers.put(domain, numbers.size());
        }
        return new AnnealingSearch.Counts(
                Arrays.stream(slots)
                        .map(slot -> numbers.getOrDefault(spread.domainOf(slot), -1))
                        .toArray(),
                Arrays.stream(spread.eligible()).map(spread::count).toArray(),
                spread.constraint.source().maxSkew(),
                spread.constraint.isBelowMinDomains());
    }

    /** By how much a constraint must exceed maxSkew, at least, if nothing else moves. */
    int leastExcess(ReplicaGroup group, PlannedSpread spread, Set<Relaxed> relaxed) {
        Solution solution = solve(group, List.of(spread), relaxed);
        return solution == null ? spread.excess() : solution.found.excess;
    }

    static int excess(List<PlannedSpread> spreads) {
        return spreads.stream().mapToInt(PlannedSpread::excess).sum();
    }

    private void plan(ReplicaGroup group, int[] at, int[] counts) {
        NodeFit fit = group.plan.fit;
        for (int i = 0; i < at.length; i++) {
            int more = counts[i] - group.plannedOn(at[i]);
            if (more != 0) {
                group.plan(at[i], counts[i]);
                if (fit.hasPorts() && more > 0) {
                    portTakers.put(at[i], group);
                }
                for (PlannedSpread spread : group.spreads) {
                    spread.shift(at[i], more);
                }
                for (int kind = 0; kind < fit.kinds(); kind++) {
                    taken.computeIfAbsent(fit.resource(kind), none -> new long[slots[slots.length - 1] + 1])[at[i]] +=
                            more * fit.asked(kind);
                }
            }
        }
    }

    private @Nullable Solution solve(ReplicaGroup group, List<PlannedSpread> spreads, Set<Relaxed> relaxed) {
        stop.check();
        group.plan.fit.catchUp();
        BitSet enterable = enterable(group, relaxed.contains(Relaxed.ENTRY));
        int[] at = Arrays.stream(slots)
                .filter(slot -> enterable.get(slot) || group.now.get(slot) != ReplicaGroup.NONE)
                .toArray();
        int[] now = Arrays.stream(at).map(group.now::get).toArray();
        int[] planned = Arrays.stream(at).map(group::plannedOn).toArray();
        int[] immovable = relaxed.contains(Relaxed.IMMOVABLE)
                ? new int[at.length]
                : Arrays.stream(at)
                        .map(slot -> group.now.get(slot) - group.movableOn(slot))
                        .toArray();
        int[] most = new int[at.length];
        for (int i = 0; i < at.length; i++) {
            most[i] = !enterable.get(at[i])
                    ? now[i]
                    : relaxed.contains(Relaxed.ROOM)
                            ? group.pods
                            : Math.max(immovable[i], room(group, at[i], planned[i]));
        }
        List<PlannedSpread> nested = new ArrayList<>();
        List<int[]> domainsOf = new ArrayList<>();
        List<int[]> others = new ArrayList<>();
        spreads.stream()
                .sorted(Comparator.comparingInt(spread -> spread.eligible().length))
                .forEach(spread -> add(spread, at, planned, nested, domainsOf, others));
        DomainTree tree =
                DomainTree.of(immovable, now, most, domainsOf.toArray(int[][]::new), others.toArray(int[][]::new));
        List<WindowSearch.Limit> limits = nested.stream()
                .map(spread -> new WindowSearch.Limit(
                        spread.constraint.source().maxSkew(), spread.constraint.isBelowMinDomains()))
                .toList();
        WindowSearch.Found found = WindowSearch.search(tree, limits, excess(nested), stop);
        return found == null ? null : new Solution(at, tree, found);
    }

    /** Adds a constraint as the next finer level, unless its domains are not nested in those of the levels so far. */
    private void add(
            PlannedSpread spread,
            int[] at,
            int[] planned,
            List<PlannedSpread> nested,
            List<int[]> domainsOf,
            List<int[]> others) {
        int[] numbers = new int[spread.constraint.domains().topology.domainLimit()];
        int[] counts = new int[spread.eligible().length];
        for (int number = 0; number < counts.length; number++) {
            numbers[spread.eligible()[number]] = number;
            counts[number] = spread.count(spread.eligible()[number]);
        }
        int[] domainOf = new int[at.length];
        int[] above = new int[counts.length];
        Arrays.fill(above, -1);
        boolean isNested = counts.length > 0;
        for (int i = 0; i < at.length; i++) {
            int domain = spread.domainOf(at[i]);
            domainOf[i] = domain == Topology.NONE ? -1 : numbers[domain];
            if (domain != Topology.NONE) {
                counts[domainOf[i]] -= planned[i];
                int first = above[domainOf[i]];
                above[domainOf[i]] = first == -1 ? i : first;
                for (int level = 0; level < nested.size() && first != -1; level++) {
                    isNested &= domainsOf.get(level)[first] == domainsOf.get(level)[i];
                }
            }
        }
        if (isNested) {
            nested.add(spread);
            domainsOf.add(domainOf);
            others.add(counts);
        }
    }

    private BitSet enterable(ReplicaGroup group, boolean anywhere) {
        BitSet enterable = new BitSet();
        for (int slot : slots) {
            boolean enters = anywhere || EntryPass.reasonAt(slot, group.plan, cluster, EntryRules.FITTING) == null;
            for (PlannedConstraint constraint : group.plan.hard) {
                enters &= NodeBits.get(constraint.label().carriers(), slot);
            }
            // A pod on a node without a topology key only seems to be repaired, because it is not counted there.
            for (PlannedConstraint constraint : withSoft ? group.plan.soft : NO_CONSTRAINTS) {
                enters &= constraint.domains().topology.domainOf(slot) != Topology.NONE;
            }
            enterable.set(slot, enters);
        }
        return enterable;
    }

    /** How many of a group's pods a node has room for, with those that are planned there. */
    private int room(ReplicaGroup group, int slot, int planned) {
        NodeFit fit = group.plan.fit;
        long more = group.pods;
        if (fit.hasPorts()) {
            more = planned == 0 && NodeBits.get(fit.portsFree(), slot) && !isPortPlanned(group, slot) ? 1 : 0;
        }
        for (int kind = 0; kind < fit.kinds() && more > 0; kind++) {
            if (fit.asked(kind) > 0) {
                long[] its = taken.get(fit.resource(kind));
                long free = fit.free(kind, slot) - (its == null ? 0 : its[slot]);
                more = Math.min(more, Math.max(0, free / fit.asked(kind)));
            }
        }
        return planned + (int) more;
    }
}
