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
import io.evenkeel.engine.plan.PlannedConstraint;
import io.evenkeel.engine.store.ClusterView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;

/**
 * Carries out the planned moves in a copy of the cluster, one by one: each pod is taken from its node and put on
 * another one that it may enter then, so that no constraint becomes violated that was satisfied, and that the whole
 * plan satisfies. Pods leave the fullest domains first, and enter the emptiest. If no such move is left, one is made
 * that violates a constraint, or for which there is no room. It begins a chain, which ends when each of its pods may
 * enter its new node, and the constraints that were satisfied before it are satisfied again. If the chain does not end,
 * its moves are undone, and those that no other moves make possible come last. The counts of the groups' constraints
 * change from those of the plan to those of now, and then follow. Used once.
 *
 * <pre>
 *   moves      possible ones and whole chains │ the chain that has not ended
 *   withNext   the moves of whole chains, but the last of each
 *   open       the moves of the chain that has not ended, in no particular order
 *   rejecting  the slots that rejected one of their pods when its turn came
 * </pre>
 */
final class MoveOrder {
    /** For how many moves kube-scheduler's choice is found, which takes most of the time. */
    static final int MAX_SCORED = 1_000;

    /** The most nodes that are tried as the origin of one move. */
    private static final int MAX_ORIGINS = 16;

    /**
     * After how many rejections moves are made in any order, and only some of them are tried as the end of a chain, so
     * that chains may be longer than necessary, up to twice as long.
     */
    private static final int MAX_REJECTIONS = 1 << 24;

    /**
     * How often the moves of a chain are undone. Usually once; again if, without the moves that were put aside, the
     * others violate a constraint that one of them has satisfied.
     */
    private static final int MAX_UNDONE = 4;

    /** If a chain has more moves, not all choices of those to be put aside are tried. */
    private static final int MAX_CHOSEN = 10;

    private static final long[] NONE = {};

    private final SpreadEngine engine;
    private final StopSignal stop;
    private final List<Made> moves = new ArrayList<>();
    private final BitSet withNext = new BitSet();

    /** The one that was last found to be impossible is the first. */
    private final List<Made> open = new ArrayList<>();

    private final BitSet rejecting = new BitSet();
    private final ChainConstraints chainConstraints = new ChainConstraints();

    private final List<Made> impossible = new ArrayList<>();
    private final List<Pending> pending = new ArrayList<>();
    private final Answer answer = new Answer();
    private long rejections;

    /** Whether a group of {@link #pending} is stuck. */
    private boolean isAnyStuck;

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
        final KeptConstraints kept;
        final IntArrayList origins = new IntArrayList();
        final Int2ObjectHashMap<IntArrayList> leaving = new Int2ObjectHashMap<>();
        final IntArrayList targets = new IntArrayList();

        /** Whether no move is possible, unless another one has changed that. */
        boolean isStuck;

        /** Whether there is no room for any, either. */
        boolean isWithoutRoom;

        /** @param kept the numbers of the constraints that the plan satisfies */
        Pending(ReplicaGroup group, BitSet kept) {
            this.group = group;
            spreads = group.spreads.toArray(PlannedSpread[]::new);
            this.kept = new KeptConstraints(group.spreads, kept);
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
            isStuck = false;
            isWithoutRoom = false;
        }

        /** Whether constraints of these pods, or those that they must not violate, count the pods of a group. */
        boolean dependsOn(ReplicaGroup moved) {
            for (PlannedSpread spread : moved.spreads) {
                if (kept.contain(spread)) {
                    return true;
                }
                for (PlannedConstraint constraint : group.plan.hard) {
                    if (constraint.group() == spread.constraint.group()) {
                        return true;
                    }
                }
            }
            return false;
        }

        /** How many pods the two coarsest domains of a slot have; the coarsest decides. */
        long fullness(int slot) {
            long fullness = 0;
            for (int i = 0; i < Math.min(2, spreads.length); i++) {
                fullness |= (long) spreads[i].countOn(slot) << 32 * (1 - i);
            }
            return fullness;
        }

