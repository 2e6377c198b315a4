package io.evenkeel.engine.model;

import java.util.List;

/**
 * A cluster that is changed in thought: first pods are taken off, then others are put on. Nodes stay as they are.
 *
 * @param without the pods that are taken off, wherever they are
 * @param added the pods that are put on. One that is in the cluster already moves: it counts there alone. One that is
 *     put on twice is one pod, where it was put last.
 */
public record Overlay(List<PodKey> without, List<Added> added) {
    /** The cluster as it is. */
    public static final Overlay NONE = new Overlay(List.of(), List.of());

    /** The cluster without one pod. */
    public static Overlay without(PodKey pod) {
        return new Overlay(List.of(pod), List.of());
    }

    public boolean isEmpty() {
        return without.isEmpty() && added.isEmpty();
    }

    /** A pod that is put on. */
    public sealed interface Added permits InFull, Known {}

    /**
     * A pod in full, on the node that it names. Where it names none, it is on the judged node if there is a single one,
     * and counts nowhere if not. A pod with the same UID is the same pod; without a UID it is a pod of its own.
     */
    public record InFull(PodObject pod) implements Added {}

    /**
     * Pods of the cluster: as {@link InFull} with what the cluster knows of them.
     *
     * @param node the node that it is put on; empty for the one that it is on
     */
    public record Known(PodKey pod, String node) implements Added {}
}
