package io.evenkeel.loadtest.load;

import com.google.protobuf.MessageLite;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.IdentityHashMap;
import java.util.List;

/** Sends requests that were encoded ahead. Safe for use by several threads. */
final class EncodedRequests<Q extends MessageLite> implements MethodDescriptor.Marshaller<Q> {
    private final IdentityHashMap<Q, byte[]> bytes = new IdentityHashMap<>();

    EncodedRequests(List<Q> requests) {
        for (Q request : requests) {
            bytes.put(request, request.toByteArray());
        }
    }

    /** The same method, sending these requests. */
    <A> MethodDescriptor<Q, A> sentBy(MethodDescriptor<Q, A> method) {
        return method.toBuilder(this, method.getResponseMarshaller()).build();
    }

    @Override
    public InputStream stream(Q request) {
        byte[] encoded = bytes.get(request);
        if (encoded == null) {
            throw new IllegalArgumentException("the request must be one of those that were encoded ahead");
        }
        return new Encoded(encoded);
    }

    @Override
    public Q parse(InputStream stream) {
        throw new UnsupportedOperationException("a client parses no requests");
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
