package io.evenkeel.kube.client;

import java.io.IOException;

/**
 * Reads a response body as it arrives. Calls never overlap but may come from different threads. The next bytes arrive
 * only after a call has returned, so a slow reader slows down the sender.
 */
public interface BodyReader {
    /**
     * Reads the next bytes: those from {@code from} up to {@code to}, which are valid only during the call.
     *
     * @throws IOException to stop reading
     */
    void read(byte[] bytes, int from, int to) throws IOException;

    /**
     * Called when the body is complete.
     *
     * @throws IOException if the body was truncated
     */
    void end() throws IOException;
}
