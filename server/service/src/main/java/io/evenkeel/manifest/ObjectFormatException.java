package io.evenkeel.manifest;

import java.io.IOException;
import java.util.Objects;

/**
 * Thrown if an input cannot be read further: it is malformed or truncated, or a value has the wrong type. The message
 * names the position.
 */
public final class ObjectFormatException extends IOException {
    private static final long serialVersionUID = 1;

    ObjectFormatException(String message) {
        super(message);
    }

    ObjectFormatException(String message, Throwable cause) {
        super(message, cause);
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }
}
