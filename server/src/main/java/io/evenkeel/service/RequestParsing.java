package io.evenkeel.service;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.grpc.ForwardingServerCallListener;
import io.grpc.KnownLength;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How requests are read from the wire: unknown fields are skipped without being kept, so that a whole pod costs what is known of it; and bytes that are no message end the call
 * with INVALID_ARGUMENT, where grpc-java would say UNKNOWN.
 */
final class RequestParsing {
    private RequestParsing() {}

    /** What stands in for a message that could not be parsed. */
    private record Malformed(String why) {}

    /** A request marshaller that reads requests in its own way. */
    interface BytesReader {
        Object read(byte[] request) throws InvalidProtocolBufferException;
    }

    /** The same service, reading its requests so. */
    static ServerServiceDefinition of(ServerServiceDefinition service) {
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
        for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
            methods.add(of(method));
        }
        return BoundMethods.service(service.getServiceDescriptor(), methods);
    }

    private static <Q, A> ServerMethodDefinition<Object, A> of(ServerMethodDefinition<Q, A> method) {
        MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
        return ServerMethodDefinition.create(
                descriptor.toBuilder(new Marshaller(reader(descriptor)), descriptor.getResponseMarshaller())
                        .build(),
                new Handler<>(descriptor, method.getServerCallHandler()));
    }

    /** How requests of a method are read, unless it says so itself. */
    private static BytesReader reader(MethodDescriptor<?, ?> method) {
        if (method.getRequestMarshaller() instanceof BytesReader own) {
            return own;
        }
        MethodDescriptor.PrototypeMarshaller<?> generated =
                (MethodDescriptor.PrototypeMarshaller<?>) method.getRequestMarshaller();
        Message prototype = (Message) Objects.requireNonNull(generated.getMessagePrototype());
        return DiscardUnknownFieldsParser.wrap(prototype.getParserForType())::parseFrom;
    }

    static byte[] bytes(InputStream stream) throws IOException {
        if (!(stream instanceof KnownLength)) {
            return stream.readAllBytes();
        }
        byte[] bytes = new byte[stream.available()];
        int read = stream.readNBytes(bytes, 0, bytes.length);
        if (read < bytes.length) {
            throw new IOException("a message of " + bytes.length + " bytes ended after " + read);
        }
        return bytes;
    }

    /** Answers messages, or {@link Malformed}. */
    private record Marshaller(BytesReader reader) implements MethodDescriptor.Marshaller<Object> {
        @Override
        public Object parse(InputStream stream) {
            try {
                return reader.read(bytes(stream));
            } catch (InvalidProtocolBufferException e) {
                return new Malformed(String.valueOf(e.getMessage()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public InputStream stream(Object value) {
            throw new UnsupportedOperationException("requests are only read");
        }
    }

    /** Hands messages on, and ends the call at the first that is none. */
    private static final class Handler<Q, A> implements ServerCallHandler<Object, A> {
        private final MethodDescriptor<Q, A> method;
        private final ServerCallHandler<Q, A> delegate;

        Handler(MethodDescriptor<Q, A> method, ServerCallHandler<Q, A> delegate) {
            this.method = method;
            this.delegate = delegate;
        }

        @Override
        public ServerCall.Listener<Object> startCall(ServerCall<Object, A> call, Metadata headers) {
            ServerCall.Listener<Q> listener = delegate.startCall(new TypedServerCall<>(call, method), headers);
            return new Listener<>(call, listener);
        }
    }

    private static final class Listener<Q, A> extends ForwardingServerCallListener<Object> {
        private final ServerCall<Object, A> call;
        private final ServerCall.Listener<Q> typed;
        private boolean malformed;

        Listener(ServerCall<Object, A> call, ServerCall.Listener<Q> typed) {
            this.call = call;
            this.typed = typed;
        }

        @Override
        @SuppressWarnings("unchecked") // Everything but onMessage is the same for all types.
        protected ServerCall.Listener<Object> delegate() {
            return (ServerCall.Listener<Object>) typed;
        }

        @Override
        public void onMessage(Object message) {
            if (message instanceof Malformed bytes) {
                malformed = true;
                call.close(
                        Status.INVALID_ARGUMENT.withDescription("the request is malformed protobuf: " + bytes.why),
                        new Metadata());
            } else if (!malformed) {
                super.onMessage(message);
            }
        }

        @Override
        public void onHalfClose() {
            if (!malformed) {
                super.onHalfClose();
            }
        }

        @Override
        public void onComplete() {
            if (malformed) {
                // To the service the call did not end well.
                super.onCancel();
            } else {
                super.onComplete();
            }
        }
    }
}
