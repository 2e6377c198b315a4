package io.evenkeel.engine.model;

/** The verdict of Filter on one node, with kube-scheduler's names. */
public enum VerdictCode {
    SUCCESS("Success"),
    UNSCHEDULABLE("Unschedulable"),
    UNSCHEDULABLE_AND_UNRESOLVABLE("UnschedulableAndUnresolvable");

    private final String text;

    VerdictCode(String text) {
        this.text = text;
    }

    /** The name as kube-scheduler writes it. */
    public String text() {
        return text;
    }
}
