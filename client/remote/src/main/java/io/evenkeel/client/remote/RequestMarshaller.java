package io.evenkeel.client.remote;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.InputStream;

/**
 * Marshals requests that are messages or already encoded.
 *
 * @param messages the marshaller for messages
 */
record RequestMarshaller<Q>(MethodDescriptor.Marshaller<Q> messages) implements MethodDescriptor.Marshaller<Object> {
    @Override
    @SuppressWarnings("unchecked") // A call only sends messages of its method.
    public InputStream stream(Object request) {
        return request instanceof byte[] encoded ? new Bytes(encoded) : messages.stream((Q) request);
    }

    @Override
    public Object parse(InputStream stream) {
        throw new UnsupportedOperationException("the client only sends requests");
    }

    private static final class Bytes extends ByteArrayInputStream implements KnownLength {
        Bytes(byte[] request) {
            super(request);
        }
    }
}
