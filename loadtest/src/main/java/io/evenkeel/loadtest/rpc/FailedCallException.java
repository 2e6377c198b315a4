package io.evenkeel.loadtest.rpc;

import java.io.IOException;

/** Thrown if a measured call failed, so that there is no figure. */
final class FailedCallException extends IOException {
    private static final long serialVersionUID = 1L;

    FailedCallException(String message) {
        super(message);
    }
}
