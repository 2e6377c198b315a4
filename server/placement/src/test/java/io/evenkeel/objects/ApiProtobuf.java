package io.evenkeel.objects;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Message;
import com.google.protobuf.WireFormat;
import io.evenkeel.engine.model.Change;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists and watches in {@code application/vnd.kubernetes.protobuf}.
 *
 * <pre>
 * envelope = "k8s" 0, then Unknown { raw = 2 }
 * list     = envelope of { items = 2, repeated }
 * watch    = frames of a 4-byte big-endian length and
 *            WatchEvent { type = 1, object = 2 { raw = 1: envelope of the object } }
 * </pre>
 */
public final class ApiProtobuf {
    private static final int ENVELOPE_BYTES = 4;

    private ApiProtobuf() {}

    public static List<Message> objects(byte[] list, Message kind) throws IOException {
        List<Message> objects = new ArrayList<>();
        for (byte[] item : bytes(list)) {
            objects.add(parse(ByteString.copyFrom(item), kind));
        }
        return objects;
    }

    /** The objects as they are. */
    public static List<byte[]> bytes(byte[] list) throws IOException {
        return fields(unwrapped(ByteString.copyFrom(list)), 2).stream()
                .map(ByteString::toByteArray)
                .toList();
    }

    /** The events, without bookmarks. */
    public static List<WatchedObject> events(byte[] watch, Message kind) throws IOException {
        List<WatchedObject> events = new ArrayList<>();
        DataInputStream frames = new DataInputStream(new ByteArrayInputStream(watch));
        while (frames.available() > 0) {
            ByteString frame = ByteString.readFrom(new ByteArrayInputStream(frames.readNBytes(frames.readInt())));
            String type = fields(frame, 1).get(0).toStringUtf8();
            if (!type.equals("BOOKMARK")) {
                ByteString object = unwrapped(fields(fields(frame, 2).get(0), 1).get(0));
                events.add(new WatchedObject(Change.valueOf(type), parse(object, kind)));
            }
        }
        return events;
    }

    private static Message parse(ByteString bytes, Message kind) throws IOException {
        return DiscardUnknownFieldsParser.wrap(kind.getParserForType()).parseFrom(bytes);
    }

    private static ByteString unwrapped(ByteString envelope) throws IOException {
        if (!envelope.startsWith(ByteString.copyFromUtf8("k8s\0"))) {
            throw new IOException("not an envelope");
        }
        return fields(envelope.substring(ENVELOPE_BYTES), 2).get(0);
    }

    private static List<ByteString> fields(ByteString message, int number) throws IOException {
        List<ByteString> found = new ArrayList<>();
        CodedInputStream input = message.newCodedInput();
        for (int tag = input.readTag(); tag != 0; tag = input.readTag()) {
            if (tag == (number << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                found.add(input.readBytes());
            } else {
                input.skipField(tag);
            }
        }
        return found;
    }
}
