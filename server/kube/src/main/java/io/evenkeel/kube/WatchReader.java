package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.kube.client.BodyReader;
import io.evenkeel.kube.client.Envelope;
import io.evenkeel.kube.client.MalformedAnswerException;
import io.evenkeel.objects.WireCursor;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads the frames of a watch that arrives in chunks of any size.
 *
 * <pre>
 *   frame      = 4 bytes of length, big-endian; then WatchEvent { type = 1, object = 2 }
 *   object     = RawExtension { raw = 1: envelope of the object }
 * </pre>
 */
final class WatchReader implements BodyReader {
    /** Much more than etcd stores for one object. */
    private static final int MAX_FRAME_BYTES = 64 << 20;

    private static final int TYPE = WireCursor.delimited(1);
    private static final int OBJECT = WireCursor.delimited(2);
    private static final int RAW = WireCursor.delimited(1);
    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    /** Receives the events of a watch. */
    interface Events {
        /**
         * Receives an event, whose object is the bytes from {@code from} to {@code to}. They do not change until
         * {@link #pause} is called.
         */
        void event(EventType type, byte[] bytes, int from, int to) throws IOException;

        /** All events received so far have been passed on. */
        void pause() throws IOException;
    }

    /** The first bytes of an incomplete frame. Most frames arrive whole and are read without a copy. */
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
        // After the pause, because the window may hold the frame that was just completed.
        window.append(bytes, next, to);
    }

    /** Completes a partial frame and reads it once it is whole. Returns the offset of the next frame. */
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

    /** Fills the window up to {@code size}, as far as bytes are available. Returns the offset after them. */
    private int fill(int size, byte[] bytes, int from, int to) {
        int end = Math.min(to, from + Math.max(0, size - window.size()));
        window.append(bytes, from, end);
        return end;
    }

    private static int length(byte[] bytes, int at) throws MalformedAnswerException {
        int length = (int) INTS.get(bytes, at);
        if (length <= 0 || length > MAX_FRAME_BYTES) {
            throw new MalformedAnswerException("watch frame has invalid length " + Integer.toUnsignedString(length));
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
            throw new MalformedAnswerException("watch frame is not a valid event: " + e.getMessage());
        }
        if (object == null) {
            throw new MalformedAnswerException("watch event has no object");
        }
        if (type == null) {
            throw new MalformedAnswerException("watch event has no type");
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
            throw new MalformedAnswerException("watch event has no object");
        }
        return object;
    }

    @Override
    public void end() throws IOException {
        if (window.size() > 0) {
            throw new IOException("the connection ended in the middle of an event");
        }
    }
}
