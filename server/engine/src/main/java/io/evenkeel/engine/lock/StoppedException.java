package io.evenkeel.engine.lock;

import java.io.Serial;

/**
 * Thrown when a {@link StopSignal} stops a call before its result is complete. What the call built for itself is
 * released; results that it has already written are incomplete.
 */
public final class StoppedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    StoppedException() {
        // Has no stack trace: this is not a programming error, and many calls may be stopped at once.
        super("the call was stopped before it completed", null, false, false);
    }
}
