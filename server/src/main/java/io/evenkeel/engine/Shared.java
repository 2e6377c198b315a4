package io.evenkeel.engine;

/** A part of the index that several others rest on; it is taken out of the index when the last of them lets go. */
abstract class Shared {
    private int users;

    final void retain() {
        users++;
    }

    /** Whether that was the last use; the caller then takes it out. */
    final boolean release() {
        if (users == 0) {
            throw new IllegalStateException("let go of more often than it was taken");
        }
        return --users == 0;
    }

    final int users() {
        return users;
    }
}
