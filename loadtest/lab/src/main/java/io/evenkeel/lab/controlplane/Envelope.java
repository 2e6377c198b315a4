package io.evenkeel.lab.controlplane;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * The envelope of an object's protobuf bytes in the API and in etcd: {@code k8s\0}, followed by a
 * {@code runtime.Unknown} with the type as field 1 and the object as field 2.
 */
public final class Envelope {
    private static final ByteString MAGIC = ByteString.copyFrom("k8s\0", StandardCharsets.ISO_8859_1);
    private static final int TYPE = 1;
    private static final int RAW = 2;
    private static final int API_VERSION = 1;
    private static final int KIND = 2;

    private Envelope() {}

    /** The object in its envelope. */
    public static byte[] around(String apiVersion, String kind, ByteString object) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(object.size() + 64);
        ByteArrayOutputStream type = new ByteArrayOutputStream(32);
        try {
            CodedOutputStream typeOut = CodedOutputStream.newInstance(type);
            typeOut.writeString(API_VERSION, apiVersion);
            typeOut.writeString(KIND, kind);
            typeOut.flush();
            MAGIC.writeTo(bytes);
            CodedOutputStream out = CodedOutputStream.newInstance(bytes);
            out.writeByteArray(TYPE, type.toByteArray());
            out.writeBytes(RAW, object);
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * The object in the envelope.
     *
     * @throws IOException if the bytes are no envelope
     */
    public static ByteString open(ByteString envelope) throws IOException {
        if (!envelope.startsWith(MAGIC)) {
            throw new IOException("an object in protobuf must begin with 'k8s', was: "
                    + envelope.substring(0, Math.min(200, envelope.size())).toString(StandardCharsets.UTF_8));
        }
        return field(envelope.substring(MAGIC.size()), RAW);
    }

    /** The last value of a bytes field; empty if the field is missing. */
    public static ByteString field(ByteString message, int number) throws IOException {
        CodedInputStream in = message.newCodedInput();
        ByteString found = ByteString.EMPTY;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) == number
                    && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                found = in.readBytes();
            } else {
                in.skipField(tag);
            }
        }
        return found;
    }
}
