package io.evenkeel.lab.controlplane;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * A watch event, as encoded in its frame.
 *
 * @param type such as {@code ADDED}
 * @param object its bytes, without the envelope
 */
public record WatchEvent(String type, ByteString object) {
    private static final int TYPE = 1;
    private static final int OBJECT = 2;
    private static final int RAW = 1;

    /** The event in a frame, without the frame's length. */
    static WatchEvent of(ByteString frame) throws IOException {
        return new WatchEvent(
                Envelope.field(frame, TYPE).toStringUtf8(),
                Envelope.open(Envelope.field(Envelope.field(frame, OBJECT), RAW)));
    }

    /** A frame with the event, without its length. */
    byte[] frame(String apiVersion, String kind) {
        ByteString raw = bytes(RAW, ByteString.copyFrom(Envelope.around(apiVersion, kind, object)));
        return bytes(TYPE, ByteString.copyFromUtf8(type))
                .concat(bytes(OBJECT, raw))
                .toByteArray();
    }

    private static ByteString bytes(int field, ByteString value) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(value.size() + 8);
        try {
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.writeBytes(field, value);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ByteString.copyFrom(bytes.toByteArray());
    }
}
