package io.evenkeel.manifest;

import java.io.IOException;

/** A watch ended with an ERROR event. */
public final class WatchErrorException extends IOException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final String reason;

    WatchErrorException(String message, int code, String reason) {
        super(message);
        this.code = code;
        this.reason = reason;
    }

    /** The HTTP status code of the event's Status, as 410 where the watch began too long ago; 0 where it names none. */
    public int code() {
        return code;
    }

    /** The reason of the event's Status, as {@code Expired}; empty where it names none. */
    public String reason() {
        return reason;
    }
}
