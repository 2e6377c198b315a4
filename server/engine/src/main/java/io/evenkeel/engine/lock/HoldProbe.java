package io.evenkeel.engine.lock;

/** Is told how long each hold of the engine's lock took; for measurements. Safe for use by several threads. */
public interface HoldProbe {
    /**
     * The calling thread's time in nanoseconds, from 1 up; asked when it gets the lock, and before it lets it go. A
     * hold is the difference.
     */
    long now();

    /** The calling thread has let the lock go, which it held so long: for writing, or for reading. */
    void held(boolean writing, long nanos);
}
