package io.evenkeel.client.remote;

import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.InputStream;

/** Sends requests that are encoded already. */
final class EncodedMarshaller implements MethodDescriptor.Marshaller<byte[]> {
    static final EncodedMarshaller INSTANCE = new EncodedMarshaller();

    private EncodedMarshaller() {}

    @Override
    public InputStream stream(byte[] request) {
        return new Bytes(request);
    }

    @Override
    public byte[] parse(InputStream stream) {
        throw new UnsupportedOperationException("requests are only sent");
    }

    private static final class Bytes extends ByteArrayInputStream implements KnownLength {
        Bytes(byte[] request) {
            super(request);
        }
    }
}
