package io.evenkeel.client.remote;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.InputStream;

/**
 * Sends requests that are messages, and requests that are encoded already.
 *
 * @param messages sends the messages
 */
record RequestMarshaller<Q>(MethodDescriptor.Marshaller<Q> messages) implements MethodDescriptor.Marshaller<Object> {
    @Override
    @SuppressWarnings("unchecked") // Whoever makes the call sends messages of its method.
    public InputStream stream(Object request) {
        return request instanceof byte[] encoded ? new Bytes(encoded) : messages.stream((Q) request);
    }

    @Override
    public Object parse(InputStream stream) {
        throw new UnsupportedOperationException("requests are only sent");
    }

    private static final class Bytes extends ByteArrayInputStream implements KnownLength {
        Bytes(byte[] request) {
            super(request);
        }
    }
}
