package io.evenkeel.engine.memory;

import org.agrona.collections.IntArrayList;

/**
 * Assigns ids for tables that are arrays by id. The ids stay dense: a freed id is reused before a new one is made, the
 * most recently freed first.
 */
public final class RecycledIds {
    private final IntArrayList free = new IntArrayList();
    private int limit;

    public RecycledIds() {}

    /** A copy that assigns the same ids from now on. */
    public RecycledIds(RecycledIds other) {
        free.addAll(other.free);
        limit = other.limit;
    }

    /** Ids are below this. */
    public int limit() {
        return limit;
    }

    /** Whether all ids below {@code most} are in use. */
    public boolean areAllTaken(int most) {
        return free.isEmpty() && limit == most;
    }

    /** An id that is not in use. */
    public int take() {
        return free.isEmpty() ? limit++ : free.popInt();
    }

    /** Frees an id. */
    public void give(int id) {
        free.addInt(id);
    }
}
