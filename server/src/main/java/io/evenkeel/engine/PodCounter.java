package io.evenkeel.engine;

/** Counts the pods that a selector matches, as they come and go. */
abstract class PodCounter extends IndexPart {
    /** Whether events count a pod of the class at {@code position}; else the build under way will. */
    abstract boolean covers(int position, int pod);

    /**
     * A matching pod counts on a host from now on, or no longer does.
     *
     * @param slot of the host's node, or NONE where that is not known
     */
    abstract void shift(int host, int slot, boolean in);

    /** Whether a change of a node under way counts the pods of the node out before it, and in again after it. */
    abstract boolean followsNodeChange();
}
