package io.evenkeel.kube;

import java.io.IOException;

/**
 * Reads the body of an answer as it comes, in one thread after another. The next bytes come when a call has returned,
 * so a slow reader slows the sender down.
 */
interface BodyReader {
    /**
     * Reads the next bytes: those from {@code from} up to {@code to}, which are valid during the call alone.
     *
     * @throws IOException where no more must come
     */
    void read(byte[] bytes, int from, int to) throws IOException;

    /**
     * The body is complete.
     *
     * @throws IOException where it should have been longer
     */
    void end() throws IOException;
}
