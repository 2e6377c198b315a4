package io.evenkeel.kube.client;

import java.io.IOException;
import java.time.Duration;

/** The API server rejected a request, or ended a watch with an error. */
public final class ApiException extends IOException {
    private static final long serialVersionUID = 1;

    private final int status;
    private final Duration retryAfter;

    /**
     * @param status the HTTP status, or the code of the error event
     * @param message the message of the API server
     * @param retryAfter how long it asks the client to wait; zero if it does not say
     */
    public ApiException(int status, String message, Duration retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /** The HTTP status, or the code of the error event. */
    public int status() {
        return status;
    }

    /** How long the API server asks the client to wait before it retries; zero if it does not say. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** Whether the requested version or page has expired. */
    public boolean isGone() {
        return status == 410;
    }

    /** Whether the API server is throttling requests. */
    public boolean isBusy() {
        return status == 429;
    }

    /** Whether a retry may succeed soon, because the API server is busy or failed internally. */
    public boolean isPassing() {
        return isBusy() || status >= 500;
    }

    /** Whether the request itself is invalid, so that a retry cannot succeed. */
    public boolean isInvalidRequest() {
        return status == 400 || status == 422;
    }
}
