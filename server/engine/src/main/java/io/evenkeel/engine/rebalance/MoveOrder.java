package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.answer.Answer;
import io.evenkeel.engine.answer.PlanEvaluation;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.cluster.NodeSubset;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.memory.NodeBits;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.Reason;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;

/**
 * Carries out the planned moves in a copy of the cluster, one by one: each pod is taken from its node and put on
 * another one that it may enter then. Pods leave the fullest domains first, and enter the emptiest. If no such move is
 * left, one is made that violates a constraint, or for which there is no room. It begins a chain, which ends when each
 * of its rejected pods may enter its new node. If the chain does not end, its moves are undone, and those that none
 * makes possible come last. The counts of the groups' constraints, which were those of the plan, follow: at first they
 * are those of now. Used once.
 *
 * <pre>
 *   moves     possible ones and whole chains │ the chain that has not ended
 *   withNext  the moves of whole chains, but the last of each
 *   rejected  the moves of the chain that has not ended whose nodes rejected the pod when its turn came
 * </pre>
 */
final class MoveOrder {
    /** For how many moves kube-scheduler's choice is found, which takes most of the time. */
    private static final int MAX_SCORED = 1_000;

    /** The most nodes that are tried as the origin of one move. */
    private static final int MAX_ORIGINS = 16;

    /** How often the moves of a chain that does not end are undone. It may end without those that are impossible. */
    private static final int MAX_UNDONE = 8;

    private static final long[] NONE = {};

    private final SpreadEngine engine;
    private final StopSignal stop;
    private final List<Made> moves = new ArrayList<>();
    private final BitSet withNext = new BitSet();

    /** The one that was last found to be impossible is the first. */
    private final List<Made> rejected = new ArrayList<>();

    private int chainFrom;
    private final List<Made> impossible = new ArrayList<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Answer answer = new Answer();

    /** A move of a pod of a group from a slot to another one. */
    private record Made(Pending of, int pod, int from, int to, boolean isRejected, boolean isTop) {}

    /** What a move must pass at least. */
    private enum Admission {
        FULL,
        /** All but the constraints. */
        WITH_ROOM,
        ANY
    }

    /**
     * The moves of a group that are left.
     *
     * <pre>
     *   origins   the slots that pods leave
     *   leaving   slot → its pods to move
     *   targets   slots, once for each pod that they get
     * </pre>
     */
    private static final class Pending {
        final ReplicaGroup group;
        private final PlannedSpread[] spreads;
        final IntArrayList origins = new IntArrayList();
        final Int2ObjectHashMap<IntArrayList> leaving = new Int2ObjectHashMap<>();
        final IntArrayList targets = new IntArrayList();

        Pending(ReplicaGroup group) {
            this.group = group;
            spreads = group.spreads.toArray(PlannedSpread[]::new);
            for (int slot : group.changedSlots()) {
                int less = group.now.get(slot) - group.plannedOn(slot);
                if (less > 0) {
                    IntArrayList there = Objects.requireNonNull(group.movable.get(slot));
                    IntArrayList pods = new IntArrayList();
                    for (int i = there.size() - less; i < there.size(); i++) {
                        pods.addInt(there.getInt(i));
                    }
                    origins.addInt(slot);
                    leaving.put(slot, pods);
                }
                for (int i = less; i < 0; i++) {
                    targets.addInt(slot);
                }
                group.shiftSpreads(slot, less);
            }
        }

        void add(int pod, int from, int to) {
            IntArrayList there = Objects.requireNonNull(leaving.get(from));
            if (there.isEmpty()) {
                origins.addInt(from);
            }
            there.addInt(pod);
            targets.addInt(to);
        }

        /** Whether the domains of a slot have more pods than those of another one; the coarsest that differ decide. */
        boolean isFuller(int slot, int other) {
            for (PlannedSpread spread : spreads) {
                int count = spread.countOn(slot);
                int than = spread.countOn(other);
                if (count != than) {
                    return count > than;
                }
            }
            return slot < other;
        }
    }

