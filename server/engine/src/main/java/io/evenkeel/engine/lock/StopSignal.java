package io.evenkeel.engine.lock;

/**
 * Tells the engine to stop a call whose result nobody waits for anymore: the caller has gone, or the deadline has
 * passed. The engine asks between slices of work, in the thread of the call, while it holds its lock or not. So an
 * implementation must be quick and must not block.
 */
@FunctionalInterface
public interface StopSignal {
    /** For calls that always run to their end. */
    StopSignal NEVER = () -> false;

    /** Whether the call must stop. Once true, it stays true. */
    boolean isStopped();

    /**
     * Throws where the call must stop.
     *
     * @throws StoppedException where {@link #isStopped}
     */
    default void check() {
        if (isStopped()) {
            throw new StoppedException();
        }
    }
}
