package io.evenkeel.cli;

import java.io.IOException;

/** A command cannot do what was asked, because of what it was given to read; the message, one line, says why. */
final class CommandFailure extends IOException {
    private static final long serialVersionUID = 1;

    CommandFailure(String message) {
        super(message);
    }
}