    MoveOrder(SpreadEngine engine, List<ReplicaGroup> groups, StopSignal stop) {
        this.engine = engine;
        this.stop = stop;
        groups.stream()
                .map(Pending::new)
                .filter(each -> !each.targets.isEmpty())
                .forEach(pending::add);
    }

    /** The moves that were made, in order. */
    List<RebalancePlan.Move> moves(ClusterView cluster) {
        List<RebalancePlan.Move> made = new ArrayList<>(moves.size());
        for (int i = 0; i < moves.size(); i++) {
            Made move = moves.get(i);
            made.add(new RebalancePlan.Move(
                    cluster.uid(move.pod),
                    cluster.namespace(move.pod),
                    cluster.name(move.pod),
                    cluster.nameOfNode(move.from),
                    cluster.nameOfNode(move.to),
                    move.isRejected,
                    withNext.get(i),
                    move.isTop));
        }
        return made;
    }

    void run() {
        makeAll();
        for (int undone = 0; !rejected.isEmpty() && undone < MAX_UNDONE; undone++) {
            undoChain();
            makeAll();
        }
        impossible.forEach(this::addPending);
        makeAll();
    }

    private void makeAll() {
        boolean progress = true;
        while (progress) {
            progress = false;
            for (Pending each : pending) {
                progress |= moveAll(each);
            }
            pending.removeIf(each -> each.targets.isEmpty());
            if (!progress) {
                progress = pending.stream().anyMatch(each -> forceOne(each, Admission.WITH_ROOM))
                        || pending.stream().anyMatch(each -> forceOne(each, Admission.ANY));
            }
        }
    }

    private void addPending(Made move) {
        if (move.of.targets.isEmpty()) {
            pending.add(move.of);
        }
        move.of.add(move.pod, move.from, move.to);
    }

    // ---- chains

    /** Ends the chain if each of its pods may enter its new node now. */
    private void endChain(ClusterWriter writer, PlanEvaluation evaluation) {
        for (int i = 0; i < rejected.size(); i++) {
            if (!isPossible(rejected.get(i), writer, evaluation)) {
                Collections.swap(rejected, 0, i);
                return;
            }
        }
        withNext.set(chainFrom, moves.size() - 1);
        rejected.clear();
    }

    /** Whether a pod that has moved may enter its new node now. */
    private static boolean isPossible(Made move, ClusterWriter writer, PlanEvaluation evaluation) {
        writer.move(move.pod, NodeSlots.NONE);
        boolean isPossible = evaluation.reasonAt(move.of.group.plan, move.to) == null;
        writer.move(move.pod, move.to);
        return isPossible;
    }

    /** Undoes the moves of the chain that has not ended, and puts those aside that none of them makes possible. */
    private void undoChain() {
        stop.check();
        engine.judgeAndWrite((writer, evaluation) -> {
            rejected.removeIf(move -> isPossible(move, writer, evaluation));
            impossible.addAll(rejected);
            Set<Made> aside = new HashSet<>(rejected);
            for (int last = moves.size() - 1; last >= chainFrom; last--) {
                Made move = moves.remove(last);
                writer.move(move.pod, move.from);
                move.of.group.shiftSpreads(move.to, -1);
                move.of.group.shiftSpreads(move.from, 1);
                if (!aside.contains(move)) {
                    addPending(move);
                }
            }
        });
        rejected.clear();
    }

    // ---- moves

    /** Makes all moves of a group that are possible now; returns whether there was one. */
    private boolean moveAll(Pending of) {
        int before = moves.size();
        boolean[] ends = {false};
        while (!ends[0]) {
            stop.check();
            engine.judgeAndWrite((writer, evaluation) -> {
                while (!ends[0] && !writer.isTimeUp()) {
                    ends[0] = of.targets.isEmpty() || !moveOne(of, writer, evaluation, Admission.FULL);
                }
            });
        }
        return moves.size() > before;
    }

    private boolean forceOne(Pending of, Admission least) {
        stop.check();
        boolean[] moved = {false};
        engine.judgeAndWrite(
                (writer, evaluation) -> moved[0] = !of.targets.isEmpty() && moveOne(of, writer, evaluation, least));
        return moved[0];
    }

