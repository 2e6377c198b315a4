package io.evenkeel.engine.lock;

/**
 * Tells the engine that nobody waits for a call's result any more: the caller has gone, or its time is up. The engine
 * asks between slices of work, from the thread that called, with and without its lock; so an implementation must be
 * quick and must not block.
 */
@FunctionalInterface
public interface StopSignal {
    /** For calls that run to their end. */
    StopSignal NEVER = () -> false;

    /** Whether the call is to end; once true, always true. */
    boolean isStopped();

    /**
     * Ends the call where the signal says so.
     *
     * @throws StoppedException where the call is to end
     */
    default void check() {
        if (isStopped()) {
            throw new StoppedException();
        }
    }
}
