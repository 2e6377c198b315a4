package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.index.EligibleDomains;
import io.evenkeel.engine.index.SpreadGroup;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Drainability;
import io.evenkeel.engine.model.StoredPod;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import io.evenkeel.engine.simulation.NodePod;
import io.evenkeel.engine.simulation.RemainingBudgets;
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
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Plans the fewest moves that bring constraints within maxSkew. It distributes the pods of one group after another,
 * each exactly, as long as that improves something; so a plan for constraints that count only pods of one group is the
 * best one. Then it finds an order of the moves. Used once, and not thread-safe. It changes the engine.
 */
public final class Rebalancer {
    private static final int MAX_ROUNDS = 4;

    /** Decides which pods are considered, and finds their plans. */
    public interface Pods {
        /**
         * The plan for a pod as if it were pending, of the engine and pinned. Other pods of its label class share it.
         * Called without the engine's lock.
         *
         * @param labelClass that of the pod
         * @param count how many pods on nodes share it
         * @return null if the pods of the class are not considered
         */
        @Nullable
        PodPlan plan(StoredPod pod, int labelClass, int count);

        /** Whether an eviction would discard the work of such a pod, so that it stays unless it is safe to evict. */
        boolean runsToCompletion(StoredPod pod);

        /** The preferences of such a pod for nodes. */
        List<ScoredPod.Preference> preferences(StoredPod pod);
    }

    private final SpreadEngine engine;
    private final Pods pods;
    private final boolean withSoft;
    private final boolean budgetsKnown;
    private final StopSignal stop;
    private final Map<String, IdentityHashMap<SpreadGroup, List<PlannedSpread>>> spreadsIn = new HashMap<>();
    private final List<PlannedSpread> spreads = new ArrayList<>();
    private final IdentityHashMap<EligibleDomains, NumberedDomains> numbered = new IdentityHashMap<>();

    /** For each constraint, the plan of some pods that have it. */
    private final IdentityHashMap<PlannedSpread, PodPlan> havers = new IdentityHashMap<>();

    /**
     * @param engine a fork that nothing else writes to
     * @param withSoft whether soft constraints are repaired as well
     * @param budgetsKnown whether the engine has all disruption budgets; otherwise none of them is respected
     */
    public Rebalancer(SpreadEngine engine, Pods pods, boolean withSoft, boolean budgetsKnown, StopSignal stop) {
        this.engine = engine;
        this.pods = pods;
        this.withSoft = withSoft;
        this.budgetsKnown = budgetsKnown;
        this.stop = stop;
    }

    /** The pods of a label class that count on a node; none if they are all pending. */
    private static final class ClassPods {
        final int labelClass;
        final int example;
        final IntArrayList ids = new IntArrayList();
        final IntArrayList slots = new IntArrayList();

        @Nullable
        PodPlan plan;

        ScoredPod scored = ScoredPod.NOTHING;
        boolean runsToCompletion;

        ClassPods(int labelClass, int example) {
            this.labelClass = labelClass;
            this.example = example;
        }
    }

    /** What is equal for the pods of a group. The parts of plans are compared by identity. */
    private record GroupKey(
            List<PlannedSpread> spreads,
            List<PlannedConstraint> hard,
            List<@Nullable Object> conditions,
            ScoredPod scored) {}

    /** Plans. */
    public RebalancePlan plan() {
        long revision = engine.revision();
        List<ClassPods> classes = engine.view(this::classes);
        for (ClassPods each : classes) {
            stop.check();
            StoredPod stored = engine.view(cluster -> cluster.pod(each.example));
            each.plan = pods.plan(stored, each.labelClass, each.ids.size());
            if (each.plan != null) {
                each.runsToCompletion = pods.runsToCompletion(stored);
                // It counts as asking for what it counts as taking now.
                each.scored = engine.view(cluster -> new ScoredPod(
                        pods.preferences(stored), cluster.requests(each.example).nonZero()));
            }
        }
        List<ReplicaGroup> groups = engine.view(cluster -> groups(classes, cluster));
        int before = PlannedSpread.excess(spreads);
        GroupSolver solver = engine.view(cluster -> new GroupSolver(cluster, withSoft, stop));
        Bound bound = engine.view(cluster -> improve(groups, solver));
        IdentityHashMap<PlannedSpread, RebalancePlan.Cause> causes = engine.view(cluster -> causes(groups, solver));
        int planned = PlannedSpread.excess(spreads);
        MoveOrder order = new MoveOrder(engine, groups, spreads, stop);
        order.run();
        List<RebalancePlan.Move> ordered = engine.view(order::moves);
        int useful = order.undoUseless();
        List<RebalancePlan.Move> moves = new ArrayList<>(ordered.subList(0, useful));
        List<RebalancePlan.Move> impossible = new ArrayList<>(ordered.subList(useful, ordered.size()));
        if (moves.isEmpty() && !impossible.isEmpty()) {
            moves.addAll(new SingleMoves(engine, solver, stop).make(groups));
            Set<String> moved = moves.stream().map(RebalancePlan.Move::uid).collect(Collectors.toSet());
            impossible.removeIf(move -> moved.contains(move.uid()));
            impossible.replaceAll(RebalancePlan.Move::alone);
            // Then the plan is another one.
            bound = moves.isEmpty() ? bound : new Bound(0, 0);
        }
        int excess = PlannedSpread.excess(spreads);
        if (excess <= planned) {
            impossible.clear();
        }
        moves.addAll(impossible);
        return new RebalancePlan(
                revision,
                before,
                excess,
                moves,
                impossible.size(),
                // With a higher excess, it could be distributed otherwise, with fewer moves.
                planned == bound.excess() ? bound.moves() : 0,
                unrepaired(causes, impossible.isEmpty()));
    }

