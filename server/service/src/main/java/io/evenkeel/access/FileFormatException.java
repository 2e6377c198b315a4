package io.evenkeel.access;

import java.io.IOException;

/** Thrown if a file is malformed. The message says what is wrong and in which line, and never quotes a secret. */
final class FileFormatException extends IOException {
    private static final long serialVersionUID = 1;

    FileFormatException(String message) {
        super(message);
    }

    FileFormatException(int line, String message) {
        super("line " + line + ": " + message);
    }
}
