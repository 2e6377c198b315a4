package io.evenkeel.loadtest.rpc;

import java.io.IOException;

/** A call that was to be measured failed: there is no figure. */
final class FailedCallException extends IOException {
    private static final long serialVersionUID = 1L;

    FailedCallException(String message) {
        super(message);
    }
}
