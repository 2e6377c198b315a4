package io.evenkeel.kube.client;

import java.io.IOException;

/** The API server, or a proxy, sent bytes in an unexpected format. */
public final class MalformedAnswerException extends IOException {
    private static final long serialVersionUID = 1;

    public MalformedAnswerException(String what) {
        super(what);
    }
}
