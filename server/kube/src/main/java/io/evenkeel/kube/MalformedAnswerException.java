package io.evenkeel.kube;

import java.io.IOException;

/** The API server, or something between, sent bytes that are not what was asked for. */
final class MalformedAnswerException extends IOException {
    private static final long serialVersionUID = 1;

    MalformedAnswerException(String what) {
        super(what);
    }
}
