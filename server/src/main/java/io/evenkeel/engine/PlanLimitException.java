package io.evenkeel.engine;

import java.io.Serial;

/** What a call asks for would have more built, or kept, than it may. Nothing of it was kept. */
public final class PlanLimitException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    PlanLimitException(String message) {
        super(message);
    }
}
