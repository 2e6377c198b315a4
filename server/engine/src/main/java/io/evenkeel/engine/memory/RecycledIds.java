package io.evenkeel.engine.memory;

import org.agrona.collections.IntArrayList;

/**
 * Hands out ids for tables that are arrays by id. The ids stay dense: an id that was given back is handed out again
 * before there is a new one, the last one first.
 */
public final class RecycledIds {
    private final IntArrayList free = new IntArrayList();
    private int limit;

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

    /** Takes an id back. */
    public void give(int id) {
        free.addInt(id);
    }
}
