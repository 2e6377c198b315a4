package io.evenkeel.engine.memory;

/**
 * Counts the users of a part of the index that several others share. The part is removed when its last user releases
 * it.
 */
public abstract class Shared {
    private int users;

    public final void retain() {
        users++;
    }

    /** Ends one use; returns whether it was the last one. The caller then removes the part. */
    public final boolean release() {
        if (users == 0) {
            throw new IllegalStateException("released more often than it was acquired");
        }
        return --users == 0;
    }

    public final int users() {
        return users;
    }
}
