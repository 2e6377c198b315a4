package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads the frames of a watch, wherever its bytes are split.
 *
 * <pre>
 *   frame      = 4 bytes of length, the highest first; then WatchEvent { type = 1, object = 2 }
 *   object     = RawExtension { raw = 1: envelope of the object }
 * </pre>
 */
final class WatchReader implements BodyReader {
    /** Much more than etcd stores of one object. */
    private static final int MOST_IN_A_FRAME = 64 << 20;

    private static final int TYPE = WireCursor.delimited(1);
    private static final int OBJECT = WireCursor.delimited(2);
    private static final int RAW = WireCursor.delimited(1);

    /** Takes the events of a watch. */
    interface Events {
        /** Takes an event, whose object's bytes are those from {@code from} up to {@code to}. */
        void event(String type, byte[] bytes, int from, int to) throws IOException;

        /** All events that have come were given. */
        void pause() throws IOException;
    }

    private final ByteWindow window = new ByteWindow();
    private final Events events;

    WatchReader(Events events) {
        this.events = events;
    }

    @Override
    public void read(ByteBuffer more) throws IOException {
        window.append(more);
        boolean any = false;
        while (window.size() >= Integer.BYTES) {
            int length = length();
            if (length <= 0 || length > MOST_IN_A_FRAME) {
                throw new MalformedAnswerException("a frame of the watch has " + Integer.toUnsignedString(length)
                        + " bytes, which is no length of a frame");
            }
            if (window.size() - Integer.BYTES < length) {
                break;
            }
            int from = window.from() + Integer.BYTES;
            frame(window.bytes(), from, from + length);
            window.skip(Integer.BYTES + length);
            any = true;
        }
        if (any) {
            events.pause();
        }
    }

    private int length() {
        return ByteBuffer.wrap(window.bytes()).getInt(window.from());
    }

    private void frame(byte[] bytes, int from, int to) throws IOException {
        WireCursor wire = new WireCursor(bytes, from, to);
        String type = "";
        Envelope.Place object = null;
        try {
            while (wire.next()) {
                if (wire.tag() == TYPE) {
                    type = wire.readText();
                } else if (wire.tag() == OBJECT) {
                    int outer = wire.enter();
                    object = object(wire);
                    wire.leave(outer);
                } else {
                    wire.skip();
                }
            }
        } catch (InvalidProtocolBufferException e) {
            throw new MalformedAnswerException("a frame of the watch is no event: " + e.getMessage());
        }
        if (object == null) {
            throw new MalformedAnswerException("an event of the watch has no object");
        }
        events.event(type, bytes, object.from(), object.to());
    }

    private static Envelope.Place object(WireCursor wire) throws IOException {
        Envelope.Place object = null;
        while (wire.next()) {
            if (wire.tag() == RAW) {
                wire.readBytes();
                object = Envelope.open(wire.bytes(), wire.from(), wire.position());
            } else {
                wire.skip();
            }
        }
        if (object == null) {
            throw new MalformedAnswerException("an event of the watch has no object");
        }
        return object;
    }

    @Override
    public void end() throws IOException {
        if (window.size() > 0) {
            throw new IOException("the connection ended within an event");
        }
    }
}
