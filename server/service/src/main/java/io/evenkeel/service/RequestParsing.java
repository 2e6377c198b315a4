package io.evenkeel.service;

import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.placement.call.BytesReader;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.grpc.Detachable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.protobuf.ProtoMethodDescriptorSupplier;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests of a service in place of grpc-java. Unknown fields are skipped and not kept, so that a whole pod
 * costs only its known fields. Malformed requests end the call with INVALID_ARGUMENT; grpc-java would use UNKNOWN.
 * Requests that take long to read are read by a pool.
 */
final class RequestParsing {
    /** Copying this many bytes takes some tens of microseconds. */
    private static final int MAX_COPIED = 192 << 10;

    /** Compressed requests must be inflated by the event loop, because gRPC releases the bytes afterwards. */
    private static final int MAX_INFLATED = 256 << 10;

    private RequestParsing() {}

    /** Represents a message that was not read or could not be parsed. */
    private record Refused(RequestException why) {
        static Refused malformed(InvalidProtocolBufferException e) {
            return new Refused(RequestException.malformed(e));
        }
    }

    /** In place of the marshaller of a method whose requests are read from byte arrays. */
    private record BytesMarshaller<Q>(BytesReader<Q> reader) implements MethodDescriptor.Marshaller<Q> {
        @Override
        public Q parse(InputStream stream) {
            throw new UnsupportedOperationException("requests are read from bytes");
        }

        @Override
        public InputStream stream(Q request) {
            throw new UnsupportedOperationException("requests are only read, not written");
        }
    }

    /** The same method, but with its requests read by {@code reader}. */
    static <Q, A> MethodDescriptor<Q, A> method(
            MethodDescriptor<?, ?> method, BytesReader<Q> reader, MethodDescriptor.Marshaller<A> answers) {
        return method.toBuilder(new BytesMarshaller<>(reader), answers).build();
    }

    /** A service with the name and the schema of {@code like}, and these methods. */
    static ServerServiceDefinition service(ServiceDescriptor like, List<ServerMethodDefinition<?, ?>> methods) {
        ServiceDescriptor.Builder descriptor = ServiceDescriptor.newBuilder(like.getName())
                .setSchemaDescriptor(ServedSchema.of(like.getSchemaDescriptor()));
        methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(service::addMethod);
        return service.build();
    }

    /** The same service, but with its requests read by this class. */
    static ServerServiceDefinition of(ServerServiceDefinition service, WorkerPools pools) {
        List<ServerMethodDefinition<?, ?>> methods = new ArrayList<>();
        for (ServerMethodDefinition<?, ?> method : service.getMethods()) {
            methods.add(of(method, pools));
        }
        return service(service.getServiceDescriptor(), methods);
    }

    private static <Q, A> ServerMethodDefinition<Object, A> of(ServerMethodDefinition<Q, A> method, WorkerPools pools) {
        MethodDescriptor<Q, A> descriptor = method.getMethodDescriptor();
        Marshaller marshaller = new Marshaller(reader(descriptor), parts(descriptor));
        return ServerMethodDefinition.create(
                descriptor.toBuilder(marshaller, descriptor.getResponseMarshaller())
                        .build(),
                (call, headers) -> new RequestListener<>(
                        call,
                        descriptor,
                        method.getServerCallHandler().startCall(typed(call), headers),
                        marshaller,
                        pools));
    }

    /** The call as the service sees it. */
    @SuppressWarnings("unchecked") // Only the method descriptor knows the type of requests.
    private static <Q, A> ServerCall<Q, A> typed(ServerCall<?, A> call) {
        return (ServerCall<Q, A>) call;
    }

    /** The reader for the requests of a method: its own, or one for the generated class. */
    private static BytesReader<?> reader(MethodDescriptor<?, ?> method) {
        if (method.getRequestMarshaller() instanceof BytesMarshaller<?> own) {
            return own.reader;
        }
        MethodDescriptor.PrototypeMarshaller<?> generated =
                (MethodDescriptor.PrototypeMarshaller<?>) method.getRequestMarshaller();
        Message prototype = (Message) Objects.requireNonNull(generated.getMessagePrototype());
        Parser<?> parser = DiscardUnknownFieldsParser.wrap(prototype.getParserForType());
        return parsing(parser);
    }

    private static <Q> BytesReader<Q> parsing(Parser<Q> parser) {
        return (request, stop) -> parser.parseFrom(request);
    }

    /** Null if the type of the requests is unknown: they are not protobuf, or their service has no descriptor. */
    private static @Nullable RequestParts parts(MethodDescriptor<?, ?> method) {
        return method.getSchemaDescriptor() instanceof ProtoMethodDescriptorSupplier schema
                ? new RequestParts(schema.getMethodDescriptor().getInputType())
                : null;
    }

    private static byte[] bytes(InputStream stream, int length) throws IOException {
        byte[] bytes = new byte[length];
        int read = stream.readNBytes(bytes, 0, length);
        if (read < length) {
            throw new IOException("a message of " + length + " bytes ended after " + read);
        }
        return bytes;
    }

    /**
     * The bytes of a request that takes too long to parse on the event loop. It must be read or dropped exactly once,
     * by any thread.
     */
    private record UnreadRequest(InputStream stream, int length) {
        byte[] bytes() throws IOException {
            try (stream) {
                return RequestParsing.bytes(stream, length);
            }
        }

        /** Releases the memory. */
        void drop() {
            try {
                stream.close();
            } catch (IOException e) {
                throw new IllegalStateException("closing memory throws nothing", e);
            }
        }
    }

