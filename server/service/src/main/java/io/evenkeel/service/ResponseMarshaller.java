package io.evenkeel.service;

import io.evenkeel.placement.answer.ResponseBytes;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

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

    /** Network transports drain it; in-process transports read it. Closing it releases the response. */
    private static final class Bytes extends InputStream implements Drainable, KnownLength {
        private @Nullable ResponseBytes response;
        private InputStream read = InputStream.nullInputStream();

        Bytes(ResponseBytes response) {
            this.response = response;
        }

        @Override
        public int drainTo(OutputStream target) throws IOException {
            ResponseBytes whole = response;
            if (whole == null) {
                return (int) read.transferTo(target);
            }
            whole.writeTo(target);
            close();
            return whole.size();
        }

        @Override
        public int available() throws IOException {
            ResponseBytes whole = response;
            return whole == null ? read.available() : whole.size();
        }

        @Override
        public int read() throws IOException {
            return begun().read();
        }

        @Override
        public int read(byte[] target, int at, int length) throws IOException {
            return begun().read(target, at, length);
        }

        private InputStream begun() {
            ResponseBytes whole = response;
            if (whole != null) {
                read = new ByteArrayInputStream(whole.toByteArray());
                close();
            }
            return read;
        }

        @Override
        public void close() {
            ResponseBytes whole = response;
            if (whole != null) {
                response = null;
                whole.release();
            }
        }
    }
}
