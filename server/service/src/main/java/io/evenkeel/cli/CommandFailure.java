package io.evenkeel.cli;

import java.io.IOException;
import java.util.List;

/** A command cannot do what was asked. The message says why, in one line. */
public final class CommandFailure extends IOException {
    private static final long serialVersionUID = 1;

    private final transient List<String> details;

    public CommandFailure(String message) {
        this(message, List.of());
    }

    /**
     * A failure of another program that the command ran.
     *
     * @param details what that program said, a line each; shown as it is, below the message
     */
    public CommandFailure(String message, List<String> details) {
        super(message);
        this.details = List.copyOf(details);
    }

    List<String> details() {
        return details;
    }
}