    /** Converts the bytes of a request to a message, an {@link UnreadRequest} or a {@link Refused}. */
    private record Marshaller(
            BytesReader<?> reader, @Nullable RequestParts parts) implements MethodDescriptor.Marshaller<Object> {
        @Override
        public Object parse(InputStream stream) {
            try {
                boolean known = stream instanceof KnownLength;
                int length = known ? stream.available() : 0;
                if (length > MAX_COPIED && stream instanceof Detachable whole) {
                    return new UnreadRequest(whole.detach(), length);
                }
                byte[] bytes = known ? bytes(stream, length) : stream.readNBytes(MAX_INFLATED + 1);
                if (!known && bytes.length > MAX_INFLATED) {
                    return new Refused(RequestException.of(
                            ErrorReason.ERROR_REASON_LIMIT_EXCEEDED,
                            "a compressed request must have at most " + MAX_INFLATED
                                    + " bytes when inflated: send it uncompressed or in parts"));
                }
                OpenCall call = known ? null : OpenCall.current();
                if (call != null) {
                    call.inflatedTo(bytes.length);
                }
                Object read = reader.readAtOnce(bytes);
                return read == null ? new UnreadRequest(new ByteArrayInputStream(bytes), bytes.length) : read;
            } catch (InvalidProtocolBufferException e) {
                return Refused.malformed(e);
            } catch (IOException e) {
                // The bytes are in memory, so only inflating them can fail.
                return new Refused(RequestException.of(
                        ErrorReason.ERROR_REASON_MALFORMED_REQUEST,
                        "the request cannot be inflated: " + e.getMessage()));
            }
        }

        Object read(UnreadRequest request, StopSignal stop) {
            try {
                byte[] bytes = request.bytes();
                if (parts != null && parts.areTooMany(bytes)) {
                    RequestException why = RequestException.of(
                            ErrorReason.ERROR_REASON_LIMIT_EXCEEDED,
                            "a request must have at most " + RequestParts.MAX_PARTS
                                    + " messages and strings: send it in parts");
                    Object answered = reader.refuse(bytes, why);
                    return answered == null ? new Refused(why) : answered;
                }
                return reader.read(bytes, stop);
            } catch (InvalidProtocolBufferException e) {
                return Refused.malformed(e);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public InputStream stream(Object value) {
            throw new UnsupportedOperationException("requests are only read, not written");
        }
    }

    /**
     * Passes on the messages of one call in order, reads long ones on a pool, and ends the call at the first one that
     * could not be read.
     */
    private static final class RequestListener<Q, A> extends ServerCall.Listener<Object> {
        private final ServerCall<Object, A> call;
        private final MethodDescriptor<Q, A> method;
        private final ServerCall.Listener<Q> typed;
        private final Marshaller marshaller;
        private final WorkerPools pools;

        /** The steps of the call; null until a request is read by a pool. */
        private @Nullable CallSteps steps;

        private boolean failed;

        RequestListener(
                ServerCall<Object, A> call,
                MethodDescriptor<Q, A> method,
                ServerCall.Listener<Q> typed,
                Marshaller marshaller,
                WorkerPools pools) {
            this.call = call;
            this.method = method;
            this.typed = typed;
            this.marshaller = marshaller;
            this.pools = pools;
        }

        @Override
        public void onMessage(Object message) {
            if (message instanceof UnreadRequest unread) {
                readLater(unread);
            } else {
                inOrder(() -> take(message));
            }
        }

        /** Runs a step, after the steps that are still to be run. */
        private void inOrder(Runnable step) {
            CallSteps under = steps;
            if (under == null) {
                step.run();
            } else {
                under.run(step);
            }
        }

        private void readLater(UnreadRequest unread) {
            CallSteps under = steps;
            if (under == null) {
                under = new CallSteps(this::fail);
                steps = under;
            }
            under.runOn(
                    pools.reading(method.getFullMethodName(), unread.length()),
                    () -> {
                        if (failed || call.isCancelled()) {
                            unread.drop();
                        } else {
                            take(unread);
                        }
                    },
                    // A stream has at most one message waiting, and must not fail because other calls have many.
                    !method.getType().clientSendsOneMessage(),
                    refused -> {
                        unread.drop();
                        fail(refused);
                    });
        }

        private void take(UnreadRequest unread) {
            Object message;
            try {
                message = marshaller.read(unread, call::isCancelled);
            } catch (StoppedException e) {
                // The call has been cancelled.
                return;
            }
            take(message);
        }

        @SuppressWarnings("unchecked") // The marshaller returns what the method accepts.
        private void take(Object message) {
            if (failed) {
                return;
            }
            if (message instanceof Refused refused) {
                fail(refused.why);
            } else {
                typed.onMessage((Q) message);
            }
        }

        private void fail(Throwable error) {
            if (!failed) {
                failed = true;
                StatusErrors.close(call, error);
            }
        }

        @Override
        public void onHalfClose() {
            inOrder(() -> {
                if (!failed) {
                    typed.onHalfClose();
                }
            });
        }

        /** Not queued as a step, because it ends the current step. */
        @Override
        public void onCancel() {
            typed.onCancel();
        }

        @Override
        public void onComplete() {
            inOrder(() -> {
                if (failed) {
                    // To the service, this is a cancelled call.
                    typed.onCancel();
                } else {
                    typed.onComplete();
                }
            });
        }

        @Override
        public void onReady() {
            inOrder(typed::onReady);
        }
    }
}
