package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Revision;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Tests how a server starts and stops. */
final class StopTest {
    @Test
    void close_letsNoCallHang() throws Exception {
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withStopWithin(Duration.ofMillis(50)))) {
            Revision now = server.zones(2, 1).getRevision();
            CompletableFuture<FilterResponse> waiting =
                    server.ask(TestServer.demanding(TestServer.after(now, 100), filter(web(hard(ZONE)))));
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            stream.write(TestServer.onStream(
                    1, EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build()));
            assertEquals(
                    1, stream.read().getResponse().getAnswers(0).getReadable().getPassedCount());
            // The call that waits is on the server once one that came after it was answered.
            assertEquals(2, server.status().getNodeCount());
            server.server.close();
            ExecutionException refused = assertThrows(ExecutionException.class, waiting::get);
            assertEquals(
                    Status.Code.UNAVAILABLE,
                    assertInstanceOf(StatusRuntimeException.class, refused.getCause())
                            .getStatus()
                            .getCode());
            assertThrows(StatusException.class, stream::read);
            assertThrows(StatusRuntimeException.class, server::status);
        }
    }

    @Test
    void port_isTaken_whileAServerListensThere() throws Exception {
        try (EvenkeelServer first = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            assertThrows(IOException.class, () -> EvenkeelServer.start(ServerOptions.onLoopback(first.port())));
        }
        EvenkeelServer again = EvenkeelServer.start(ServerOptions.onLoopback(0));
        again.close();
        again.close();
        again.awaitTermination();
    }

    @Test
    void server_runsOnTheTransportThatItIsGiven() throws Exception {
        NettyServerBuilder transport =
                NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (EvenkeelServer server = EvenkeelServer.start(transport, ServerOptions.onLoopback(7))) {
            assertTrue(server.port() > 7);
        }
    }
}
