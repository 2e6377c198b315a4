package io.evenkeel.engine.lock;

import java.io.Serial;

/**
 * A call ended before its result was there, because its {@link StopSignal} asked for it. What it had built for itself
 * is let go; what it had answered so far is incomplete.
 */
public final class StoppedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    StoppedException() {
        // Without a stack trace: it tells no mistake, and many calls may end at once.
        super("the call was stopped before it was done", null, false, false);
    }
}
