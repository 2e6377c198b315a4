package io.evenkeel.loadtest.load;

import com.google.protobuf.MessageLite;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A request that was encoded before the measurement, so that the encoding is not measured. Immutable. */
public final class EncodedRequest {
    private static final MethodDescriptor.Marshaller<EncodedRequest> MARSHALLER = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(EncodedRequest request) {
            return new Encoded(request.bytes);
        }

        @Override
        public EncodedRequest parse(InputStream stream) {
            throw new UnsupportedOperationException("a client does not parse requests");
        }
    };

    private final byte[] bytes;

    public EncodedRequest(MessageLite request) {
        bytes = request.toByteArray();
    }

    /** The size in bytes. */
    public int size() {
        return bytes.length;
    }

    /** The same method, for requests that are already encoded. */
    public static <A> MethodDescriptor<EncodedRequest, A> sentBy(MethodDescriptor<?, A> method) {
        return method.toBuilder(MARSHALLER, method.getResponseMarshaller()).build();
    }

    private static final class Encoded extends ByteArrayInputStream implements Drainable, KnownLength {
        Encoded(byte[] bytes) {
            super(bytes);
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            int length = count - pos;
            target.write(buf, pos, length);
            pos = count;
            return length;
        }
    }
}
