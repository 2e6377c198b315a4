package io.evenkeel.engine.model;

/** The result of assuming that a pod was placed on a node. */
public enum Assumption {
    /** The pod counts on the node. */
    COUNTED,
    /** No node has that name yet; the pod will count once the node appears. */
    NODE_UNKNOWN,
    /** The pod is assumed on the node, but it is terminating or finished, so it does not count. */
    NOT_COUNTED,
    /** The watch has already shown that the pod is bound; it counts on the node that the watch named. */
    ALREADY_BOUND,
    /** The pod was deleted recently; nothing changed. */
    DELETED
}
