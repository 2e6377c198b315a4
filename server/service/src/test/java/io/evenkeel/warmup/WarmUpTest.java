package io.evenkeel.warmup;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.Await;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.BlockingClientCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that the warm-up ends, that nothing in it fails, and that nothing waits for it. */
@Timeout(60)
final class WarmUpTest {
    private final List<String> said = new ArrayList<>();
    private final Logger logger = Logger.getLogger(WarmUp.class.getName());

    private final Handler listener = new Handler() {
        @Override
        public void publish(LogRecord line) {
            said.add(line.getMessage() + ": " + line.getThrown());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @Test
    void warmUp_continuesOverManyConnections_withoutAComplaint() throws Exception {
        logger.addHandler(listener);
        listener.setLevel(Level.ALL);
        logger.setLevel(Level.ALL);
        AtomicInteger turns = new AtomicInteger();
        try {
            WarmUp warmUp = WarmUp.begin(
                    Duration.ofMinutes(1),
                    () -> {
                        turns.incrementAndGet();
                        return false;
                    },
                    Duration.ZERO);
            // By then the second server has had several connections.
            Await.until(() -> turns.get() >= 500);
            warmUp.end();
            warmUp.await();
        } finally {
            logger.setLevel(null);
            logger.removeHandler(listener);
        }
        assertEquals(List.of(), said);
    }

    /** Only the feed decides when a server is ready. */
    @Test
    void server_isReadyAtTheEndOfItsFirstSnapshot_whileItsWarmUpIsStuck() throws Exception {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch released = new CountDownLatch(1);
        try (TestServer server = TestServer.start()) {
            WarmUp warmUp = WarmUp.begin(
                            Duration.ofHours(1),
                            () -> {
                                stuck.countDown();
                                await(released);
                                return true;
                            },
                            Duration.ZERO)
                    .untilReady(server.server.instance().clusterState());
            stuck.await();
            try {
                BlockingClientCall<SyncRequest, SyncResponse> feed =
                        ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
                acknowledged(
                        feed,
                        SyncRequest.newBuilder()
                                .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                                .build());
                acknowledged(
                        feed,
                        SyncRequest.newBuilder()
                                .setObjects(Objects.newBuilder().addAllObjects(zones(2, 1)))
                                .build());
                assertFalse(server.status().getReady());
                assertEquals(ServingStatus.NOT_SERVING, health(server));
                acknowledged(
                        feed,
                        SyncRequest.newBuilder()
                                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                                .build());
                assertTrue(server.status().getReady());
                assertEquals(ServingStatus.SERVING, health(server));
                assertEquals(1, server.placement.filter(filter(web(hard(ZONE)))).getAnswersCount());
            } finally {
                released.countDown();
            }
            // It was asked to end.
            warmUp.await();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void acknowledged(BlockingClientCall<SyncRequest, SyncResponse> feed, SyncRequest request)
            throws Exception {
        assertTrue(feed.write(request));
        assertNotNull(feed.read());
    }

    private static ServingStatus health(TestServer server) {
        return HealthGrpc.newBlockingStub(server.channel)
                .check(HealthCheckRequest.newBuilder()
                        .setService(PlacementGrpc.SERVICE_NAME)
                        .build())
                .getStatus();
    }

    @Test
    void warmUp_endsWhenItsTimeIsOver() throws Exception {
        WarmUp warmUp = WarmUp.begin(Duration.ofMillis(500), () -> false, Duration.ZERO);
        assertTimeout(Duration.ofSeconds(30), warmUp::await);
    }

    /** Closing would take processor time from the first callers. */
    @Test
    void warmUp_closesNothing_beforeItHasRested() throws Exception {
        AtomicInteger turns = new AtomicInteger();
        WarmUp warmUp = WarmUp.begin(
                Duration.ofHours(1),
                () -> {
                    turns.incrementAndGet();
                    return false;
                },
                Duration.ofDays(1));
        Await.until(() -> turns.get() >= 10);
        warmUp.end();
        Thread.sleep(200);
        assertTrue(warmUp.isAlive());
        warmUp.interrupt();
        warmUp.await();
    }

    @Test
    void warmUp_endsWhenItIsReported() throws Exception {
        WarmUp warmUp = WarmUp.begin(Duration.ofHours(1), () -> true, Duration.ZERO);
        warmUp.end();
        assertTimeout(Duration.ofSeconds(30), warmUp::await);
    }
}
