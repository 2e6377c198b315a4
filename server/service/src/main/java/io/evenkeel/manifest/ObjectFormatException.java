package io.evenkeel.manifest;

import java.io.IOException;
import java.util.Objects;

/**
 * Says that an input cannot be read any further: it is malformed or cut short, or a value has the wrong type. The
 * message says where.
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
