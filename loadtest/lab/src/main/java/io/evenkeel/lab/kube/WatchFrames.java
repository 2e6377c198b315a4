package io.evenkeel.lab.kube;

import io.evenkeel.lab.controlplane.WatchEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Parses the events in the bytes of a watch. A frame is a 4-byte big-endian length and the event. Not thread-safe. */
final class WatchFrames {
    private static final int LENGTH = 4;

    /** Receives the events of a watch. */
    interface Events {
        void event(WatchEvent event) throws IOException;
    }

    private final Events events;
    private byte[] bytes = new byte[64 << 10];
    private int size;

    WatchFrames(Events events) {
        this.events = events;
    }

    /** Adds the next bytes, and reports the events that they complete. */
    void read(ByteBuffer more) throws IOException {
        int added = more.remaining();
        if (size + added > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + added));
        }
        more.get(bytes, size, added);
        size += added;
        int from = 0;
        while (size - from >= LENGTH) {
            int length = ByteBuffer.wrap(bytes, from, LENGTH).getInt();
            if (size - from - LENGTH < length) {
                break;
            }
            events.event(WatchEvent.of(Arrays.copyOfRange(bytes, from + LENGTH, from + LENGTH + length)));
            from += LENGTH + length;
        }
        System.arraycopy(bytes, from, bytes, 0, size - from);
        size -= from;
    }
}
