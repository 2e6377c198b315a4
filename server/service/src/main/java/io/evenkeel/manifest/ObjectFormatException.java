package io.evenkeel.manifest;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

/**
 * Thrown if an input cannot be read further: it is malformed or truncated, or a value has the wrong type. The message
 * names the position.
 */
public final class ObjectFormatException extends IOException {
    private static final long serialVersionUID = 1;

    private final transient List<String> others;

    ObjectFormatException(String message) {
        this(List.of(message));
    }

    /** @param messages a message for each problem, at least one */
    ObjectFormatException(List<String> messages) {
        super(messages.get(0));
        others = List.copyOf(messages.subList(1, messages.size()));
    }

    ObjectFormatException(String message, Throwable cause) {
        super(message, cause);
        others = List.of();
    }

    /** The problems other than that of the message. */
    public List<String> others() {
        return others;
    }

    @Override
    public String getMessage() {
        return Objects.requireNonNull(super.getMessage());
    }
}
