package io.evenkeel.engine.labels;

import io.evenkeel.engine.memory.IndexPart;

/** Counts the pods that a selector matches, as they come and go. */
public abstract class PodCounter extends IndexPart {
    /** Whether events count a pod of the class at {@code position}; else the build under way will. */
    public abstract boolean covers(int position, int pod);

    /**
     * A matching pod counts on a host from now on, or no longer does.
     *
     * @param slot of the host's node, or NONE where that is not known
     */
    public abstract void shift(int host, int slot, boolean in);
}
