package io.evenkeel.kube;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Encodes lists, watch events and errors like the API server. */
final class Frames {
    private Frames() {}

    /** Writes fields. */
    private interface Fields {
        void write(CodedOutputStream output) throws IOException;
    }

    private static byte[] message(Fields fields) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            CodedOutputStream output = CodedOutputStream.newInstance(bytes);
            fields.write(output);
            output.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** An object in its envelope. */
    static byte[] envelope(String kind, byte[] raw) {
        byte[] unknown = message(output -> {
            output.writeByteArray(1, message(meta -> {
                meta.writeString(1, "v1");
                meta.writeString(2, kind);
            }));
            output.writeByteArray(2, raw);
            output.writeString(3, "");
            output.writeString(4, "");
        });
        return ByteString.copyFrom("k8s\0", StandardCharsets.US_ASCII)
                .concat(ByteString.copyFrom(unknown))
                .toByteArray();
    }

    /** A frame of a watch. */
    static byte[] frame(String type, String kind, byte[] raw) {
        byte[] event = message(output -> {
            output.writeString(1, type);
            output.writeByteArray(2, message(object -> object.writeByteArray(1, envelope(kind, raw))));
        });
        return ByteBuffer.allocate(Integer.BYTES + event.length)
                .putInt(event.length)
                .put(event)
                .array();
    }

    static byte[] list(String kind, long version, String continuation, List<byte[]> items) {
        return envelope(kind, message(list -> {
            list.writeByteArray(1, message(meta -> {
                meta.writeString(1, "");
                meta.writeString(2, Long.toString(version));
                meta.writeString(3, continuation);
            }));
            for (byte[] item : items) {
                list.writeByteArray(2, item);
            }
        }));
    }

    /** A Status. */
    static byte[] status(int code, String reason, String message) {
        return message(output -> {
            output.writeString(2, "Failure");
            output.writeString(3, message);
            output.writeString(4, reason);
            output.writeInt32(6, code);
        });
    }

    /** The object of a bookmark event. */
    static byte[] bookmark(long version, boolean endsList) {
        return message(output -> output.writeByteArray(1, message(meta -> {
            meta.writeString(6, Long.toString(version));
            if (endsList) {
                meta.writeByteArray(12, message(entry -> {
                    entry.writeString(1, "k8s.io/initial-events-end");
                    entry.writeString(2, "true");
                }));
            }
        })));
    }
}
