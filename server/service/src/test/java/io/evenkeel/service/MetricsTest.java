package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the metrics of a server. */
final class MetricsTest {
    private static final String DURATION = "grpc.server.processing.duration";

    @Test
    @Timeout(30)
    void server_countsItsCallsByMethodAndStatus_andWhatItHolds() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(2, 1);
            server.placement.filter(filter(web(hard(ZONE)), web(soft(ZONE))));
            server.placement.filter(filter(web(hard(ZONE))));
            assertThrows(
                    StatusRuntimeException.class,
                    () -> server.placement.filter(filter(web()).toBuilder()
                            .setOptions(QueryOptions.newBuilder().setFormValue(7))
                            .build()));
            awaitCalls(meters, "OK", 2);
            awaitCalls(meters, "INVALID_ARGUMENT", 1);
            assertEquals(3, meters.get("evenkeel.pods.judged").functionCounter().count());
            assertEquals(
                    2, meters.get("evenkeel.plans.missed").functionCounter().count());
            assertEquals(
                    2, meters.get("evenkeel.plans.compiled").functionCounter().count());
            assertTrue(meters.get("evenkeel.writes.longest").timeGauge().value(TimeUnit.NANOSECONDS) > 0);
            assertEquals(
                    (double) server.status().getRevision().getCounter(),
                    meters.get("evenkeel.revision").gauge().value());
        }
        assertNull(meters.find("evenkeel.revision").gauge(), "what a stopped server held");
    }

    @Test
    @Timeout(30)
    void oneMessageInSixteenOfAStream_isTimed() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(2, 1);
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            for (int tag = 1; tag <= 17; tag++) {
                stream.write(TestServer.onStream(
                        tag,
                        EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build()));
                assertEquals(tag, stream.read().getTag());
            }
            Timer times = meters.get("evenkeel.stream.message.duration")
                    .tag("method", "EvaluateStream")
                    .timer();
            assertEquals(2, times.count());
            assertTrue(times.totalTime(TimeUnit.NANOSECONDS) > 0);
            assertEquals(
                    10,
                    times.takeSnapshot()
                            .histogramCounts()[times.takeSnapshot().histogramCounts().length - 1]
                            .bucket(TimeUnit.SECONDS));
        }
    }

    @Test
    @Timeout(30)
    void refusedCalls_areCountedByReason() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            assertThrows(StatusRuntimeException.class, () -> server.placement.filter(filter(web(hard(ZONE)))));
            server.zones(2, 1);
            assertThrows(
                    StatusRuntimeException.class,
                    () -> server.placement.filter(filter(web()).toBuilder()
                            .setOptions(QueryOptions.newBuilder().setFormValue(7))
                            .build()));
            assertEquals(1, refused(meters, "not_fed"));
            assertEquals(1, refused(meters, "invalid_field"));
            assertEquals(0, refused(meters, "other"));
        }
    }

    private static double refused(MeterRegistry meters, String reason) {
        return meters.get("evenkeel.calls.refused")
                .tag("reason", reason)
                .counter()
                .count();
    }

    @Test
    void assumptions_areCountedByOutcome() {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(1);
            server.clusterState.assume(AssumeRequest.newBuilder()
                    .addPods(assumed("a", server.nodeNames().get(0)))
                    .addPods(assumed("b", "nowhere"))
                    .addPods(assumed("c", "nowhere"))
                    .build());
            assertEquals(1, assumed(meters, "counted"));
            assertEquals(2, assumed(meters, "node_unknown"));
            assertEquals(0, assumed(meters, "deleted"));
        }
    }

    private static AssumedPod assumed(String uid, String node) {
        return AssumedPod.newBuilder()
                .setPod(Pod.newBuilder()
                        .setMetadata(ObjectMeta.newBuilder()
                                .setNamespace("shop")
                                .setName(uid)
                                .setUid(uid)))
                .setNode(node)
                .build();
    }

    private static double assumed(MeterRegistry meters, String outcome) {
        return meters.get("evenkeel.assumptions")
                .tag("outcome", outcome)
                .functionCounter()
                .count();
    }

    @Test
    @Timeout(30)
    void callsUnderWay_areTold_whileTheyLast() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(1);
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            stream.write(TestServer.onStream(
                    1, EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build()));
            assertEquals(1, stream.read().getTag());
            assertEquals(1, callsUnderWay(meters, "stream"));
            stream.halfClose();
            assertNull(stream.read());
            while (callsUnderWay(meters, "stream") + callsUnderWay(meters, "unary") > 0) {
                Thread.sleep(1);
            }
        }
    }

    private static double callsUnderWay(MeterRegistry meters, String type) {
        return meters.get("evenkeel.server.calls").tag("type", type).gauge().value();
    }

    @Test
    void latencies_andTimeUnderTheLock_areHistograms() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(1);
            Timer writers =
                    meters.get("evenkeel.lock.held").tag("by", "writers").timer();
            assertTrue(writers.count() >= 1);
            assertEquals(14, writers.takeSnapshot().histogramCounts().length);
            // Enough holds that some of them are timed, although only one in 64 is.
            Timer readers =
                    meters.get("evenkeel.lock.held").tag("by", "readers").timer();
            int asked = 0;
            do {
                server.placement.filter(filter(web(hard(ZONE))));
                asked++;
            } while (readers.count() == 0);
            awaitCalls(meters, "OK", asked);
            Timer calls = meters.get(DURATION).tag("method", "Filter").timer();
            assertEquals(17, calls.takeSnapshot().histogramCounts().length);
            assertEquals(0, calls.takeSnapshot().percentileValues().length);
        }
    }

    @Test
    void feeds_areToldByKind() {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            assertEquals(0, ofKind(meters, "evenkeel.feed.ready", "node"));
            server.zones(2, 1);
            // What was read before is used again for a second.
            while (ofKind(meters, "evenkeel.feed.ready", "node") == 0) {
                Thread.onSpinWait();
            }
            assertEquals(0, ofKind(meters, "evenkeel.feed.connected", "node"));
            assertEquals(0, ofKind(meters, "evenkeel.feed.version", "pod"));
            assertEquals(
                    2,
                    meters.get("evenkeel.feed.changes")
                            .tag("kind", "node")
                            .tag("outcome", "applied")
                            .functionCounter()
                            .count());
        }
    }

    private static double ofKind(MeterRegistry meters, String name, String kind) {
        return meters.get(name).tag("kind", kind).gauge().value();
    }

    @Test
    void whatAServerHolds_isTold_afterACollectionToo() {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(2, 1);
            WeakReference<Object> garbage = new WeakReference<>(new Object());
            while (garbage.get() != null) {
                System.gc();
            }
            for (String name : List.of(
                    "evenkeel.nodes",
                    "evenkeel.pods",
                    "evenkeel.spread.groups",
                    "evenkeel.plans",
                    "evenkeel.writes.longest")) {
                assertFalse(Double.isNaN(meters.get(name).gauge().value()), name);
            }
            assertEquals(2, meters.get("evenkeel.nodes").gauge().value());
            assertEquals(3, meters.get("evenkeel.pods").gauge().value());
        }
    }

    @Test
    @Timeout(30)
    void callThatIsCancelled_isCounted() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            Revision reached = server.zones(2, 1).getRevision();
            Revision later =
                    reached.toBuilder().setCounter(reached.getCounter() + 1).build();
            ClientCall<FilterRequest, FilterResponse> waits =
                    server.channel.newCall(PlacementGrpc.getFilterMethod(), CallOptions.DEFAULT);
            waits.start(new ClientCall.Listener<>() {}, new Metadata());
            waits.sendMessage(TestServer.demanding(later, filter(web(hard(ZONE)))));
            waits.halfClose();
            // Answered behind it: so the server has it.
            server.placement.filter(filter(web(hard(ZONE))));
            waits.cancel("tired of waiting", null);
            awaitCalls(meters, "CANCELLED", 1);
        }
    }

    /** A call is counted when the transport is done with it, which may be after the caller has its answer. */
    private static void awaitCalls(MeterRegistry meters, String status, long count) throws InterruptedException {
        long counted = 0;
        while (counted < count) {
            Thread.sleep(1);
            Timer timer = meters.find(DURATION)
                    .tags("service", PlacementGrpc.SERVICE_NAME, "method", "Filter", "statusCode", status)
                    .timer();
            counted = timer == null ? 0 : timer.count();
        }
        assertEquals(count, counted, status);
    }
}
