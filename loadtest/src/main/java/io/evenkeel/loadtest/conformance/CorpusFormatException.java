package io.evenkeel.loadtest.conformance;

import java.io.IOException;

/** Thrown if a corpus file is malformed. The message gives the position and the reason. */
final class CorpusFormatException extends IOException {
    private static final long serialVersionUID = 1;

    CorpusFormatException(String message) {
        super(message);
    }
}
