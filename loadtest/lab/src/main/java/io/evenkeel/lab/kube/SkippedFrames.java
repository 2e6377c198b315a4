package io.evenkeel.lab.kube;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts the events in the bytes of a watch without parsing them. A frame is a 4-byte big-endian length and the event.
 * Also finds the end of a streaming list, which is a bookmark with an annotation. One thread at a time may add bytes;
 * any thread may read the results.
 */
final class SkippedFrames {
    /** A bookmark has only its kind, a version and an annotation. */
    private static final int LARGEST_BOOKMARK = 512;

    private static final String END = "k8s.io/initial-events-end";

    private final ByteArrayOutputStream small = new ByteArrayOutputStream(LARGEST_BOOKMARK);
    /** The number of bytes read of the next frame's length, and their value. */
    private int lengthBytes;

    private int length;

    /** The remaining bytes of the current frame; 0 between frames. */
    private int rest;

    private boolean kept;
    private final AtomicLong count = new AtomicLong();
    private volatile boolean listed;

    /** The number of complete frames. */
    long count() {
        return count.get();
    }

    /** Whether all initial objects have been received. */
    boolean listed() {
        return listed;
    }

    /** Adds the next bytes. */
    void skip(ByteBuffer bytes) {
        while (bytes.hasRemaining()) {
            if (rest == 0) {
                readLength(bytes.get());
            } else {
                readFrame(bytes);
            }
        }
    }

    private void readLength(byte next) {
        length = length << Byte.SIZE | Byte.toUnsignedInt(next);
        lengthBytes++;
        if (lengthBytes == Integer.BYTES) {
            rest = length;
            kept = length <= LARGEST_BOOKMARK;
            small.reset();
            length = 0;
            lengthBytes = 0;
        }
    }

    private void readFrame(ByteBuffer bytes) {
        int now = Math.min(rest, bytes.remaining());
        if (kept) {
            byte[] part = new byte[now];
            bytes.get(part);
            small.writeBytes(part);
        } else {
            bytes.position(bytes.position() + now);
        }
        rest -= now;
        if (rest == 0) {
            count.incrementAndGet();
            if (kept && small.toString(StandardCharsets.ISO_8859_1).contains(END)) {
                listed = true;
            }
        }
    }
}
