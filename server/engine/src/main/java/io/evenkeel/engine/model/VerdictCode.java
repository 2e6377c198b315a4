package io.evenkeel.engine.model;

/** The verdict on one node, with kube-scheduler's names. */
public enum VerdictCode {
    SUCCESS("Success"),
    UNSCHEDULABLE("Unschedulable"),
    UNSCHEDULABLE_AND_UNRESOLVABLE("UnschedulableAndUnresolvable");

    private final String text;

    VerdictCode(String text) {
        this.text = text;
    }

    /** kube-scheduler's spelling. */
    public String text() {
        return text;
    }
}
