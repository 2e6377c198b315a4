package io.evenkeel.service;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import java.time.Duration;

/** A stream whose answers the caller must read. Thread-safe. */
interface AnsweredStream {
    /** Aborts the stream. */
    void end(Throwable why);

    /**
     * Aborts the stream if the client has left answers unread for longer than {@code longestNanos}. Returns whether it
     * did.
     *
     * @param longest the part of it that does not depend on the size of the answers
     */
    boolean endIfUnread(long longestNanos, Duration longest);

    /** Why a stream is aborted whose answers were not read for that long. */
    static RequestException unread(Duration longest) {
        return RequestException.of(
                ErrorReason.ERROR_REASON_ANSWERS_UNREAD,
                "answers were not read within " + longest + ": read them as they arrive");
    }
}
