package io.evenkeel.engine.model;

/**
 * What happens to a pod when its node is removed, as far as the pod itself decides. The rules are cluster-autoscaler's
 * (package {@code simulator/drainability}, with its default options); each pod has the first one that applies.
 */
public enum Drainability {
    /** It must find another node, if its budgets allow. Also a pod of which nothing else is known. */
    MOVES,
    /** It mirrors a static pod, so it ends with its node. */
    MIRROR,
    /** It belongs to a DaemonSet, or is annotated as if it did, so it ends with its node. */
    DAEMON,
    /** It must find another node, whatever its budgets allow, because it is annotated as safe to evict. */
    SAFE_TO_EVICT,
    /** It prevents the removal because it is annotated to run to completion. */
    RUNS_TO_COMPLETION,
    /** It prevents the removal because no controller that cluster-autoscaler knows would replace it. */
    NOT_REPLICATED,
    /** It prevents the removal because it is annotated as not safe to evict. */
    NOT_SAFE_TO_EVICT,
    /** It prevents the removal because it has local storage. */
    LOCAL_STORAGE;

    private static final Drainability[] ALL = values();

    /** The value with an {@link #ordinal}. */
    public static Drainability of(int ordinal) {
        return ALL[ordinal];
    }

    /** Whether such a pod prevents the removal of its node. */
    public boolean blocks() {
        return this.ordinal() >= RUNS_TO_COMPLETION.ordinal();
    }
}
