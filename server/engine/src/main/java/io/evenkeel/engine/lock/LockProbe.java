package io.evenkeel.engine.lock;

/** Measures how long holds of the engine's lock take. Implementations must be safe for use by several threads. */
public interface LockProbe {
    /**
     * The calling thread's time in nanoseconds, at least 1. The lock reads it when a thread gets the lock and before
     * the thread releases it; the difference is the length of the hold.
     */
    long now();

    /** Whether the next hold for reading is measured. Called by the thread that begins it. */
    default boolean timesNextRead() {
        return true;
    }

    /** Called after a thread has released the lock. It held the lock for {@code nanos}, for writing or for reading. */
    void held(boolean writing, long nanos);
}
