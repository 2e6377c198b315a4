package io.evenkeel.engine.plan;

import java.io.Serial;

/**
 * Thrown when a plan was refused, because too much would be compiled for a call or held by calls. Nothing of the plan was
 * kept.
 */
public final class PlanLimitException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    PlanLimitException(String message) {
        super(message);
    }
}
