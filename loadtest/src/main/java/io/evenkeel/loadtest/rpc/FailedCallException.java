package io.evenkeel.loadtest.rpc;

/** A call that was to be measured failed: there is no figure. */
final class FailedCallException extends Exception {
    private static final long serialVersionUID = 1L;

    FailedCallException(String message) {
        super(message);
    }
}
