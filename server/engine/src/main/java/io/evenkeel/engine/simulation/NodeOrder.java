package io.evenkeel.engine.simulation;

import io.evenkeel.engine.cluster.NodeNameTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * An order of all nodes: first those of a list, then the others in the byte order of their names.
 *
 * <pre>
 *   slots[place]   the node at that place
 *   places[slot]   its place
 * </pre>
 */
final class NodeOrder {
    private final long revision;
    private final int[] slots;
    private final int[] places;
    private final boolean bySlot;

    /** @param first the names of nodes that come first; names that no node has are skipped */
    NodeOrder(NodeNameTable names, List<String> first) {
        revision = names.revision();
        int[] byName = names.byName();
        slots = first.isEmpty() ? byName : listedFirst(names, byName, first);
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

    /** Whether this is the order of the nodes of that table. */
    boolean isOf(NodeNameTable names) {
        return revision == names.revision();
    }

    /** Whether slots are in ascending order, as those of nodes that were listed by name. */
    boolean isBySlot() {
        return bySlot;
    }

    int size() {
        return slots.length;
    }

    int slot(int place) {
        return slots[place];
    }

    int place(int slot) {
        return places[slot];
    }
}