    private boolean moveOne(Pending of, ClusterWriter writer, PlanEvaluation evaluation, Admission least) {
        BitSet tried = new BitSet();
        while (tried.cardinality() < Math.min(MAX_ORIGINS, of.origins.size())) {
            int origin = nextOrigin(of, tried);
            int from = of.origins.getInt(origin);
            tried.set(from);
            IntArrayList leaving = Objects.requireNonNull(of.leaving.get(from));
            int pod = leaving.getInt(leaving.size() - 1);
            writer.move(pod, NodeSlots.NONE);
            of.group.shiftSpreads(from, -1);
            int target = target(of, NONE, evaluation, least);
            if (target >= 0) {
                long[] top = NONE;
                if (moves.size() < MAX_SCORED) {
                    evaluation.runStock(of.group.plan, of.group.scored, NodeSubset.ALL, answer);
                    top = answer.top();
                    target = target(of, top, evaluation, least);
                }
                int to = of.targets.getInt(target);
                boolean isRejected = evaluation.reasonAt(of.group.plan, to) != null;
                boolean isTop = NodeBits.get(top, to);
                writer.move(pod, to);
                of.group.shiftSpreads(to, 1);
                Made made = new Made(of, pod, from, to, isRejected, isTop);
                moves.add(made);
                of.targets.fastUnorderedRemove(target);
                leaving.removeAt(leaving.size() - 1);
                if (leaving.isEmpty()) {
                    of.origins.fastUnorderedRemove(origin);
                }
                if (isRejected && rejected.isEmpty()) {
                    chainFrom = moves.size() - 1;
                }
                if (isRejected) {
                    rejected.add(made);
                }
                if (!rejected.isEmpty()) {
                    endChain(writer, evaluation);
                }
                return true;
            }
            writer.move(pod, from);
            of.group.shiftSpreads(from, 1);
        }
        return false;
    }

    /** The place among the origins of the one that a pod leaves next, of those that were not tried yet. */
    private int nextOrigin(Pending of, BitSet tried) {
        int next = -1;
        for (int i = 0; i < of.origins.size(); i++) {
            int slot = of.origins.getInt(i);
            if (!tried.get(slot) && (next < 0 || isLeftBefore(of, slot, of.origins.getInt(next)))) {
                next = i;
            }
        }
        return next;
    }

    /**
     * Pods first leave the nodes that rejected a pod of the chain, so that it ends soon: its pods are evicted at the
     * same time. Otherwise, they leave the fullest nodes first.
     */
    private boolean isLeftBefore(Pending of, int slot, int other) {
        boolean rejects = hasRejected(slot);
        return rejects == hasRejected(other) ? of.isFuller(slot, other) : rejects;
    }

    private boolean hasRejected(int slot) {
        for (Made move : rejected) {
            if (move.to == slot) {
                return true;
            }
        }
        return false;
    }

    /**
     * The place among the targets of the one that the pod enters; -1 if there is none. Prefers nodes that
     * kube-scheduler would choose.
     */
    private int target(Pending of, long[] top, PlanEvaluation evaluation, Admission least) {
        int chosen = -1;
        boolean isTop = false;
        for (int i = 0; i < of.targets.size(); i++) {
            int slot = of.targets.getInt(i);
            boolean better = chosen < 0
                    || NodeBits.get(top, slot) && !isTop
                    || NodeBits.get(top, slot) == isTop && of.isFuller(of.targets.getInt(chosen), slot);
            if (better && mayEnter(of.group, slot, evaluation, least)) {
                chosen = i;
                isTop = NodeBits.get(top, slot);
            }
        }
        return chosen;
    }

    private static boolean mayEnter(ReplicaGroup group, int slot, PlanEvaluation evaluation, Admission least) {
        Reason reason = evaluation.reasonAt(group.plan, slot);
        return reason == null || least == Admission.ANY || least == Admission.WITH_ROOM && reason == Reason.SKEW;
    }
}
