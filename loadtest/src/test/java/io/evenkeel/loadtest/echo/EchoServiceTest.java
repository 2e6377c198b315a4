package io.evenkeel.loadtest.echo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.evenkeel.loadtest.v1.EchoGrpc;
import io.evenkeel.loadtest.v1.EchoRequest;
import io.evenkeel.loadtest.v1.EchoResponse;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the echo service over the wire, on a server that also has the placement services. */
final class EchoServiceTest {
    private static EvenkeelServer server;
    private static ManagedChannel channel;

    @BeforeAll
    static void start() throws IOException {
        server = EvenkeelServer.start(ServerOptions.onLoopback(0).withFurtherServices(new EchoService()));
        channel = Grpc.newChannelBuilder("127.0.0.1:" + server.port(), InsecureChannelCredentials.create())
                .maxInboundMessageSize(32 << 20)
                .build();
    }

    @AfterAll
    static void stop() {
        channel.shutdownNow();
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "6, 3",
        "6, 0",
        "100, 129",
        "129, 131",
        "131, 16386",
        "1024, 16388",
        "16388, 1300",
        "500000, 5700",
        "700, 2097157"
    })
    void messages_haveTheSizesAskedFor(int requestBytes, int answerBytes) throws StatusException {
        EchoRequest request = EchoSize.request(requestBytes, answerBytes);
        EchoResponse answer = EchoGrpc.newBlockingV2Stub(channel).unary(request);
        assertEquals(requestBytes, request.getSerializedSize());
        assertEquals(answerBytes, answer.getSerializedSize());
    }

    @Test
    void messages_areOneByteSmaller_ifNoMessageHasTheSize() throws StatusException {
        EchoRequest request = EchoSize.request(130, 16_387);
        assertEquals(129, request.getSerializedSize());
        assertEquals(16_386, EchoGrpc.newBlockingV2Stub(channel).unary(request).getSerializedSize());
    }

    @Test
    void stream_answersInOrder() throws Exception {
        BlockingClientCall<EchoRequest, EchoResponse> stream = EchoGrpc.newBlockingV2Stub(channel).stream();
        for (int size = 3; size < 50; size++) {
            assertTrue(stream.write(EchoSize.request(600, size)));
        }
        stream.halfClose();
        for (int size = 3; size < 50; size++) {
            assertEquals(size, stream.read().getSerializedSize());
        }
        assertEquals(null, stream.read());
    }

    @Test
    void request_isRefused_whenItSaysNoLengthOrOneTooLarge() {
        for (ByteString payload : new ByteString[] {
            ByteString.EMPTY, ByteString.copyFrom(new byte[] {0, 0, 1}), ByteString.copyFrom(new byte[] {2, 0, 0, 0})
        }) {
            EchoRequest request = EchoRequest.newBuilder().setPayload(payload).build();
            StatusException refused = assertThrows(
                    StatusException.class,
                    () -> EchoGrpc.newBlockingV2Stub(channel).unary(request));
            assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
            assertTrue(refused.toString().contains("0 to 16777216"), refused::toString);
        }
    }

    @Test
    void requestTooSmallToSayALength_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> EchoSize.request(5, 100));
    }

    @Test
    void placementServices_areServedNextToIt() throws StatusException {
        assertEquals(
                0,
                ClusterStateGrpc.newBlockingV2Stub(channel)
                        .getStatus(GetStatusRequest.getDefaultInstance())
                        .getNodeCount());
    }
}
