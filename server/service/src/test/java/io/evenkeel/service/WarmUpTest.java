package io.evenkeel.service;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.cordoned;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static io.evenkeel.v1.ClusterEvent.Type.TYPE_MODIFIED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodAnswer;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.stub.BlockingClientCall;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
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
    void warmUp_endsWhenItsTimeIsOver_withoutAComplaint() throws Exception {
        logger.addHandler(listener);
        try {
            WarmUp.begin(Duration.ofMillis(500), () -> false, Duration.ZERO).await();
        } finally {
            logger.removeHandler(listener);
        }
        assertEquals(List.of(), said);
    }

    /** The feed decides alone when a server is ready. */
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
            // It was told to end.
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

    /**
     * What was made while there was no node is what the first question uses, and says the same as what is made for it.
     */
    @Test
    void firstQuestion_usesWhatWasPrepared_andIsAnsweredAlike() throws Exception {
        try (TestServer prepared = TestServer.start();
                TestServer other = TestServer.start()) {
            WarmUp.prepare(prepared.server.instance());
            while (prepared.status().getPlanCount() < 12) {
                Thread.sleep(1);
            }
            long eligibilities = prepared.status().getEligibilityCount();
            assertTrue(eligibilities > 0);
            assertEquals(0, other.status().getEligibilityCount());
            List<ClusterObject> objects = new ArrayList<>(zones(3, 1, 2));
            objects.add(object(cordoned(node("cordoned", "z4"))));
            objects.add(object(node("without-a-zone", Map.of(HOSTNAME, "without-a-zone"))));
            other.clusterState.apply(apply(objects));
            prepared.clusterState.apply(apply(objects));
            assertAnswersAlike(other, prepared);
            // A node goes to another zone, one is cordoned, one loses its zone, and one goes.
            ApplyRequest changes = ApplyRequest.newBuilder()
                    .addEvents(event(TYPE_MODIFIED, object(node("z1", "z2"))))
                    .addEvents(event(TYPE_MODIFIED, object(cordoned(node("z3", "z3")))))
                    .addEvents(event(TYPE_MODIFIED, object(node("cordoned", Map.of(HOSTNAME, "cordoned")))))
                    .addEvents(deleted(object(node("without-a-zone", Map.of()))))
                    .build();
            other.clusterState.apply(changes);
            prepared.clusterState.apply(changes);
            assertAnswersAlike(other, prepared);
            assertEquals(eligibilities, prepared.status().getEligibilityCount());
        }
    }

    private static void assertAnswersAlike(TestServer expected, TestServer actual) {
        for (Pod pod : List.of(web(hard(ZONE)), web(soft(ZONE)), web(soft(ZONE), soft(HOSTNAME)))) {
            assertEquals(answersAbout(pod, expected), answersAbout(pod, actual), () -> "about " + pod);
        }
    }

    private static List<PodAnswer> answersAbout(Pod pod, TestServer server) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder().addPods(pod).build())
                .getAnswersList();
    }

    @Test
    void warmUp_endsWhenItIsTold() throws Exception {
        WarmUp warmUp = WarmUp.begin(Duration.ofHours(1), () -> true, Duration.ZERO);
        warmUp.end();
        warmUp.await();
    }
}
