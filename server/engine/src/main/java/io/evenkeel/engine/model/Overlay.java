package io.evenkeel.engine.model;

import java.util.List;

/**
 * A hypothetical cluster: first the overlay removes pods, then it adds others. Nodes stay as they are.
 *
 * @param without the pods to remove, whatever node they are on
 * @param added the pods to add. A pod that is already in the cluster moves: it counts only on its new node. A pod that
 *     is added twice is one pod, on the node named last.
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

    /** A pod to add. */
    public sealed interface Added permits InFull, Known {}

    /**
     * A pod given in full, on the node that it names. If it names none, it is on the judged node if there is exactly
     * one, and otherwise counts nowhere. Pods with the same UID are the same pod; a pod without a UID is a separate
     * pod.
     */
    public record InFull(PodObject pod) implements Added {}

    /**
     * A pod of the cluster, like {@link InFull} with what the cluster knows about it.
     *
     * @param node the node to put it on; empty for the node that it is on
     */
    public record Known(PodKey pod, String node) implements Added {}
}
