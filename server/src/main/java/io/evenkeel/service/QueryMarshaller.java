package io.evenkeel.service;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.placement.PlacementHandler;
import io.evenkeel.placement.PodQuery;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;

/** Reads the requests of Filter, Score and Evaluate without parsing what is known of them. */
record QueryMarshaller(PlacementHandler handler, PodQuery.Kind kind)
        implements MethodDescriptor.Marshaller<PodQuery>, RequestParsing.BytesReader {
    @Override
    public PodQuery read(byte[] request) throws InvalidProtocolBufferException {
        return handler.read(kind, request);
    }

    @Override
    public PodQuery parse(InputStream stream) {
        try {
            return read(RequestParsing.bytes(stream));
        } catch (IOException e) {
            throw Status.INTERNAL.withCause(e).asRuntimeException();
        }
    }

    @Override
    public InputStream stream(PodQuery query) {
        throw new UnsupportedOperationException("queries are only read");
    }
}
