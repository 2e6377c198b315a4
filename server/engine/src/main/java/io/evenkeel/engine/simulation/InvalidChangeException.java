package io.evenkeel.engine.simulation;

/** Rejects a change of a simulated cluster that its state does not allow. Nothing was changed. */
public final class InvalidChangeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    InvalidChangeException(String message) {
        super(message);
    }
}
