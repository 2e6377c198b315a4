package io.evenkeel.service;

import io.evenkeel.placement.answer.ResponseBytes;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A marshaller that passes serialized responses to gRPC. */
final class ResponseMarshaller implements MethodDescriptor.Marshaller<ResponseBytes> {
    static final ResponseMarshaller INSTANCE = new ResponseMarshaller();

    private ResponseMarshaller() {}

    @Override
    public InputStream stream(ResponseBytes response) {
        return new Bytes(response);
    }

    @Override
    public ResponseBytes parse(InputStream stream) {
        throw new UnsupportedOperationException("responses are only written, not read");
    }

    /** gRPC drains it. Closing it releases the response. */
    @SuppressWarnings("InputStreamSlowMultibyteRead") // It is never read.
    private static final class Bytes extends InputStream implements Drainable, KnownLength {
        private final ResponseBytes response;
        private boolean closed;

        Bytes(ResponseBytes response) {
            this.response = response;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            response.writeTo(target);
            close();
            return response.size();
        }

        @Override
        public int available() {
            return response.size();
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("responses are drained");
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                response.release();
            }
        }
    }
}
