package io.evenkeel.engine.lock;

import java.io.Serial;

/**
 * Thrown when a call was stopped by its {@link StopSignal} before its result was complete. What the call built for itself
 * is released; results that it has written so far are incomplete.
 */
public final class StoppedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    StoppedException() {
        // Without a stack trace: this is no programming error, and many calls may be stopped at once.
        super("the call was stopped before it was done", null, false, false);
    }
}
