package io.evenkeel.loadtest.conformance;

import java.io.IOException;

/** Says that a corpus file has the wrong format. The message says where and why. */
final class CorpusFormatException extends IOException {
    private static final long serialVersionUID = 1;

    CorpusFormatException(String message) {
        super(message);
    }
}