        /** Whether a slot comes before another one of the same fullness, because its finer domains have more pods. */
        boolean isFuller(int slot, int other) {
            for (int i = 2; i < spreads.length; i++) {
                int count = spreads[i].countOn(slot);
                int than = spreads[i].countOn(other);
                if (count != than) {
                    return count > than;
                }
            }
            return slot < other;
        }
    }

    /** @param spreads the constraints, with the counts of the plan */
    MoveOrder(SpreadEngine engine, List<ReplicaGroup> groups, List<PlannedSpread> spreads, StopSignal stop) {
        this.engine = engine;
        this.stop = stop;
        BitSet kept = new BitSet();
        spreads.stream().filter(spread -> spread.excess() == 0).forEach(spread -> kept.set(spread.number));
        groups.stream()
                .map(group -> new Pending(group, kept))
                .filter(each -> !each.targets.isEmpty())
                .forEach(pending::add);
    }

    /**
     * Undoes the impossible moves at the end, and those before them that do not lower the excess without them. Returns
     * how many are left. Their pods are no longer movable.
     */
    int undoUseless() {
        int possible = 0;
        while (possible < moves.size() && (!moves.get(possible).isRejected || withNext.get(possible))) {
            possible++;
        }
        int[] useful = {possible};
        if (possible < moves.size()) {
            int limit = possible;
            engine.judgeAndWrite((writer, evaluation) -> useful[0] = undoUseless(limit, writer));
        }
        for (Made move : moves.subList(0, useful[0])) {
            Objects.requireNonNull(move.of.group.movable.get(move.from)).removeInt(move.pod);
        }
        return useful[0];
    }

    private int undoUseless(int possible, ClusterWriter writer) {
        int useful = 0;
        int least = Integer.MAX_VALUE;
        // Compared with that after all moves.
        int excess = 0;
        for (int made = moves.size(); made >= 0; made--) {
            if (made <= possible && excess <= least && (made == 0 || !withNext.get(made - 1))) {
                useful = made;
                least = excess;
            }
            if (made > 0) {
                Made last = moves.get(made - 1);
                excess -= PlannedSpread.excess(last.of.group.spreads);
                undo(last, writer);
                excess += PlannedSpread.excess(last.of.group.spreads);
            }
        }
        moves.subList(0, useful).forEach(move -> redo(move, writer));
        return useful;
    }

    /** The moves that were made, in order. */
    List<RebalancePlan.Move> moves(ClusterView cluster) {
        List<RebalancePlan.Move> made = new ArrayList<>(moves.size());
        for (int i = 0; i < moves.size(); i++) {
            Made move = moves.get(i);
            made.add(RebalancePlan.Move.of(
                    cluster, move.pod, move.from, move.to, move.isRejected, withNext.get(i), move.isTop));
        }
        return made;
    }

    void run() {
        makeAll();
        int possible;
        do {
            possible = moves.size() - open.size();
            for (int undone = 0; undone < MAX_UNDONE && !open.isEmpty() && undoChain(); undone++) {
                // All pods may enter their nodes once these moves are made.
                makeAll();
            }
            impossible.forEach(this::addPending);
            impossible.clear();
            makeAll();
            // The pods of a group are equal, so its impossible moves may be others now, of which some are possible.
        } while (!open.isEmpty() && open.size() <= MAX_CHOSEN && moves.size() - open.size() > possible);
    }

    private void makeAll() {
        rejections = 0;
        while (!pending.isEmpty()) {
            boolean progress = false;
            for (Pending each : pending) {
                progress |= !each.isStuck && rejections < MAX_REJECTIONS && moveAll(each);
            }
            if (!progress && !forceOne(Admission.WITH_ROOM)) {
                forceOne(Admission.ANY);
            }
            pending.removeIf(each -> each.targets.isEmpty());
        }
        endChain();
    }

    private void addPending(Made move) {
        if (move.of.targets.isEmpty()) {
            pending.add(move.of);
        }
        move.of.add(move.pod, move.from, move.to);
    }

    // ---- chains

    private void endChain() {
        stop.check();
        engine.judgeAndWrite(this::endChain);
    }

    /**
     * Ends the chain if each of its pods may enter its new node now, and it has violated no constraint. Its last move
     * must be possible, because a rejected move at the end is one that no other makes possible.
     */
    private void endChain(ClusterWriter writer, PlanEvaluation evaluation) {
        if (open.isEmpty() || moves.get(moves.size() - 1).isRejected || !chainConstraints.areSatisfied()) {
            return;
        }
        for (int i = 0; i < open.size(); i++) {
            if (!isPossible(open.get(i), writer, evaluation)) {
                Collections.swap(open, 0, i);
                rejections += i;
                return;
            }
        }
        withNext.set(moves.size() - open.size(), moves.size() - 1);
        clearChain();
    }

    private void clearChain() {
        open.clear();
        rejecting.clear();
        chainConstraints.clear();
    }

    /** Whether a pod that has moved may enter its new node now. */
    private static boolean isPossible(Made move, ClusterWriter writer, PlanEvaluation evaluation) {
        writer.move(move.pod, NodeSlots.NONE);
        boolean isPossible = evaluation.reasonAt(move.of.group.plan, move.to) == null;
        writer.move(move.pod, move.to);
        return isPossible;
    }

    /**
     * Undoes the moves of the chain that has not ended, and puts some aside, so that the others are possible. If no
     * moves are possible together, undoes none, and returns false.
     */
    private boolean undoChain() {
        int first = moves.size() - open.size();
        if (open.size() > MAX_CHOSEN) {
            putImpossibleAside();
        } else if (!putFewestAside()) {
            return false;
        }
        Set<Made> possible = new HashSet<>(open);
        engine.judgeAndWrite((writer, evaluation) -> {
            for (int last = moves.size() - 1; last >= first; last--) {
                Made move = moves.remove(last);
                if (possible.contains(move)) {
                    undo(move, writer);
                    addPending(move);
                }
            }
        });
        clearChain();
        return true;
    }

    /**
     * Puts as few moves aside as possible, but one: the chain has not ended with all of them. Returns false if no
     * others are possible.
     */
    private boolean putFewestAside() {
        stop.check();
        int all = (1 << open.size()) - 1;
        int[] choices = IntStream.range(1, all)
                .boxed()
                .sorted(Comparator.comparing(Integer::bitCount))
                .mapToInt(Integer::intValue)
                .toArray();
        boolean[] isFound = {false};
        engine.judgeAndWrite((writer, evaluation) -> {
            for (int i = 0; i < choices.length && !isFound[0]; i++) {
                isFound[0] = putAside(choices[i], writer, evaluation);
            }
        });
        return isFound[0];
    }

    /** Puts the chosen moves aside if the others are possible together then. */
    private boolean putAside(int chosen, ClusterWriter writer, PlanEvaluation evaluation) {
        List<Made> aside = new ArrayList<>();
        List<Made> others = new ArrayList<>();
        for (int i = 0; i < open.size(); i++) {
            ((chosen >> i & 1) == 1 ? aside : others).add(open.get(i));
        }
        aside.forEach(move -> undo(move, writer));
        if (others.stream().allMatch(move -> isPossible(move, writer, evaluation)) && chainConstraints.areSatisfied()) {
            impossible.addAll(aside);
            open.removeAll(aside);
            return true;
        }
        aside.forEach(move -> redo(move, writer));
        return false;
    }

    /**
     * Puts the moves aside that are impossible even after all others that are not put aside, or that still violate a
     * constraint then.
     */
    private void putImpossibleAside() {
        // Rejected ones first: without them, the others may be possible.
        open.sort(Comparator.comparing((Made move) -> !move.isRejected));
        int before;
        do {
            before = impossible.size();
            putAside((move, writer, evaluation) -> !isPossible(move, writer, evaluation));
            if (impossible.size() == before) {
                putAside((move, writer, evaluation) ->
                        chainConstraints.areViolatedBy(move.of.group, move.from, move.to));
            }
        } while (impossible.size() > before);
    }

    private interface Judge {
        boolean isImpossible(Made move, ClusterWriter writer, PlanEvaluation evaluation);
    }

    /** Undoes the moves that are impossible while those before them are undone, and puts them aside. */
    private void putAside(Judge judge) {
        stop.check();
        engine.judgeAndWrite((writer, evaluation) -> open.removeIf(move -> {
            boolean isImpossible = judge.isImpossible(move, writer, evaluation);
            if (isImpossible) {
                undo(move, writer);
                impossible.add(move);
            }
            return isImpossible;
        }));
    }

    private static void undo(Made move, ClusterWriter writer) {
        writer.move(move.pod, move.from);
        move.of.group.shiftSpreads(move.to, -1);
        move.of.group.shiftSpreads(move.from, 1);
    }

    private static void redo(Made move, ClusterWriter writer) {
        writer.move(move.pod, move.to);
        move.of.group.shiftSpreads(move.from, -1);
        move.of.group.shiftSpreads(move.to, 1);
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

    /** Makes one move although it is not possible; returns whether there was one. */
    private boolean forceOne(Admission least) {
        stop.check();
        boolean[] moved = {false};
        engine.judgeAndWrite((writer, evaluation) -> {
            for (int i = 0; i < pending.size() && !moved[0]; i++) {
                Pending each = pending.get(i);
                moved[0] = (!each.isWithoutRoom || least == Admission.ANY) && moveOne(each, writer, evaluation, least);
            }
        });
        return moved[0];
    }

    private boolean moveOne(Pending of, ClusterWriter writer, PlanEvaluation evaluation, Admission least) {
        of.kept.noteSatisfied();
        BitSet tried = new BitSet();
        BitSet full = new BitSet();
        // Whether there is room does not depend on the old node.
        int most = least == Admission.FULL ? Math.min(MAX_ORIGINS, of.origins.size()) : 1;
        while (tried.cardinality() < most) {
            int origin = nextOrigin(of, tried);
            int from = of.origins.getInt(origin);
            tried.set(from);
            IntArrayList leaving = Objects.requireNonNull(of.leaving.get(from));
            int pod = leaving.getInt(leaving.size() - 1);
            writer.move(pod, NodeSlots.NONE);
            of.group.shiftSpreads(from, -1);
            int target = target(of, NONE, full, evaluation, least);
            if (target >= 0) {
                long[] top = NONE;
                if (moves.size() < MAX_SCORED) {
                    evaluation.runStock(of.group.plan, of.group.scored, NodeSubset.ALL, answer);
                    top = answer.top();
                    target = target(of, top, full, evaluation, least);
                }
                int to = of.targets.getInt(target);
                boolean isRejected = evaluation.reasonAt(of.group.plan, to) != null || of.kept.areViolatedAt(to);
                boolean isTop = NodeBits.get(top, to);
                writer.move(pod, to);
                of.group.shiftSpreads(to, 1);
                of.targets.fastUnorderedRemove(target);
                leaving.removeAt(leaving.size() - 1);
                if (leaving.isEmpty()) {
                    of.origins.fastUnorderedRemove(origin);
                }
                made(new Made(of, pod, from, to, isRejected, isTop), writer, evaluation);
                return true;
            }
            writer.move(pod, from);
            of.group.shiftSpreads(from, 1);
            rejections += of.targets.size();
            if (of.targets.intStream().allMatch(full::get)) {
                of.isWithoutRoom = true;
                break;
            }
        }
        of.isStuck = true;
        isAnyStuck = true;
        return false;
    }

    private void made(Made move, ClusterWriter writer, PlanEvaluation evaluation) {
        moves.add(move);
        if (isAnyStuck) {
            retryAfter(move);
        }
        if (move.isRejected) {
            rejecting.set(move.to);
        }
        if (move.isRejected || !open.isEmpty()) {
            open.add(move);
            move.of.kept.addTo(chainConstraints);
            if (rejections < MAX_REJECTIONS || Integer.bitCount(open.size()) == 1) {
                endChain(writer, evaluation);
            }
        }
    }

    /** Lets those groups be tried again whose moves another one may have made possible. */
    private void retryAfter(Made move) {
        for (Pending each : pending) {
            if (each.isStuck && each.targets.containsInt(move.from)) {
                each.isStuck = false;
                each.isWithoutRoom = false;
            } else if (!each.isWithoutRoom && (each == move.of || each.dependsOn(move.of.group))) {
                each.isStuck = false;
            }
        }
    }

    /**
     * The place among the origins of the one that a pod leaves next, of those that were not tried yet. Pods first leave
     * the nodes that rejected a pod of the chain, so that it ends soon: its pods are evicted at the same time.
     * Otherwise, they leave the fullest nodes first.
     */
    private int nextOrigin(Pending of, BitSet tried) {
        int next = -1;
        long most = 0;
        for (int i = 0; i < of.origins.size(); i++) {
            int slot = of.origins.getInt(i);
            if (!tried.get(slot)) {
                long rank = of.fullness(slot) | (rejecting.get(slot) ? Long.MIN_VALUE : 0);
                int order = next < 0 ? 1 : Long.compareUnsigned(rank, most);
                if (order > 0 || order == 0 && of.isFuller(slot, of.origins.getInt(next))) {
                    next = i;
                    most = rank;
                }
            }
        }
        return next;
    }

    /**
     * The place among the targets of the one that the pod enters; -1 if there is none. Prefers nodes that
     * kube-scheduler would choose.
     *
     * @param full slots without room, which are not judged again; gets more of them
     */
    private int target(Pending of, long[] top, BitSet full, PlanEvaluation evaluation, Admission least) {
        int chosen = -1;
        long fewest = 0;
        for (int i = 0; i < of.targets.size(); i++) {
            int slot = of.targets.getInt(i);
            long rank = of.fullness(slot) | (NodeBits.get(top, slot) ? 0 : Long.MIN_VALUE);
            int order = chosen < 0 ? -1 : Long.compareUnsigned(rank, fewest);
            boolean better = order < 0 || order == 0 && of.isFuller(of.targets.getInt(chosen), slot);
            if (better && mayEnter(of, slot, full, evaluation, least)) {
                chosen = i;
                fewest = rank;
            }
        }
        return chosen;
    }

    private static boolean mayEnter(Pending of, int slot, BitSet full, PlanEvaluation evaluation, Admission least) {
        if (least == Admission.ANY) {
            return true;
        }
        if (full.get(slot)) {
            return false;
        }
        Reason reason = evaluation.reasonAt(of.group.plan, slot);
        if (reason != null && reason != Reason.SKEW) {
            full.set(slot);
        }
        if (least == Admission.WITH_ROOM) {
            return reason == null || reason == Reason.SKEW;
        }
        return reason == null && !of.kept.areViolatedAt(slot);
    }
}
