package io.evenkeel.engine.memory;

/**
 * Thrown if a table of the engine has no room for an object or a question. Nothing was changed: the state is the same
 * as before the call.
 */
public final class CapacityException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CapacityException(String message) {
        super(message);
    }
}