    // ---- the problem

    private List<ClassPods> classes(ClusterView cluster) {
        Map<Integer, ClassPods> classes = new LinkedHashMap<>();
        BitSet slots = BitSet.valueOf(cluster.knownSlots());
        slots.stream()
                .forEach(slot -> cluster.forEachOn(slot, pod -> {
                    if (cluster.counts(pod)) {
                        ClassPods its = classOf(pod, cluster, classes);
                        its.ids.addInt(pod);
                        its.slots.addInt(slot);
                    }
                }));
        // Their constraints are to be satisfied, too.
        cluster.forEachWithoutNode(pod -> classOf(pod, cluster, classes));
        return List.copyOf(classes.values());
    }

    private static ClassPods classOf(int pod, ClusterView cluster, Map<Integer, ClassPods> classes) {
        return classes.computeIfAbsent(cluster.labelClass(pod), labelClass -> new ClassPods(labelClass, pod));
    }

    private List<ReplicaGroup> groups(List<ClassPods> classes, ClusterView cluster) {
        for (ClassPods each : classes) {
            PodPlan plan = each.plan;
            if (plan != null) {
                for (PlannedConstraint constraint : plan.hard) {
                    addSpread(constraint, plan);
                }
                for (PlannedConstraint constraint : withSoft ? plan.soft : new PlannedConstraint[0]) {
                    addSpread(constraint, plan);
                }
            }
        }
        RemainingBudgets budgets = new RemainingBudgets(budgetsKnown ? cluster.budgets() : List.of());
        Map<GroupKey, ReplicaGroup> groups = new LinkedHashMap<>();
        for (ClassPods each : classes) {
            stop.check();
            PodPlan plan = each.plan;
            if (plan != null && !each.ids.isEmpty()) {
                add(each, plan, budgets, groups, cluster);
            }
        }
        return List.copyOf(groups.values());
    }

    private void addSpread(PlannedConstraint constraint, PodPlan plan) {
        SpreadGroup counts = constraint.group();
        if (counts == null) {
            return;
        }
        List<PlannedSpread> known = spreadsIn
                .computeIfAbsent(plan.pod().namespace(), namespace -> new IdentityHashMap<>())
                .computeIfAbsent(counts, none -> new ArrayList<>());
        if (known.stream().noneMatch(each -> each.isOf(constraint))) {
            PlannedSpread spread = new PlannedSpread(
                    constraint, spreads.size(), numbered.computeIfAbsent(constraint.domains(), NumberedDomains::new));
            known.add(spread);
            spreads.add(spread);
            havers.put(spread, plan);
        }
    }

