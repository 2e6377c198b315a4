package io.evenkeel.cli;

import java.io.IOException;
import java.util.List;

/** Thrown if a command fails. The message gives the reason on one line. */
public final class CommandFailure extends IOException {
    private static final long serialVersionUID = 1;

    private final transient List<String> details;

    public CommandFailure(String message) {
        this(message, List.of());
    }

    /**
     * The failure of another program that the command ran.
     *
     * @param details the output of the program, shown below the message
     */
    public CommandFailure(String message, List<String> details) {
        super(message);
        this.details = List.copyOf(details);
    }

    List<String> details() {
        return details;
    }
}
