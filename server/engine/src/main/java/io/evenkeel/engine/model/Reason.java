package io.evenkeel.engine.model;

/**
 * Why a node may not take a pod, in kube-scheduler's words. If several rules exclude a node, its reason is the first of
 * them in this order.
 */
public enum Reason {
    /** Each required term names nodes (matchFields metadata.name), but no node is named by all parts of a term. */
    NODE_NAMES_CONFLICT("pod affinity terms conflict"),
    /** Each required term names nodes, and not this one. Such nodes are excluded before any other rule. */
    NOT_NAMED_BY_AFFINITY("node(s) didn't satisfy plugin(s) [NodeAffinity]"),
    UNSCHEDULABLE("node(s) were unschedulable"),
    NODE_NAME("node(s) didn't match the requested node name"),
    UNTOLERATED_TAINT("node(s) had untolerated taint(s)"),
    NODE_AFFINITY("node(s) didn't match Pod's node affinity/selector"),
    HOST_PORTS("node(s) didn't have free ports for the requested pod ports"),
    /** The pod asks for more than the node has, even if it were empty. Its messages are those of the shortages. */
    RESOURCES_OF_NODE("Insufficient resources"),
    /** The pod asks for more than is free on the node. Its messages are those of the shortages. */
    FREE_RESOURCES("Insufficient resources"),
    MISSING_LABEL("node(s) didn't match pod topology spread constraints (missing required label)"),
    SKEW("node(s) didn't match pod topology spread constraints");

    private final String text;

    Reason(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /** Whether the messages are those of the resources that are short. */
    public boolean isOfResources() {
        return this == RESOURCES_OF_NODE || this == FREE_RESOURCES;
    }

    /** The verdict that kube-scheduler gives for this reason: whether preempting pods can help. */
    public VerdictCode code() {
        return switch (this) {
            case HOST_PORTS, FREE_RESOURCES, SKEW -> VerdictCode.UNSCHEDULABLE;
            default -> VerdictCode.UNSCHEDULABLE_AND_UNRESOLVABLE;
        };
    }
}
