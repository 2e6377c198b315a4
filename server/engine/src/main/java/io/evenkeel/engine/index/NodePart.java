package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.memory.IndexPart;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A part of the index that knows something of each slot. It is built slot by slot, in slices between which nodes come,
 * change and go:
 *
 * <pre>
 *   slots   | 0 …  taken in, and told of events  … | builtTo …  not yet taken in: events are left to the build … |
 * </pre>
 *
 * Invariant: below {@code builtTo} it stands as the node table says; from there on it holds nothing. A part that rests
 * on others is built after these.
 *
 * <p>While it is being built nobody asks it. A slice changes nothing else, so that it needs no more than that nobody
 * writes and nobody else builds.
 */
public abstract class NodePart extends IndexPart {
    private static final int ALL = Integer.MAX_VALUE;
    private static final int SLOTS_A_LOOK_AT_THE_CLOCK = 32;

    private int builtTo;

    public final boolean isBuilt() {
        return builtTo == ALL;
    }

    /** Whether the part is told of what happens to the slot's node; else the build will see what it has come to. */
    final boolean covers(int slot) {
        return slot < builtTo;
    }

    /** Builds the next slice of the part, and of what it rests on, until time is up; answers whether it is built. */
    final boolean build(NodeTable nodes, BooleanSupplier isTimeUp) {
        for (NodePart under : parts()) {
            if (!under.build(nodes, isTimeUp)) {
                return false;
            }
        }
        if (!isBuilt()) {
            takeSlots(nodes, isTimeUp);
            sliceIsTaken(nodes);
        }
        return isBuilt();
    }

    /** Takes in the slots that come next, until time is up or there are no more. */
    private void takeSlots(NodeTable nodes, BooleanSupplier isTimeUp) {
        int slot = builtTo;
        while (slot < nodes.limit()) {
            if (nodes.isKnown(slot)) {
                take(slot, nodes.attributes(slot));
            }
            slot++;
            if (slot % SLOTS_A_LOOK_AT_THE_CLOCK == 0 && isTimeUp.getAsBoolean()) {
                builtTo = slot;
                return;
            }
        }
        builtTo = ALL;
    }

    /** A node that is known stands on a slot of which the part holds nothing yet. */
    abstract void take(int slot, NodeTable.Attributes node);

    /** Slots have been taken in. */
    void sliceIsTaken(NodeTable nodes) {}

    /** What it rests on. */
    List<NodePart> parts() {
        return List.of();
    }

    /** Has room for so many slots. */
    abstract void growTo(int capacity);
}
