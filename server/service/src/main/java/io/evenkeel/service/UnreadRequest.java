package io.evenkeel.service;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * The bytes of a request that takes too long to parse on the event loop. It must be read or dropped exactly once, by
 * any thread.
 */
final class UnreadRequest {
    private final InputStream stream;
    private final int length;

    /** @param stream the bytes, which this request closes */
    UnreadRequest(InputStream stream, int length) {
        this.stream = stream;
        this.length = length;
    }

    UnreadRequest(byte[] bytes) {
        this(new ByteArrayInputStream(bytes), bytes.length);
    }

    int length() {
        return length;
    }

    byte[] bytes() throws IOException {
        try (stream) {
            byte[] bytes = new byte[length];
            int read = stream.readNBytes(bytes, 0, length);
            if (read < length) {
                throw new IOException("a message of " + length + " bytes ended after " + read);
            }
            return bytes;
        }
    }

    /** Releases the memory. */
    void drop() {
        try {
            stream.close();
        } catch (IOException e) {
            throw new IllegalStateException("closing memory throws nothing", e);
        }
    }
}
