package io.evenkeel.kube.client;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Callbacks about a streamed response. They run in the thread that sent the request. */
public interface AnswerListener {
    /** The API server has accepted the request. Nothing of the body has been read yet. */
    void opened() throws IOException;

    /** The response has been open for a while and has not ended. */
    default void lasts() {}

    /** If this completes exceptionally, the connection is closed, reading stops, and the error is thrown. */
    default CompletableFuture<?> givenUp() {
        return new CompletableFuture<>();
    }
}
