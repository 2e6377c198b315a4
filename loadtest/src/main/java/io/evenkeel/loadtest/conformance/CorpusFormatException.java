package io.evenkeel.loadtest.conformance;

import java.io.IOException;

/** A corpus file is not what it must be. The message says where, and what. */
final class CorpusFormatException extends IOException {
    private static final long serialVersionUID = 1;

    CorpusFormatException(String message) {
        super(message);
    }
}
