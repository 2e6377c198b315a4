package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.ClusterWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.agrona.collections.IntArrayList;

/**
 * Finds moves that are possible, violate no constraint that was satisfied, and lower the excess, each alone. They are
 * what is left if the possible moves of a plan do not lower the excess without the impossible ones. Used once.
 */
final class SingleMoves {
    /** How many pairs of an old and a new node are looked at, at most; if there are more, no moves are sought. */
    private static final long MAX_PAIRS = 1 << 22;

    private final SpreadEngine engine;
    private final GroupSolver solver;
    private final StopSignal stop;
    private final List<Made> made = new ArrayList<>();
    private final Answer answer = new Answer();

    private record Made(int pod, int from, int to, boolean isTop) {}

    SingleMoves(SpreadEngine engine, GroupSolver solver, StopSignal stop) {
        this.engine = engine;
        this.solver = solver;
        this.stop = stop;
    }

    /** Makes the moves, until there is none; returns them. */
    List<RebalancePlan.Move> make(List<ReplicaGroup> groups) {
        List<ReplicaGroup> exceeding = groups.stream()
                .filter(group -> PlannedSpread.excess(group.spreads) > 0)
                .toList();
        long pairs = exceeding.stream()
                .mapToLong(group -> (long) group.movable.size() * solver.slots.length)
                .sum();
        boolean isAny = pairs <= MAX_PAIRS;
        while (isAny) {
            int before = made.size();
            exceeding.forEach(this::move);
            isAny = made.size() > before;
        }
        return engine.view(cluster -> made.stream()
                .map(move -> RebalancePlan.Move.of(cluster, move.pod, move.from, move.to, false, false, move.isTop))
                .toList());
    }

    private void move(ReplicaGroup group) {
        BitSet enterable = engine.view(cluster -> solver.enterable(group, false));
        int[] targets = Arrays.stream(solver.slots).filter(enterable::get).toArray();
        BitSet left = new BitSet();
        group.movable.keySet().forEach(left::set);
        while (!left.isEmpty()) {
            stop.check();
            engine.judgeAndWrite((writer, evaluation) -> {
                while (!left.isEmpty() && !writer.isTimeUp()) {
                    int from = fullest(group, left);
                    if (!moveOne(group, from, targets, writer, evaluation)) {
                        left.clear(from);
                    }
                }
            });
        }
    }

    /** If other pods went first, domains would share the minimum before the maximum has fallen. */
    private static int fullest(ReplicaGroup group, BitSet slots) {
        return slots.stream()
                .boxed()
                .max(Comparator.comparing(slot -> fullness(group, slot)))
                .orElseThrow();
    }

    /** How many pods the two coarsest domains of a slot have; the coarsest decides. */
    private static long fullness(ReplicaGroup group, int slot) {
        long coarsest = group.spreads.get(0).countOn(slot);
        return coarsest << 32 | (group.spreads.size() > 1 ? group.spreads.get(1).countOn(slot) : 0);
    }

    /** Makes a move from a slot to the emptiest one that helps; returns whether there was one. */
    private boolean moveOne(
            ReplicaGroup group, int from, int[] targets, ClusterWriter writer, PlanEvaluation evaluation) {
        IntArrayList there = Objects.requireNonNull(group.movable.get(from));
        if (there.isEmpty()) {
            return false;
        }
        int[] helpful = Arrays.stream(targets)
                .filter(to -> lowersExcess(group, from, to))
                .boxed()
                .sorted(Comparator.comparing(to -> fullness(group, to)))
                .mapToInt(Integer::intValue)
                .toArray();
        int pod = there.getInt(there.size() - 1);
        writer.move(pod, NodeSlots.NONE);
        for (int to : helpful) {
            if (evaluation.reasonAt(group.plan, to) == null) {
                boolean isScored = made.size() < MoveOrder.MAX_SCORED;
                if (isScored) {
                    evaluation.runStock(group.plan, group.scored, NodeSubset.ALL, answer);
                }
                made.add(new Made(pod, from, to, isScored && NodeBits.get(answer.top(), to)));
                writer.move(pod, to);
                there.removeAt(there.size() - 1);
                group.shiftSpreads(from, -1);
                group.shiftSpreads(to, 1);
                return true;
            }
        }
        writer.move(pod, from);
        return false;
    }

    /** Whether a move lowers the excess in all, and violates no constraint that is satisfied. */
    private static boolean lowersExcess(ReplicaGroup group, int from, int to) {
        int more = 0;
        for (PlannedSpread spread : group.spreads) {
            int now = spread.excessNow();
            int after = spread.excessAfter(from, to);
            if (now == 0 && after > 0) {
                return false;
            }
            more += after - now;
        }
        return more < 0;
    }
}
