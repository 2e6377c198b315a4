package io.evenkeel.engine.model;

/** What became of an assumption. */
public enum Assumption {
    /** The pod counts on the node. */
    COUNTED,
    /** The pod will count once its node comes: no node has that name now. */
    NODE_UNKNOWN,
    /** The watch has shown the pod bound; it counts where the watch said. */
    ALREADY_BOUND,
    /** The pod was deleted a short while ago; nothing changed. */
    DELETED
}
