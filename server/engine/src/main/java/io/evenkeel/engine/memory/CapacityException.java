package io.evenkeel.engine.memory;

/**
 * An object or a question has no room in one of the engine's tables. Nothing of it was taken in: everything is as it
 * was before.
 */
public final class CapacityException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public CapacityException(String message) {
        super(message);
    }
}
