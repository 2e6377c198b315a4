package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import io.evenkeel.engine.Await;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests long streams of services that do not know the server's limits. In total they carry more bytes than the server
 * can hold at the same time.
 */
@Timeout(60)
final class LongStreamTest {
    private static final int MESSAGE_BYTES = 256 << 10;
    private static final int ANSWERS = 8;
    private static final int MESSAGES = 2 * ServerOptions.DEFAULT_MAX_MESSAGE_BYTES / MESSAGE_BYTES;

    private static final MethodDescriptor<BytesValue, BytesValue> REPEAT =
            MethodDescriptor.<BytesValue, BytesValue>newBuilder()
                    .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
                    .setFullMethodName("test.Repeater/Repeat")
                    .setRequestMarshaller(ProtoUtils.marshaller(BytesValue.getDefaultInstance()))
                    .setResponseMarshaller(ProtoUtils.marshaller(BytesValue.getDefaultInstance()))
                    .build();

    private static final MethodDescriptor<BytesValue, BytesValue> TELL = REPEAT.toBuilder()
            .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
            .setFullMethodName("test.Repeater/Tell")
            .build();

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestServer server = TestServer.start(ServerOptions.onLoopback(0)
            .withMeters(meters)
            .withFurtherServices(repeater())
            .withTransport(TransportLimits.DEFAULT.withBytesInFlight(ServerOptions.DEFAULT_MAX_MESSAGE_BYTES)));

    private static BindableService repeater() {
        return () -> ServerServiceDefinition.builder("test.Repeater")
                .addMethod(REPEAT, ServerCalls.asyncBidiStreamingCall(LongStreamTest::repeat))
                .addMethod(TELL, ServerCalls.asyncServerStreamingCall(LongStreamTest::tell))
                .build();
    }

    /** Sends the message repeatedly, and continues to accept requests. */
    private static void tell(BytesValue message, StreamObserver<BytesValue> answers) {
        for (int i = 0; i < ANSWERS; i++) {
            answers.onNext(message);
        }
    }

    private static StreamObserver<BytesValue> repeat(StreamObserver<BytesValue> answers) {
        return new StreamObserver<>() {
            @Override
            public void onNext(BytesValue message) {
                answers.onNext(message);
            }

            @Override
            public void onError(Throwable broken) {}

            @Override
            public void onCompleted() {
                answers.onCompleted();
            }
        };
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void furtherService_continues_afterMoreBytesThanMayBeHeld() throws Exception {
        BlockingClientCall<BytesValue, BytesValue> call =
                ClientCalls.blockingBidiStreamingCall(server.channel, REPEAT, CallOptions.DEFAULT);
        BytesValue message = BytesValue.of(ByteString.copyFrom(new byte[MESSAGE_BYTES]));
        for (int i = 0; i < MESSAGES; i++) {
            call.write(message);
            assertEquals(message, call.read(), "answer " + i);
        }
        call.halfClose();
        assertEquals(null, call.read());
        assertNothingRefused();
    }

    @Test
    void reflection_continues_afterMoreBytesThanMayBeHeld() throws Exception {
        BlockingClientCall<ServerReflectionRequest, ServerReflectionResponse> call =
                ServerReflectionGrpc.newBlockingV2Stub(server.channel).serverReflectionInfo();
        ServerReflectionRequest question = ServerReflectionRequest.newBuilder()
                .setHost("h".repeat(MESSAGE_BYTES))
                .setListServices("")
                .build();
        for (int i = 0; i < MESSAGES; i++) {
            call.write(question);
            List<?> services = call.read().getListServicesResponse().getServiceList();
            assertEquals(6, services.size(), "answer " + i);
        }
        call.halfClose();
        assertEquals(null, call.read());
        assertNothingRefused();
    }

    @Test
    void answersThatWereRead_areNotHeld_whileTheirStreamIsOpen() throws Exception {
        BytesValue message = BytesValue.of(ByteString.copyFrom(new byte[MESSAGE_BYTES]));
        BlockingClientCall<?, BytesValue> call =
                ClientCalls.blockingV2ServerStreamingCall(server.channel, TELL, CallOptions.DEFAULT, message);
        for (int i = 0; i < ANSWERS; i++) {
            assertEquals(message, call.read());
        }
        // Except for the request, which may get more answers.
        Await.until(() ->
                meters.get("evenkeel.server.bytes").tag("of", "queries").gauge().value() <= 2 * MESSAGE_BYTES);
        call.cancel("done", null);
    }

    private void assertNothingRefused() {
        assertEquals(
                0,
                meters.get("evenkeel.server.refusals")
                        .tag("why", "bytes")
                        .counter()
                        .count());
    }
}
