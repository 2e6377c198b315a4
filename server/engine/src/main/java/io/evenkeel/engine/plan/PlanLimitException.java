package io.evenkeel.engine.plan;

import java.io.Serial;

/** A plan would have more compiled for a call, or held by calls, than may be. Nothing of it was kept. */
public final class PlanLimitException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    PlanLimitException(String message) {
        super(message);
    }
}
