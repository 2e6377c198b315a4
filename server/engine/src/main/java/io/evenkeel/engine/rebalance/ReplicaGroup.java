package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.plan.PodPlan;
import io.evenkeel.engine.plan.ScoredPod;
import java.util.List;
import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;

/**
 * Pods that may enter the same nodes, ask for the same resources, and count for the same constraints.
 *
 * <pre>
 *   movable   slot → the ids of the pods on it that may be moved
 *   now       slot → how many pods are on it
 *   planned   slot → how many pods the plan has on it, if that differs
 * </pre>
 */
final class ReplicaGroup {
    static final int NONE = 0;

    final PodPlan plan;
    final ScoredPod scored;

    /** The constraints for which these pods count. */
    final List<PlannedSpread> spreads;

    final Int2ObjectHashMap<IntArrayList> movable = new Int2ObjectHashMap<>();
    final Int2IntHashMap now = new Int2IntHashMap(NONE);
    private final Int2IntHashMap differing = new Int2IntHashMap(-1);
    int pods;

    ReplicaGroup(PodPlan plan, ScoredPod scored, List<PlannedSpread> spreads) {
        this.plan = plan;
        this.scored = scored;
        this.spreads = spreads;
        spreads.forEach(spread -> spread.groups++);
    }

    /** Whether no constraint counts these pods and those of another group. */
    boolean isAlone() {
        return spreads.stream().allMatch(spread -> spread.groups == 1);
    }

    void add(int pod, int slot, boolean isMovable) {
        now.put(slot, now.get(slot) + 1);
        pods++;
        if (isMovable) {
            movable.computeIfAbsent(slot, none -> new IntArrayList()).addInt(pod);
        }
    }

    /** How many pods on a slot may be moved. */
    int movableOn(int slot) {
        IntArrayList there = movable.get(slot);
        return there == null ? 0 : there.size();
    }

    /** How many pods the plan has on a slot. */
    int plannedOn(int slot) {
        int planned = differing.get(slot);
        return planned == -1 ? now.get(slot) : planned;
    }

    /** How many pods there are now, by slot. */
    int[] now(int slotLimit) {
        int[] counts = new int[slotLimit];
        now.forEachInt((slot, count) -> counts[slot] = count);
        return counts;
    }

    /** How many pods the plan has, by slot. */
    int[] planned(int slotLimit) {
        int[] counts = now(slotLimit);
        differing.forEachInt((slot, count) -> counts[slot] = count);
        return counts;
    }

    /** How many pods may be moved, by slot. */
    int[] movable(int slotLimit) {
        int[] counts = new int[slotLimit];
        movable.forEachInt((slot, pods) -> counts[slot] = pods.size());
        return counts;
    }

    void plan(int slot, int count) {
        if (count == now.get(slot)) {
            differing.remove(slot);
        } else {
            differing.put(slot, count);
        }
    }

    /** Records that more or fewer pods count on a slot than before. */
    void shiftSpreads(int slot, int more) {
        for (PlannedSpread spread : spreads) {
            spread.shift(slot, more);
        }
    }

    /** The slots on which the plan has another number of pods than there are now. */
    Int2IntHashMap.KeySet changedSlots() {
        return differing.keySet();
    }

    /** How many pods move. */
    int moves() {
        int moves = 0;
        for (Int2IntHashMap.EntryIterator each = differing.entrySet().iterator(); each.hasNext(); ) {
            each.next();
            moves += Math.max(0, now.get(each.getIntKey()) - each.getIntValue());
        }
        return moves;
    }
}
