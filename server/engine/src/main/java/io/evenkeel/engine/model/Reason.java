package io.evenkeel.engine.model;

/** Why a node is out, in kube-scheduler's words. The first rule in this order that takes a node out is its reason. */
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

    /** Whether preempting pods of the node cannot help. */
    public VerdictCode code() {
        return this == SKEW ? VerdictCode.UNSCHEDULABLE : VerdictCode.UNSCHEDULABLE_AND_UNRESOLVABLE;
    }
}
