package io.evenkeel.engine.memory;

/** Something that several users share: it counts its users, and is removed when the last one releases it. */
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
