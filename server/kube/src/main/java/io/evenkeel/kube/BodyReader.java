package io.evenkeel.kube;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the body of an answer as it comes, in one thread after another. The next bytes come when a call has returned,
 * so a slow reader slows the sender down.
 */
interface BodyReader {
    /**
     * Reads the next bytes.
     *
     * @throws IOException where no more must come
     */
    void read(ByteBuffer more) throws IOException;

    /**
     * The body is complete.
     *
     * @throws IOException where it should have been longer
     */
    void end() throws IOException;
}
