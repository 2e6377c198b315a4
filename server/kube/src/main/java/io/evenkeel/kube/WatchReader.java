package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.objects.WireCursor;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

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
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** Takes the events of a watch. */
    interface Events {
        /**
         * Takes an event, whose object's bytes are those from {@code from} up to {@code to}. They do not change until
         * {@link #pause} was called.
         */
        void event(EventType type, byte[] bytes, int from, int to) throws IOException;

        /** All events that have come were given. */
        void pause() throws IOException;
    }

    /** The first bytes of a frame of which more must come. Most frames come whole, and are read where they are. */
    private final ByteWindow window = new ByteWindow();

    private final Events events;

    WatchReader(Events events) {
        this.events = events;
    }

    @Override
    public void read(byte[] bytes, int from, int to) throws IOException {
        int next = complete(bytes, from, to);
        boolean any = next > from && window.size() == 0;
        int length;
        while (to - next >= Integer.BYTES && to - next - Integer.BYTES >= (length = length(bytes, next))) {
            int begin = next + Integer.BYTES;
            frame(bytes, begin, begin + length);
            next = begin + length;
            any = true;
        }
        if (any) {
            events.pause();
        }
        // After the pause, since the window may hold the frame that was completed.
        window.append(bytes, next, to);
    }

    /** Adds to the frame of which a part came before, and reads it once it is whole; returns where the next begins. */
    private int complete(byte[] bytes, int from, int to) throws IOException {
        int next = from;
        if (window.size() > 0) {
            next = fill(Integer.BYTES, bytes, next, to);
            if (window.size() >= Integer.BYTES) {
                int whole = Integer.BYTES + length(window.bytes(), window.from());
                next = fill(whole, bytes, next, to);
                if (window.size() == whole) {
                    frame(window.bytes(), window.from() + Integer.BYTES, window.to());
                    window.skip(whole);
                }
            }
        }
        return next;
    }

    /** Appends so many bytes that the window has {@code size}, as far as there are; returns the place after them. */
    private int fill(int size, byte[] bytes, int from, int to) {
        int end = Math.min(to, from + Math.max(0, size - window.size()));
        window.append(bytes, from, end);
        return end;
    }

    private static int length(byte[] bytes, int at) throws MalformedAnswerException {
        int length = (int) INTS.get(bytes, at);
        if (length <= 0 || length > MOST_IN_A_FRAME) {
            throw new MalformedAnswerException("a frame of the watch has " + Integer.toUnsignedString(length)
                    + " bytes, which is no length of a frame");
        }
        return length;
    }

    private void frame(byte[] bytes, int from, int to) throws IOException {
        WireCursor wire = new WireCursor(bytes, from, to);
        EventType type = null;
        Envelope.Place object = null;
        try {
            while (wire.next()) {
                if (wire.tag() == TYPE) {
                    wire.readString();
                    type = EventType.of(bytes, wire.from(), wire.position());
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
        if (type == null) {
            throw new MalformedAnswerException("an event of the watch has no type");
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
