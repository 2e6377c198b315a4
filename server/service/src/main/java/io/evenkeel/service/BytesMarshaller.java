package io.evenkeel.service;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.placement.call.RequestException;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A marshaller that reads requests from byte arrays: on the event loop if that is quick, otherwise on a pool.
 *
 * @param atOnce reads requests that take well under a millisecond, and returns null for others
 * @param refusals creates substitutes for requests that are rejected before they are read; null if their call ends
 *     instead
 */
record BytesMarshaller<Q>(
        Reader<Q> reader, QuickReader<Q> atOnce, @Nullable RefusalReader<Q> refusals)
        implements MethodDescriptor.Marshaller<Q>, RequestParsing.BytesReader {
    /** The generated classes take about 5 microseconds per KiB. */
    private static final int MAX_READ_AT_ONCE = 32 << 10;

    interface Reader<Q> {
        /**
         * Reads a request.
         *
         * @param isCancelled true once the call is cancelled or its deadline has passed
         */
        Q read(byte[] request, BooleanSupplier isCancelled) throws InvalidProtocolBufferException;
    }

    interface QuickReader<Q> {
        @Nullable
        Q read(byte[] request) throws InvalidProtocolBufferException;
    }

    interface RefusalReader<Q> {
        /** The request that the service answers with {@code why}. */
        Q refuse(byte[] request, RequestException why) throws InvalidProtocolBufferException;
    }

    BytesMarshaller(Reader<Q> reader, QuickReader<Q> atOnce) {
        this(reader, atOnce, null);
    }

    /** A marshaller that reads short requests at once. */
    BytesMarshaller(Reader<Q> reader) {
        this(reader, request -> request.length <= MAX_READ_AT_ONCE ? reader.read(request, () -> false) : null);
    }

    @Override
    public Object read(byte[] request, BooleanSupplier isCancelled) throws InvalidProtocolBufferException {
        return reader.read(request, isCancelled);
    }

    @Override
    public @Nullable Object readAtOnce(byte[] request) throws InvalidProtocolBufferException {
        return atOnce.read(request);
    }

    @Override
    public @Nullable Object refuse(byte[] request, RequestException why) throws InvalidProtocolBufferException {
        return refusals == null ? null : refusals.refuse(request, why);
    }

    @Override
    public Q parse(InputStream stream) {
        try {
            return reader.read(RequestParsing.bytes(stream), () -> false);
        } catch (IOException e) {
            throw Status.INTERNAL.withCause(e).asRuntimeException();
        }
    }

    @Override
    public InputStream stream(Q request) {
        throw new UnsupportedOperationException("requests are only read, not written");
    }
}
