package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request of a call, or a message on a stream: an object or its encoded form. Immutable, as long as the array is not
 * changed.
 *
 * @param <Q> the type of the object
 */
public final class Payload<Q extends MessageLite> {
    private final @Nullable Q message;
    private final byte @Nullable [] bytes;

    private Payload(@Nullable Q message, byte @Nullable [] bytes) {
        this.message = message;
        this.bytes = bytes;
    }

    static <Q extends MessageLite> Payload<Q> of(Q message) {
        return new Payload<>(message, null);
    }

    static <Q extends MessageLite> Payload<Q> encoded(byte[] bytes) {
        return new Payload<>(null, bytes);
    }

    /** The object; null if there are only bytes. */
    public @Nullable Q message() {
        return message;
    }

    /** The encoded form. An object is encoded each time. */
    public byte[] bytes() {
        return bytes == null ? Objects.requireNonNull(message).toByteArray() : bytes;
    }

    /** The size of the encoded form. */
    int size() {
        return bytes == null ? Objects.requireNonNull(message).getSerializedSize() : bytes.length;
    }
}
