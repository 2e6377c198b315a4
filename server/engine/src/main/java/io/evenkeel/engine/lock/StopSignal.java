package io.evenkeel.engine.lock;

/**
 * Signals the engine to stop a call whose result is no longer needed, because it is cancelled or its deadline has
 * passed. The engine checks it between slices of work, in the thread of the call, with or without the lock. So an
 * implementation must be quick and must not block.
 */
@FunctionalInterface
public interface StopSignal {
    /** For calls that always run to their end. */
    StopSignal NEVER = () -> false;

    /** Whether the call must stop. Once true, it stays true. */
    boolean isStopped();

    /**
     * Throws if the call must stop.
     *
     * @throws StoppedException if {@link #isStopped}
     */
    default void check() {
        if (isStopped()) {
            throw new StoppedException();
        }
    }
}
