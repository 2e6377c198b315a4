package io.evenkeel.engine.memory;

/** A part of the index that several others rest on; it is taken out of the index when the last of them lets go. */
public abstract class Shared {
    private int users;

    public final void retain() {
        users++;
    }

    /** Whether that was the last use; the caller then takes it out. */
    public final boolean release() {
        if (users == 0) {
            throw new IllegalStateException("let go of more often than it was taken");
        }
        return --users == 0;
    }

    public final int users() {
        return users;
    }
}
