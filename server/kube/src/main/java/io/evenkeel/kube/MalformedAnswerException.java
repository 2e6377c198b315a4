package io.evenkeel.kube;

import java.io.IOException;

/** The API server, or a proxy, sent bytes in an unexpected format. */
final class MalformedAnswerException extends IOException {
    private static final long serialVersionUID = 1;

    MalformedAnswerException(String what) {
        super(what);
    }
}
