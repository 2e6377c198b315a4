package io.evenkeel.engine.simulation;

import io.evenkeel.engine.cluster.NodeNameTable;
import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.memory.NodeBits;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.agrona.collections.IntArrayList;

/**
 * An order of all nodes: first those of a list, then the others in the byte order of their names.
 *
 * <pre>
 *   slots[place]   the node at that place; NONE if it has been removed
 *   places[slot]   its place
 * </pre>
 */
final class NodeOrder {
    private long revision;
    private final int[] slots;
    private final int[] places;
    private final boolean bySlot;

    /** @param first the names of nodes that come first; names that no node has are skipped */
    NodeOrder(NodeNameTable names, List<String> first) {
        revision = names.revision();
        int[] byName = names.byName();
        slots = first.isEmpty() ? byName.clone() : listedFirst(names, byName, first);
        places = new int[names.limit()];
        for (int place = 0; place < slots.length; place++) {
            places[slots[place]] = place;
        }
        bySlot = IntStream.range(1, slots.length).allMatch(place -> slots[place - 1] < slots[place]);
    }

    private static int[] listedFirst(NodeNameTable names, int[] byName, List<String> first) {
        Map<String, Integer> slotOf = new HashMap<>();
        for (int slot : byName) {
            slotOf.put(String.valueOf(names.name(slot)), slot);
        }
        int[] slots = new int[byName.length];
        int next = 0;
        for (String name : first) {
            Integer slot = slotOf.remove(name);
            if (slot != null) {
                slots[next++] = slot;
            }
        }
        for (int slot : byName) {
            if (slotOf.containsKey(String.valueOf(names.name(slot)))) {
                slots[next++] = slot;
            }
        }
        return slots;
    }

    /**
     * Makes this the order of the nodes of a later table, if nodes were only removed since; returns false if others
     * came, so that another order is needed.
     */
    boolean follow(NodeNameTable names) {
        if (revision == names.revision()) {
            return true;
        }
        int[] changed = names.changesSince(revision);
        if (changed == null) {
            return false;
        }
        IntArrayList removed = new IntArrayList();
        for (int slot : changed) {
            if (names.name(slot) != null) {
                return false;
            }
            if (slot < places.length && slots[places[slot]] == slot) {
                removed.addInt(places[slot]);
            }
        }
        removed.forEachInt(place -> slots[place] = NodeSlots.NONE);
        revision = names.revision();
        return true;
    }

    /** Whether slots are in ascending order, as those of nodes that were listed by name. */
    boolean isBySlot() {
        return bySlot;
    }

    int size() {
        return slots.length;
    }

    /** The slot of the node at a place; NONE if it has been removed. */
    int slot(int place) {
        return slots[place];
    }

    /** Whether the node at a place is in a set. */
    boolean isIn(long[] set, int place) {
        return slots[place] != NodeSlots.NONE && NodeBits.get(set, slots[place]);
    }

    int place(int slot) {
        return places[slot];
    }
}
