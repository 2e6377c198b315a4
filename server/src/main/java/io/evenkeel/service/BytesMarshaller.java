package io.evenkeel.service;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;

/** Reads requests from their bytes, without the generated classes. */
record BytesMarshaller<Q>(Reader<Q> reader) implements MethodDescriptor.Marshaller<Q>, RequestParsing.BytesReader {
    interface Reader<Q> {
        Q read(byte[] request) throws InvalidProtocolBufferException;
    }

    @Override
    public Object read(byte[] request) throws InvalidProtocolBufferException {
        return reader.read(request);
    }

    @Override
    public Q parse(InputStream stream) {
        try {
            return reader.read(RequestParsing.bytes(stream));
        } catch (IOException e) {
            throw Status.INTERNAL.withCause(e).asRuntimeException();
        }
    }

    @Override
    public InputStream stream(Q request) {
        throw new UnsupportedOperationException("requests are only read");
    }
}
