package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeTable;
import io.evenkeel.engine.memory.IndexPart;
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

    /** Takes in the slots that come next, until time is up or there are no more. */
    final void build(NodeTable nodes, BooleanSupplier isTimeUp) {
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
}
