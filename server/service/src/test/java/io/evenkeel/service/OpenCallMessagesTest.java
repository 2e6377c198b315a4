package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests when the room of messages is released, and what is sent. */
final class OpenCallMessagesTest {
    private static final int MIB = 1 << 20;

    /** The bytes that a call can hold uncounted. */
    private static final int FREE = 4 << 10;

    private static final BytesValue SMALL = BytesValue.getDefaultInstance();
    private static final BytesValue LARGE = BytesValue.of(ByteString.copyFrom(new byte[MIB]));

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final OpenCalls calls = new OpenCalls(TransportLimits.DEFAULT, new RefusalMetrics(meters), meters);
    private final OpenCall open = (OpenCall) calls.newServerStreamTracer("test.Echo/Echo", new Metadata());
    private ServerCall<BytesValue, BytesValue> service = new Wire(MethodType.UNARY);
    private ServerCall.Listener<BytesValue> listener = new ServerCall.Listener<>() {};
    private Wire wire = new Wire(MethodType.UNARY);

    @AfterEach
    void stop() {
        calls.close();
    }

    private void begin(MethodType type) throws Exception {
        begin(new Wire(type));
    }

    private void begin(Wire transport) throws Exception {
        wire = transport;
        listener = open.filterContext(Context.ROOT)
                .call(() -> calls.interceptCall(wire, new Metadata(), (guarded, headers) -> {
                    service = guarded;
                    return new ServerCall.Listener<>() {};
                }));
    }

    private void receive(int number, int bytes) {
        open.inboundMessage(number);
        open.inboundWireSize(bytes);
        open.inboundMessageRead(number, bytes, bytes);
        listener.onMessage(SMALL);
    }

    private long held() {
        return (long)
                meters.get("evenkeel.server.bytes").tag("of", "queries").gauge().value();
    }

    @Test
    void answersOfAStream_keepTheirRoom_untilAllAreSent() throws Exception {
        begin(MethodType.BIDI_STREAMING);
        wire.ready = false;
        service.sendMessage(LARGE);
        assertEquals(LARGE.getSerializedSize(), held());
        receive(0, 1);
        service.sendMessage(LARGE);
        assertEquals(2L * LARGE.getSerializedSize(), held());
        wire.ready = true;
        listener.onReady();
        assertEquals(0, held());
        service.sendMessage(LARGE);
        assertEquals(LARGE.getSerializedSize(), held(), "the next one has room of its own");
        open.streamClosed(Status.OK);
        assertEquals(0, held());
    }

    @Test
    void answers_giveTheirRoomBackWithTheNextMessage_ifTheTransportIsAlwaysReady() throws Exception {
        begin(MethodType.BIDI_STREAMING);
        service.sendMessage(LARGE);
        assertEquals(LARGE.getSerializedSize(), held());
        receive(0, 1);
        assertEquals(0, held());
    }

    @Test
    void messageOfAStream_keepsItsRoom_untilItIsAnswered() throws Exception {
        begin(MethodType.BIDI_STREAMING);
        for (int number = 0; number < 3; number++) {
            receive(number, MIB);
            assertEquals(MIB - FREE, held());
            service.sendMessage(SMALL);
            assertEquals(0, held());
        }
    }

    /** While a message arrives or is handled, WatchUnblocked may send pods that an event has unblocked. */
    @Test
    void messageOfAWatch_keepsItsRoom_whateverIsSentMeanwhile() throws Exception {
        begin(new Wire(
                MethodType.BIDI_STREAMING,
                PlacementGrpc.getWatchUnblockedMethod().getFullMethodName()));
        open.inboundWireSize(MIB);
        service.sendMessage(SMALL);
        assertEquals(MIB - FREE, held(), "while it arrives");
        open.inboundWireSize(MIB);
        open.inboundMessageRead(0, 2 * MIB, 2 * MIB);
        listener.onMessage(SMALL);
        service.sendMessage(SMALL);
        assertEquals(2 * MIB - FREE, held(), "while it is handled");
        open.requestIsAnswered();
        assertEquals(0, held());
    }

    @Test
    void messageWithoutAnAnswer_keepsItsRoom_untilTheNextBegins() throws Exception {
        begin(MethodType.CLIENT_STREAMING);
        receive(0, 2 * MIB);
        assertEquals(2 * MIB - FREE, held());
        open.inboundWireSize(MIB);
        assertEquals(3 * MIB - FREE, held(), "both are held while the second comes");
        open.inboundMessageRead(1, MIB, MIB);
        listener.onMessage(SMALL);
        assertEquals(MIB - FREE, held(), "the second keeps its own");
        receive(2, 1);
        assertEquals(0, held());
    }

    @Test
    void messageThatWasCompressed_keepsTheRoomOfWhatItIs() throws Exception {
        begin(MethodType.BIDI_STREAMING);
        open.inboundWireSize(1);
        open.inboundMessageRead(0, 1, 1);
        open.inflatedTo(MIB);
        listener.onMessage(SMALL);
        assertEquals(MIB - FREE, held());
        service.sendMessage(SMALL);
        assertEquals(0, held());
    }

    @Test
    void requestOfAUnaryCall_keepsItsRoom_untilTheCallHasEnded() throws Exception {
        begin(MethodType.UNARY);
        receive(0, MIB);
        service.sendMessage(SMALL);
        assertEquals(MIB - FREE, held());
        open.streamClosed(Status.OK);
        assertEquals(0, held());
    }

    /** If the server is stopping, the thread of a closed connection may be gone. */
    @Test
    void answersAndEndOfACallThatIsCancelled_areNotGivenToItsTransport() throws Exception {
        begin(MethodType.BIDI_STREAMING);
        service.sendHeaders(new Metadata());
        service.sendMessage(SMALL);
        wire.cancelled = true;
        open.streamClosed(Status.CANCELLED);
        service.sendHeaders(new Metadata());
        service.sendMessage(LARGE);
        service.close(Status.OK, new Metadata());
        assertEquals(List.of("headers", "message"), wire.sent);
        assertEquals(0, held());
    }

    @Test
    void endOfACall_isGivenToItsTransport() throws Exception {
        begin(MethodType.UNARY);
        service.sendMessage(SMALL);
        service.close(Status.OK, new Metadata());
        assertEquals(List.of("message", "OK"), wire.sent);
    }

    /** A call whose transport is ready, and whose caller has cancelled it, whenever the test says so. */
    private static final class Wire extends UncarriedCall<BytesValue, BytesValue> {
        private final List<String> sent = new ArrayList<>();
        private boolean ready = true;
        private boolean cancelled;

        Wire(MethodType type) {
            this(type, "test.Echo/Echo");
        }

        Wire(MethodType type, String method) {
            super(
                    MethodDescriptor.<BytesValue, BytesValue>newBuilder()
                            .setType(type)
                            .setFullMethodName(method)
                            .setRequestMarshaller(ProtoUtils.marshaller(SMALL))
                            .setResponseMarshaller(ProtoUtils.marshaller(SMALL))
                            .build(),
                    Attributes.EMPTY);
        }

        @Override
        public boolean isReady() {
            return ready;
        }

        @Override
        public boolean isCancelled() {
            return cancelled;
        }

        @Override
        public void sendHeaders(Metadata headers) {
            sent.add("headers");
        }

        @Override
        public void sendMessage(BytesValue message) {
            sent.add("message");
        }

        @Override
        public void close(Status status, Metadata trailers) {
            sent.add(status.getCode().name());
        }
    }
}
