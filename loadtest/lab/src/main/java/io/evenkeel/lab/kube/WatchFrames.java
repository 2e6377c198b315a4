package io.evenkeel.lab.kube;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import io.evenkeel.lab.controlplane.Envelope;
import io.evenkeel.v1.Pod;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Parses the events in the bytes of a watch. A frame is a 4-byte big-endian length and a {@code WatchEvent} with the
 * type as field 1 and the object as field 1 of field 2. Not thread-safe.
 */
final class WatchFrames {
    private static final int LENGTH = 4;

    /** Receives the events of a watch. */
    interface Events {
        /**
         * Receives the next event.
         *
         * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
         */
        void event(String type, ByteString envelope) throws IOException;
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
            event(ByteString.copyFrom(bytes, from + LENGTH, length));
            from += LENGTH + length;
        }
        System.arraycopy(bytes, from, bytes, 0, size - from);
        size -= from;
    }

    private void event(ByteString event) throws IOException {
        CodedInputStream in = event.newCodedInput();
        String type = "";
        ByteString object = ByteString.EMPTY;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (tag >>> 3) {
                case 1 -> type = in.readString();
                case 2 -> object = Envelope.field(in.readBytes(), 1);
                default -> in.skipField(tag);
            }
        }
        events.event(type, object);
    }

    /**
     * The resourceVersion of an object in its envelope. Works for every kind, because all have their metadata in the
     * same place.
     */
    static long version(ByteString envelope) throws IOException {
        return Long.parseLong(
                Pod.parseFrom(Envelope.open(envelope)).getMetadata().getResourceVersion());
    }
}
