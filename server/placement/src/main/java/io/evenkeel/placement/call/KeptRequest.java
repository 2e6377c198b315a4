package io.evenkeel.placement.call;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.v1.ErrorReason;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * A request that waits for a state, as bytes: read, it may take more than twenty times as much memory. It is read again
 * when it is answered. Immutable.
 *
 * @param <A> the answer
 */
public record KeptRequest<A>(ByteString bytes, Reader<A> reader) {
    /** Reads and checks requests of one kind. */
    public interface Reader<A> {
        /**
         * Reads a request.
         *
         * @param over as in {@link Prepared#answer(BooleanSupplier)}
         * @throws InvalidProtocolBufferException where these are not the bytes of such a request
         * @throws RequestException where the request is refused
         */
        Prepared<A> read(byte[] request, BooleanSupplier over) throws InvalidProtocolBufferException;
    }

    /**
     * Reads and checks the request.
     *
     * @param over as in {@link Prepared#answer(BooleanSupplier)}
     * @throws RequestException where the request is refused
     * @throws CancellationException soon after {@code over} says so
     */
    Prepared<A> prepare(BooleanSupplier over) {
        try {
            return reader.read(bytes.toByteArray(), over);
        } catch (InvalidProtocolBufferException e) {
            // Parts that were known by their bytes are parsed now, if they are not known any more.
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_MALFORMED_REQUEST, "the request is malformed protobuf: " + e.getMessage());
        }
    }
}
