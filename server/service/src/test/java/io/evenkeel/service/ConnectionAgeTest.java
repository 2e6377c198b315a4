package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.Await;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientStreamTracer;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.stub.ClientCalls;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a server closes old connections without losing calls in progress on them. */
@Timeout(60)
final class ConnectionAgeTest {
    @Test
    void callsGoToAnotherConnection_whenTheirsIsOld_andStreamsGoOn() throws Exception {
        ServerOptions options = ServerOptions.onLoopback(0)
                .withTransport(TransportLimits.DEFAULT.withAge(Duration.ofSeconds(1)))
                .withStop(new StopTimes(Duration.ZERO, Duration.ofSeconds(1)));
        try (TestServer server = TestServer.start(options)) {
            server.zones(2, 1);
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            EvaluateRequest question =
                    EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();
            stream.write(TestServer.onStream(1, question));
            assertEquals(1, stream.read().getTag());
            SocketAddress first = connection(server.channel);
            Await.until(() -> !connection(server.channel).equals(first));
            stream.write(TestServer.onStream(2, question));
            assertEquals(2, stream.read().getTag());
        }
    }

    @Test
    void age_isNotNegative() {
        assertThrows(IllegalArgumentException.class, () -> TransportLimits.DEFAULT.withAge(Duration.ofSeconds(-1)));
    }

    /** The client's address of the connection that a call uses. */
    private static SocketAddress connection(Channel channel) {
        AtomicReference<SocketAddress> used = new AtomicReference<>();
        ClientStreamTracer.Factory seen = new ClientStreamTracer.Factory() {
            @Override
            public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
                return new ClientStreamTracer() {
                    @Override
                    public void streamCreated(Attributes transport, Metadata headers) {
                        used.set(transport.get(Grpc.TRANSPORT_ATTR_LOCAL_ADDR));
                    }
                };
            }
        };
        ClientCalls.blockingUnaryCall(
                channel,
                PlacementGrpc.getFilterMethod(),
                CallOptions.DEFAULT.withStreamTracerFactory(seen),
                filter(web(hard(ZONE))));
        return Objects.requireNonNull(used.get());
    }
}
