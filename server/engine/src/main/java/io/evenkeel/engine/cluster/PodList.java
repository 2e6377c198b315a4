package io.evenkeel.engine.cluster;

import io.evenkeel.engine.memory.ListHeads;

/**
 * Doubly linked lists of pods, one per owner. An owner is a host or a label class. A pod is in one list at most. The
 * links are stored in the rows of the pod table, and the head of each list with its owner.
 */
public final class PodList {
    public static final int NONE = ListHeads.NONE;

    private final ListHeads heads;
    private final PodTable pods;
    private final int nextField;
    private final int previousField;

    /**
     * @param nextField the field of a pod's row for the next pod, NONE at the end; the field after it is for the
     *     previous one
     */
    public PodList(ListHeads heads, PodTable pods, int nextField) {
        this.heads = heads;
        this.pods = pods;
        this.nextField = nextField;
        this.previousField = nextField + 1;
    }

    public int first(int owner) {
        return heads.first(owner);
    }

    public int next(int pod) {
        return pods.get(pod, nextField);
    }

    public boolean isEmpty(int owner) {
        return heads.first(owner) == NONE;
    }

    public void add(int owner, int pod) {
        int first = heads.first(owner);
        pods.set(pod, nextField, first);
        pods.set(pod, previousField, NONE);
        if (first != NONE) {
            pods.set(first, previousField, pod);
        }
        heads.setFirst(owner, pod);
        heads.resize(owner, 1);
    }

    public void remove(int owner, int pod) {
        int before = pods.get(pod, previousField);
        int after = pods.get(pod, nextField);
        if (before == NONE) {
            heads.setFirst(owner, after);
        } else {
            pods.set(before, nextField, after);
        }
        if (after != NONE) {
            pods.set(after, previousField, before);
        }
        heads.resize(owner, -1);
    }
}
