package io.evenkeel.engine;

/**
 * Doubly linked lists of pods, one for each owner (a host, a label class); a pod is in one list at most. The links stand in the rows of the pod table, the first pod of each list
 * with its owner.
 */
final class PodList {
    static final int NONE = -1;

    /** Where the lists begin. */
    interface Heads {
        /** The first pod of an owner, NONE where the list is empty. */
        int first(int owner);

        void setFirst(int owner, int pod);

        /** The list has got longer by {@code by}, which may be negative; owners that need no length count none. */
        default void resize(int owner, int by) {}
    }

    private final Heads heads;
    private final PodTable pods;
    private final int nextField;
    private final int previousField;

    /** @param nextField the field of a pod's row for the one that follows, NONE at the end; the field for the one before comes next */
    PodList(Heads heads, PodTable pods, int nextField) {
        this.heads = heads;
        this.pods = pods;
        this.nextField = nextField;
        this.previousField = nextField + 1;
    }

    int first(int owner) {
        return heads.first(owner);
    }

    int next(int pod) {
        return pods.get(pod, nextField);
    }

    boolean isEmpty(int owner) {
        return heads.first(owner) == NONE;
    }

    void add(int owner, int pod) {
        int first = heads.first(owner);
        pods.set(pod, nextField, first);
        pods.set(pod, previousField, NONE);
        if (first != NONE) {
            pods.set(first, previousField, pod);
        }
        heads.setFirst(owner, pod);
        heads.resize(owner, 1);
    }

    void remove(int owner, int pod) {
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
