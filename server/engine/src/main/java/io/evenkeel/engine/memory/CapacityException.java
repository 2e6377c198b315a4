package io.evenkeel.engine.memory;

/**
 * Thrown when a table of the engine is full, so that an object or a question cannot be taken in. Nothing was changed: the
 * state is as it was before the call.
 */
public final class CapacityException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CapacityException(String message) {
        super(message);
    }
}
