package io.evenkeel.engine.lock;

import java.io.Serial;
import java.util.concurrent.CancellationException;

/**
 * Thrown when a {@link StopSignal} stops a call before its result is complete. What the call built for itself is
 * released; results that it has already written are incomplete.
 */
public final class StoppedException extends CancellationException {
    @Serial
    private static final long serialVersionUID = 1L;

    StoppedException() {
        super("the call was cancelled, or its deadline passed, before it was complete");
    }

    /** Has no stack trace: this is not a programming error, and many calls may be stopped at once. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
