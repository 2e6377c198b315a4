package io.evenkeel.access;

import java.io.IOException;

/** Says what is wrong in a file, and where. It never quotes a secret. */
final class FileFormatException extends IOException {
    private static final long serialVersionUID = 1;

    FileFormatException(String message) {
        super(message);
    }

    FileFormatException(int line, String message) {
        super("line " + line + ": " + message);
    }
}
