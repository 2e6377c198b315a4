package io.evenkeel.kube;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Hears of an answer that comes as a stream, in the thread that asked for it. */
interface AnswerListener {
    /** The API server accepts the request. No byte was read yet. */
    void opened() throws IOException;

    /** The answer has been open for a while, and goes on. */
    default void lasts() {}

    /** Where this completes with an error, the connection is closed, no more is read, and the error is thrown. */
    default CompletableFuture<?> givenUp() {
        return new CompletableFuture<>();
    }
}
