package io.evenkeel.kube;

import java.io.IOException;
import java.time.Duration;

/** The API server has refused a request, or has ended a watch by an error. */
public final class ApiException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final Duration retryAfter;

    /**
     * @param status the HTTP status, or the code of the error event
     * @param message what the API server says
     * @param retryAfter how long it asks to wait; zero where it does not
     */
    ApiException(int status, String message, Duration retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /** The HTTP status, or the code of the error event. */
    public int status() {
        return status;
    }

    /** How long the API server asks to wait before the next attempt; zero where it does not. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Whether the version or the page that was asked for is too old. */
    boolean isGone() {
        return status == 410;
    }

    /** Whether the API server takes no more requests for a while. */
    boolean isBusy() {
        return status == 429;
    }

    /** Whether the same request may succeed soon: the API server is busy, or has failed. */
    boolean isPassing() {
        return isBusy() || status >= 500;
    }

    /** Whether it does not take such a request, whoever asks and when. */
    boolean isInvalidRequest() {
        return status == 400 || status == 422;
    }
}
