package io.evenkeel.engine.index;

import io.evenkeel.engine.cluster.NodeSlots;
import io.evenkeel.engine.memory.IndexPart;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A part of the index that keeps something about each slot, such as its domain. It is built slot by slot, in slices.
 * Between the slices, nodes may be added, changed and removed:
 *
 * <pre>
 *   slots   | 0 …  built, and updated by events  … | builtTo …  not built yet: events are left to the build … |
 * </pre>
 *
 * Invariant: below {@code builtTo} it agrees with the node table; from there on it is empty. A part that uses other
 * parts is built after these.
 *
 * <p>No thread reads it while it is being built. A slice changes nothing else, so it needs only that no thread writes
 * and no other thread builds.
 */
public abstract class NodePart extends IndexPart {
    private static final int ALL = Integer.MAX_VALUE;
    private static final int SLOTS_A_LOOK_AT_THE_CLOCK = 32;

    private int builtTo;

    public final boolean isBuilt() {
        return builtTo == ALL;
    }

    /**
     * Whether events of the slot's node must update this part. If not, the build will read the node's state when it
     * reaches the slot.
     */
    final boolean covers(int slot) {
        return slot < builtTo;
    }

    /**
     * Builds the next slice of the part, and of the parts that it uses, until the time is up; returns whether it is
     * built.
     */
    final boolean build(NodeSlots nodes, BooleanSupplier isTimeUp) {
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

    /** Builds the next slots, until the time is up or there are no more. */
    private void takeSlots(NodeSlots nodes, BooleanSupplier isTimeUp) {
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

    /** Adds a node to the part, which has no state for its slot yet. */
    abstract void take(int slot, NodeSlots.Attributes node);

    /** Called when a slice of slots was built. */
    void sliceIsTaken(NodeSlots nodes) {}

    /** The parts that it uses. */
    List<NodePart> parts() {
        return List.of();
    }

    /** Makes room for {@code capacity} slots. */
    abstract void growTo(int capacity);
}
