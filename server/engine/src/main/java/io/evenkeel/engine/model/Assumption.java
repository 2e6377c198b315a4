package io.evenkeel.engine.model;

/** The result of assuming that a pod was placed on a node. */
public enum Assumption {
    /** The pod counts on the node. */
    COUNTED,
    /** No node has that name yet; the pod will count once the node appears. */
    NODE_UNKNOWN,
    /** The pod is assumed on the node, but it is terminating or finished, so it does not count. */
    NOT_COUNTED,
    /** The watch has already shown that the pod is bound to this node, so nothing changed. */
    ALREADY_BOUND,
    /** The watch has already shown that the pod is bound to another node; it counts there, and nothing changed. */
    BOUND_TO_ANOTHER_NODE,
    /** The pod was deleted recently; nothing changed. */
    DELETED;

    /** Whether the pod is assumed now. */
    public boolean isAssumed() {
        return this == COUNTED || this == NODE_UNKNOWN || this == NOT_COUNTED;
    }
}
