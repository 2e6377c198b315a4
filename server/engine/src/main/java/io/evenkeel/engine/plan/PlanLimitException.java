package io.evenkeel.engine.plan;

import java.io.Serial;

/**
 * Thrown if a plan is rejected because too much would be compiled for a call or held by calls. Nothing of the plan is
 * kept.
 */
public final class PlanLimitException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    public PlanLimitException(String message) {
        super(message);
    }
}
