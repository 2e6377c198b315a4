package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.answer.EntryPass;
import io.evenkeel.engine.index.Topology;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.EntryRules;
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.store.ClusterView;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Distributes the pods of one group over the nodes, while all other pods are on their planned nodes. Used under the
 * engine's lock.
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

    private static final PlannedConstraint[] NO_CONSTRAINTS = {};

    final int[] slots;
    final PlannedRoom room;
    private final ClusterView cluster;
    private final boolean withSoft;
    private final StopSignal stop;
    private final IdentityHashMap<ReplicaGroup, Bound> bounds = new IdentityHashMap<>();

    /** @param withSoft whether soft constraints are repaired as well */
    GroupSolver(ClusterView cluster, boolean withSoft, StopSignal stop) {
        this.cluster = cluster;
        this.withSoft = withSoft;
        this.stop = stop;
        BitSet known = BitSet.valueOf(cluster.knownSlots());
        slots = known.stream().toArray();
        room = new PlannedRoom(known.length());
    }

    /** Improves the plan for a group, unless it is the best one; returns whether it did. */
    boolean improve(ReplicaGroup group) {
        if (bounds.containsKey(group) && isBest(group)) {
            return false;
        }
        GroupProblem problem = problem(group, group.spreads, EnumSet.noneOf(Relaxed.class));
        if (group.isAlone()) {
            bounds.computeIfAbsent(group, none -> bound(problem));
        }
        GroupProblem.Solution solution = isBest(group) ? null : problem.solve(room.more(group, problem.slots));
        if (solution == null) {
            return false;
        }
        int excess = PlannedSpread.excess(group.spreads);
        int moves = group.moves();
        int[] targets = solution.targets();
        plan(group, problem.slots, problem.planned, targets);
        int now = PlannedSpread.excess(group.spreads);
        if (now < excess || now == excess && group.moves() < moves) {
            return true;
        }
        plan(group, problem.slots, targets, problem.planned);
        return false;
    }

    /** Whether the plan of a group reaches its bound. */
    boolean isBest(ReplicaGroup group) {
        return group.isAlone() && bound(group).equals(new Bound(PlannedSpread.excess(group.spreads), group.moves()));
    }

    /** Whether the constraints of a group are exceeded, now or before its moves. */
    static boolean isTouched(ReplicaGroup group) {
        return group.moves() > 0 || PlannedSpread.excess(group.spreads) > 0;
    }

    /** The bound of a group that is alone, so that it does not depend on the plan of others. */
    private Bound bound(ReplicaGroup group) {
        return bounds.computeIfAbsent(
                group, none -> bound(problem(group, group.spreads, EnumSet.noneOf(Relaxed.class))));
    }

    private static Bound bound(GroupProblem problem) {
        GroupProblem.Solution solution = problem.solveWithoutRoom();
        return solution == null || !solution.found.exact
                ? new Bound(0, 0)
                : new Bound(solution.found.excess, solution.found.moves);
    }

    /** The bound of a plan for several groups. Those that share constraints add nothing to it. */
    Bound bound(List<ReplicaGroup> groups) {
        int excess = 0;
        int moves = 0;
        for (ReplicaGroup group : groups) {
            if (group.isAlone() && isTouched(group)) {
                excess += bound(group).excess();
                moves += bound(group).moves();
            }
        }
        return new Bound(excess, moves);
    }

    /** By how much a constraint must exceed maxSkew, at least, if nothing else moves. */
    int leastExcess(ReplicaGroup group, PlannedSpread spread, Set<Relaxed> relaxed) {
        GroupProblem problem = problem(group, List.of(spread), relaxed);
        GroupProblem.Solution solution = relaxed.contains(Relaxed.ROOM)
                ? problem.solveWithoutRoom()
                : problem.solve(room.more(group, problem.slots));
        return solution == null ? spread.excess() : solution.found.excess;
    }

    /** Changes how many pods of a group the plan has on slots. */
    void plan(ReplicaGroup group, int[] at, int[] before, int[] after) {
        for (int i = 0; i < at.length; i++) {
            int more = after[i] - before[i];
            if (more != 0) {
                group.plan(at[i], after[i]);
                room.shift(group, at[i], more);
                group.shiftSpreads(at[i], more);
            }
        }
    }

    private GroupProblem problem(ReplicaGroup group, List<PlannedSpread> spreads, Set<Relaxed> relaxed) {
        stop.check();
        group.plan.fit.catchUp();
        BitSet enterable = enterable(group, relaxed.contains(Relaxed.ENTRY));
        return new GroupProblem(group, spreads, slots, enterable, relaxed.contains(Relaxed.IMMOVABLE), stop);
    }

    /** The slots that the pods of a group may enter, if there is room. */
    BitSet enterable(ReplicaGroup group, boolean anywhere) {
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
}
