package io.evenkeel.placement.call;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests of one method from their bytes, which must not change before they are answered. Thread-safe.
 *
 * @param <Q> the requests
 */
@FunctionalInterface
public interface BytesReader<Q> {
    /** The generated classes take about 5 microseconds per KiB. */
    int MAX_READ_AT_ONCE = 32 << 10;

    /**
     * Reads a request.
     *
     * @param stop called often, in this thread
     * @throws StoppedException soon after {@code stop} says so
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    Q read(byte[] request, StopSignal stop) throws InvalidProtocolBufferException;

    /** Like {@link #read}, but rejects malformed bytes. */
    default Q parse(byte[] request, StopSignal stop) {
        try {
            return read(request, stop);
        } catch (InvalidProtocolBufferException e) {
            throw RequestException.malformed(e);
        }
    }

    /**
     * Like {@link #read} if that takes well under a millisecond; otherwise returns null.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    default @Nullable Q readAtOnce(byte[] request) throws InvalidProtocolBufferException {
        return request.length <= MAX_READ_AT_ONCE ? read(request, StopSignal.NEVER) : null;
    }

    /**
     * A substitute for a request that is too large to be read, which is answered with {@code why}; null if the call
     * must end instead.
     *
     * @throws InvalidProtocolBufferException if the bytes are malformed
     */
    default @Nullable Q refuse(byte[] request, RequestException why) throws InvalidProtocolBufferException {
        return null;
    }
}
