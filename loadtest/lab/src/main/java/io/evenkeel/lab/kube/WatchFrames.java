package io.evenkeel.lab.kube;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Divides the bytes of a watch into frames, and counts them. A frame is a 4-byte big-endian length and the event.
 * Larger frames than asked for are skipped without a copy. One thread at a time may add bytes; any thread may read the
 * count.
 */
final class WatchFrames {
    private final int largest;
    private final Kept kept;
    private final ByteArrayOutputStream frame = new ByteArrayOutputStream();
    private final AtomicLong count = new AtomicLong();

    /** The number of bytes read of the next frame's length, and their value. */
    private int lengthBytes;

    private int length;

    /** The remaining bytes of the current frame; 0 between frames. */
    private int rest;

    /** Receives the events of frames, without their length. */
    interface Kept {
        void frame(byte[] event) throws IOException;
    }

    /** @param largest the size of the largest event that is kept */
    WatchFrames(int largest, Kept kept) {
        this.largest = largest;
        this.kept = kept;
    }

    /** The number of complete frames. */
    long count() {
        return count.get();
    }

    /** Adds the next bytes. */
    void read(ByteBuffer bytes) throws IOException {
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
            lengthBytes = 0;
            frame.reset();
        }
    }

    private void readFrame(ByteBuffer bytes) throws IOException {
        int now = Math.min(rest, bytes.remaining());
        if (length <= largest) {
            byte[] part = new byte[now];
            bytes.get(part);
            frame.writeBytes(part);
        } else {
            bytes.position(bytes.position() + now);
        }
        rest -= now;
        if (rest == 0) {
            count.incrementAndGet();
            if (length <= largest) {
                kept.frame(frame.toByteArray());
            }
            length = 0;
        }
    }
}
