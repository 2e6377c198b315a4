package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.IndexPart;

/** Counts the pods that a selector matches, as they are added and removed. */
public abstract class PodCounter extends IndexPart {
    /** Whether events must count a pod of the class at {@code position}. If not, the build under way will count it. */
    public abstract boolean covers(int position, int pod);

    /**
     * Counts a matching pod on a host in or out.
     *
     * @param slot the slot of the host's node, or NONE if the node is not known
     */
    public abstract void shift(int host, int slot, boolean in);
}
