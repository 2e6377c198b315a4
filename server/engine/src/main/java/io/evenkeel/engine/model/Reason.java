package io.evenkeel.engine.model;

/**
 * Why a node may not take a pod, in kube-scheduler's words. If several rules exclude a node, its reason is the first of
 * them in this order.
 */
public enum Reason {
    UNSCHEDULABLE("node(s) were unschedulable"),
    UNTOLERATED_TAINT("node(s) had untolerated taint(s)"),
    NODE_AFFINITY("node(s) didn't match Pod's node affinity/selector"),
    MISSING_LABEL("node(s) didn't match pod topology spread constraints (missing required label)"),
    SKEW("node(s) didn't match pod topology spread constraints");

    private final String text;

    Reason(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    /** The verdict that kube-scheduler gives for this reason. Preempting pods can help only against SKEW. */
    public VerdictCode code() {
        return this == SKEW ? VerdictCode.UNSCHEDULABLE : VerdictCode.UNSCHEDULABLE_AND_UNRESOLVABLE;
    }
}
