package io.evenkeel.lab.controlplane;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.lab.wire.Envelope;
import io.evenkeel.lab.wire.ObjectType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The protobuf bytes of an object in the API and in etcd: {@code k8s\0}, followed by an {@link Envelope}. */
public final class ObjectEnvelope {
    private static final ByteString MAGIC = ByteString.copyFrom("k8s\0", StandardCharsets.ISO_8859_1);

    private ObjectEnvelope() {}

    /** The object in its envelope. */
    public static ByteString around(ObjectKind kind, ByteString object) {
        return MAGIC.concat(Envelope.newBuilder()
                .setType(
                        ObjectType.newBuilder().setApiVersion(kind.apiVersion()).setKind(kind.kindName()))
                .setObject(object)
                .build()
                .toByteString());
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
        return Envelope.parseFrom(envelope.substring(MAGIC.size())).getObject();
    }
}
