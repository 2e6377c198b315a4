package io.evenkeel.engine.rebalance;

import io.evenkeel.engine.index.NodeFit;
import io.evenkeel.engine.memory.NodeBits;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * How much room nodes have in the plan. Used under the engine's lock; the fits of groups are up to date.
 *
 * <pre>
 *   taken        resource → slot → how much more pods take there in the plan than now
 *   portTakers   slot → the last group with host ports that got a pod there in the plan
 * </pre>
 */
final class PlannedRoom {
    private final int slotLimit;
    private final Map<String, long[]> taken = new HashMap<>();
    private final Int2ObjectHashMap<ReplicaGroup> portTakers = new Int2ObjectHashMap<>();

    /** @param slotLimit above all slots */
    PlannedRoom(int slotLimit) {
        this.slotLimit = slotLimit;
    }

    /** Records that the plan has more or fewer pods of a group on a slot than before. */
    void shift(ReplicaGroup group, int slot, int more) {
        NodeFit fit = group.plan.fit;
        if (fit.hasPorts() && more > 0) {
            portTakers.put(slot, group);
        }
        for (int kind = 0; kind < fit.kinds(); kind++) {
            taken.computeIfAbsent(fit.resource(kind), none -> new long[slotLimit])[slot] += more * fit.asked(kind);
        }
    }

    /** What is free of a resource in the plan, by slot of a list. If a node is overfull, it is negative. */
    long[] free(NodeFit fit, int kind, int[] slots) {
        long[] planned = taken.get(fit.resource(kind));
        long[] free = new long[slots.length];
        for (int i = 0; i < slots.length; i++) {
            free[i] = fit.free(kind, slots[i]) - (planned == null ? 0 : planned[slots[i]]);
        }
        return free;
    }

    /** How many more pods of a group there is room for, by slot of a list. */
    int[] more(ReplicaGroup group, int[] slots) {
        NodeFit fit = group.plan.fit;
        int[] more = new int[slots.length];
        Arrays.fill(more, group.pods);
        for (int i = 0; i < slots.length && fit.hasPorts(); i++) {
            more[i] = arePortsFree(group, slots[i]) ? 1 : 0;
        }
        for (int kind = 0; kind < fit.kinds(); kind++) {
            if (fit.asked(kind) > 0) {
                long[] free = free(fit, kind, slots);
                for (int i = 0; i < slots.length; i++) {
                    more[i] = (int) Math.min(more[i], Math.max(0, free[i] / fit.asked(kind)));
                }
            }
        }
        return more;
    }

    /** Pods of another group that the plan has on a node that was free of them may ask for the same ports. */
    private boolean arePortsFree(ReplicaGroup group, int slot) {
        ReplicaGroup other = portTakers.get(slot);
        return group.plannedOn(slot) == 0
                && NodeBits.get(group.plan.fit.portsFree(), slot)
                && (other == null || other == group || other.plannedOn(slot) <= other.now.get(slot));
    }
}
