package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Metadata;
import io.grpc.Status;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how several threads count the bytes that a call holds. */
@Timeout(60)
final class OpenCallTest {
    private static final int ROUNDS = 20_000;
    private static final int REQUEST_BYTES = 1 << 20;

    @Test
    void callThatEndsAsItsMessageIsAnswered_givesItsRoomBackOnce() throws Exception {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        AtomicInteger together = new AtomicInteger();
        OpenCall[] call = new OpenCall[1];
        try (OpenCalls calls = new OpenCalls(TransportLimits.DEFAULT, new RefusalMetrics(meters), meters)) {
            Thread worker = new Thread(() -> {
                for (int round = 0; round < ROUNDS; round++) {
                    meet(together);
                    call[0].requestIsAnswered();
                    meet(together);
                }
            });
            worker.setDaemon(true);
            worker.start();
            for (int round = 0; round < ROUNDS; round++) {
                call[0] = (OpenCall) calls.newServerStreamTracer("test.Echo/Echo", new Metadata());
                call[0].inboundWireSize(REQUEST_BYTES);
                meet(together);
                call[0].streamClosed(Status.CANCELLED);
                meet(together);
            }
            worker.join();
            assertEquals(
                    0,
                    meters.get("evenkeel.server.bytes")
                            .tag("of", "queries")
                            .gauge()
                            .value());
        }
    }

    /** Both threads continue at once. They spin, because waking a sleeping thread takes too long. */
    private static void meet(AtomicInteger arrived) {
        int all = (arrived.getAndIncrement() / 2 + 1) * 2;
        while (arrived.get() < all) {
            Thread.onSpinWait();
        }
    }
}
