package io.evenkeel.engine.model;

/**
 * A taint of a node ({@code node.spec.taints}). Only the effects NoSchedule and NoExecute keep pods off the node;
 * PreferNoSchedule matters for scores.
 */
public record NodeTaint(String key, String value, String effect) {
    public static final String NO_SCHEDULE = "NoSchedule";
    static final String NO_EXECUTE = "NoExecute";
    private static final String PREFER_NO_SCHEDULE = "PreferNoSchedule";

    /** Whether a pod that does not tolerate this taint is kept off the node at scheduling time. */
    public boolean repels() {
        return effect.equals(NO_SCHEDULE) || effect.equals(NO_EXECUTE);
    }

    /** Whether a node without it is better for a pod that does not tolerate it. */
    public boolean deters() {
        return effect.equals(PREFER_NO_SCHEDULE);
    }
}