    private void add(
            ClassPods of,
            PodPlan plan,
            RemainingBudgets budgets,
            Map<GroupKey, ReplicaGroup> groups,
            ClusterView cluster) {
        List<PlannedSpread> counting = new ArrayList<>();
        spreadsIn.getOrDefault(plan.pod().namespace(), new IdentityHashMap<>()).forEach((counts, those) -> {
            if (cluster.isClassMatched(of.labelClass, counts)) {
                counting.addAll(those);
            }
        });
        counting.sort(Comparator.comparingInt((PlannedSpread spread) -> spread.domains())
                .thenComparingInt(spread -> spread.number));
        GroupKey key = new GroupKey(
                counting,
                List.of(plan.hard),
                Arrays.asList(plan.schedulable, plan.tolerated, plan.affine, plan.fit, plan.namedNodes),
                of.scored);
        ReplicaGroup group = groups.computeIfAbsent(key, none -> new ReplicaGroup(plan, of.scored, counting));
        NodePod first = NodePod.of(of.ids.getInt(0), cluster);
        boolean isBlocked = budgets.countFor(first, cluster) > 1
                || !budgets.usedUp(first, cluster).isEmpty();
        for (int i = 0; i < of.ids.size(); i++) {
            int pod = of.ids.getInt(i);
            Drainability drainability = cluster.drainability(pod);
            boolean mayMove = drainability == Drainability.SAFE_TO_EVICT
                    || drainability == Drainability.MOVES && !of.runsToCompletion;
            group.add(pod, of.slots.getInt(i), mayMove && !isBlocked);
        }
    }

    // ---- the plan

    /** Improves the plan as far as possible; returns its bound. */
    private Bound improve(List<ReplicaGroup> groups, GroupSolver solver) {
        boolean improved = true;
        for (int round = 0; round < MAX_ROUNDS && improved; round++) {
            improved = false;
            for (ReplicaGroup group : groups) {
                stop.check();
                improved |= GroupSolver.isTouched(group) && solver.improve(group);
            }
        }
        if (groups.stream().anyMatch(group -> GroupSolver.isTouched(group) && !solver.isBest(group))) {
            new JointSearch(solver, stop).improve(groups, spreads);
        }
        return solver.bound(groups);
    }

    // ---- what is not repaired

    /** Why the plan leaves constraints unsatisfied, even if all moves are possible. */
    private IdentityHashMap<PlannedSpread, RebalancePlan.Cause> causes(List<ReplicaGroup> groups, GroupSolver solver) {
        IdentityHashMap<PlannedSpread, RebalancePlan.Cause> causes = new IdentityHashMap<>();
        for (PlannedSpread spread : spreads) {
            if (spread.excess() > 0) {
                stop.check();
                causes.put(spread, cause(spread, groups, solver));
            }
        }
        return causes;
    }

    private List<RebalancePlan.Unrepaired> unrepaired(
            IdentityHashMap<PlannedSpread, RebalancePlan.Cause> causes, boolean areAllPossible) {
        RebalancePlan.Cause other =
                areAllPossible ? RebalancePlan.Cause.CONFLICTS : RebalancePlan.Cause.IMPOSSIBLE_MOVES;
        return spreads.stream()
                .filter(spread -> spread.excess() > 0)
                .map(spread -> new RebalancePlan.Unrepaired(
                        Objects.requireNonNull(havers.get(spread)),
                        spread.constraint.index(),
                        spread.constraint.source(),
                        spread.excess(),
                        causes.getOrDefault(spread, other)))
                .toList();
    }

    private static RebalancePlan.Cause cause(PlannedSpread spread, List<ReplicaGroup> groups, GroupSolver solver) {
        List<ReplicaGroup> counted =
                groups.stream().filter(group -> group.spreads.contains(spread)).toList();
        if (counted.isEmpty()) {
            return RebalancePlan.Cause.COUNTS_NO_OWN_PODS;
        }
        if (!canRepair(spread, counted, solver, EnumSet.allOf(GroupSolver.Relaxed.class))) {
            return spread.constraint.isBelowMinDomains()
                    ? RebalancePlan.Cause.TOO_FEW_DOMAINS
                    : RebalancePlan.Cause.OTHER_PODS;
        }
        if (!canRepair(spread, counted, solver, EnumSet.of(GroupSolver.Relaxed.IMMOVABLE, GroupSolver.Relaxed.ROOM))) {
            return RebalancePlan.Cause.DOMAIN_CLOSED;
        }
        if (!canRepair(spread, counted, solver, EnumSet.of(GroupSolver.Relaxed.IMMOVABLE))) {
            return RebalancePlan.Cause.NO_ROOM;
        }
        return canRepair(spread, counted, solver, EnumSet.noneOf(GroupSolver.Relaxed.class))
                ? RebalancePlan.Cause.CONFLICTS
                : RebalancePlan.Cause.IMMOVABLE_PODS;
    }

    /** Whether moves of the pods of one group would satisfy a constraint if it were the only one. */
    private static boolean canRepair(
            PlannedSpread spread, List<ReplicaGroup> groups, GroupSolver solver, Set<GroupSolver.Relaxed> relaxed) {
        return groups.stream().anyMatch(group -> solver.leastExcess(group, spread, relaxed) == 0);
    }
}
