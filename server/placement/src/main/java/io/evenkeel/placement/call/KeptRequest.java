package io.evenkeel.placement.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.v1.ErrorReason;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * A request that waits for a state. It keeps only the bytes, because a parsed request can take over twenty times as
 * much memory, and is parsed again before it is answered. Immutable.
 *
 * @param <A> the answer
 */
public record KeptRequest<A>(ByteString bytes, Reader<A> reader) {
    /** Reads and validates requests of one kind. */
    public interface Reader<A> {
        /**
         * Reads a request.
         *
         * @param over true once the call is cancelled or its deadline has passed
         * @throws InvalidProtocolBufferException if the bytes are malformed
         * @throws RequestException if the request is rejected
         */
        Prepared<A> read(byte[] request, BooleanSupplier over) throws InvalidProtocolBufferException;
    }

    /**
     * Reads and validates the request.
     *
     * @param over true once the call is cancelled or its deadline has passed
     * @throws RequestException if the request is rejected
     * @throws CancellationException soon after {@code over} returns true
     */
    Prepared<A> prepare(BooleanSupplier over) {
        try {
            return reader.read(bytes.toByteArray(), over);
        } catch (InvalidProtocolBufferException e) {
            // Cached parts may have been evicted meanwhile; then they are parsed only now.
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_MALFORMED_REQUEST, "the request is malformed protobuf: " + e.getMessage());
        }
    }
}
