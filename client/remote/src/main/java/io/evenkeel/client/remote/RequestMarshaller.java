package io.evenkeel.client.remote;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.Payload;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.InputStream;

/**
 * Marshals requests that are messages or already encoded.
 *
 * @param messages the marshaller for messages
 */
record RequestMarshaller<Q extends MessageLite>(MethodDescriptor.Marshaller<Q> messages)
        implements MethodDescriptor.Marshaller<Payload<Q>> {
    @Override
    public InputStream stream(Payload<Q> request) {
        Q message = request.message();
        return message == null ? new Bytes(request.bytes()) : messages.stream(message);
    }

    @Override
    public Payload<Q> parse(InputStream stream) {
        throw new UnsupportedOperationException("the client only sends requests");
    }

    private static final class Bytes extends ByteArrayInputStream implements KnownLength {
        Bytes(byte[] request) {
            super(request);
        }
    }
}
