package io.evenkeel.manifest;

import java.io.IOException;

/** Thrown if a watch ends with an ERROR event. */
public final class WatchErrorException extends IOException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final String reason;

    WatchErrorException(String message, int code, String reason) {
        super(message);
        this.code = code;
        this.reason = reason;
    }

    /** The HTTP status code in the event's Status: 410 if the watch began too long ago; 0 if there is none. */
    public int code() {
        return code;
    }

    /** The reason in the event's Status, such as {@code Expired}; empty if there is none. */
    public String reason() {
        return reason;
    }
}
