package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.event;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.access.AccessOptions;
import io.evenkeel.access.TestAuthority;
import io.evenkeel.engine.Await;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the metrics of a server. */
final class MetricsTest {
    private static final String DURATION = "grpc.server.processing.duration";

    private final AtomicLong now = new AtomicLong();

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
    void someMessagesOfAStream_areTimed() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = TestServer.start(ServerOptions.onLoopback(0).withMeters(meters))) {
            server.zones(2, 1);
            var stream = PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
            for (int tag = 1; tag <= OrderedStream.TIMED_ONE_IN + 1; tag++) {
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
            server.zones(7);
            ApplyRequest.Builder gone = ApplyRequest.newBuilder();
            AssumeRequest.Builder request = AssumeRequest.newBuilder()
                    .addPods(assumed("a", "z1"))
                    .addPods(assumed("b", "nowhere"))
                    .addPods(assumed("c", "nowhere"));
            for (int pod = 1; pod <= 7; pod++) {
                String name = "z1-" + pod;
                request.addPods(assumed(name, "z1"));
                if (pod > 3) {
                    gone.addEvents(deleted(object(pod(name, "z1"))));
                }
            }
            server.clusterState.apply(gone.build());
            server.clusterState.assume(request.build());
            assertEquals(1, assumed(meters, "counted"));
            assertEquals(2, assumed(meters, "node_unknown"));
            assertEquals(3, assumed(meters, "already_bound"));
            assertEquals(4, assumed(meters, "deleted"));
            assertEquals(3, meters.get("evenkeel.pods.assumed").gauge().value());
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
    void callsInProgress_areReported_whileTheyLast() throws Exception {
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
            Await.until(() -> callsUnderWay(meters, "stream") + callsUnderWay(meters, "unary") <= 0);
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

    /** Values are reused until the clock moves. */
    private TestServer serverWithClock(MeterRegistry meters) {
        InstanceClock clock = new InstanceClock(now::get, () -> Instant.EPOCH);
        return TestServer.start(ServerOptions.onLoopback(0)
                .withInstance(InstanceOptions.standard().withClock(clock))
                .withMeters(meters));
    }

    private void passSeconds(long seconds) {
        now.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void changesByApply_areReportedByKind_andAreNoFeed() {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = serverWithClock(meters)) {
            assertEquals(0, ofKind(meters, "evenkeel.feed.ready", "node"));
            server.zones(2, 1);
            passSeconds(2);
            assertEquals(1, ofKind(meters, "evenkeel.feed.ready", "node"));
            assertEquals(0, ofKind(meters, "evenkeel.feed.connected", "node"));
            assertEquals(0, ofKind(meters, "evenkeel.feed.version", "pod"));
            assertEquals(Double.NaN, ageSeconds(meters, "pod"));
            assertEquals(
                    2,
                    meters.get("evenkeel.feed.changes")
                            .tag("kind", "node")
                            .tag("outcome", "applied")
                            .functionCounter()
                            .count());
        }
    }

    @Test
    void changesOfAFeed_areReportedByKindAndOutcome() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = serverWithClock(meters)) {
            var feed = ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
            feed.write(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(ObjectKind.OBJECT_KIND_POD))
                    .build());
            assertNotNull(feed.read());
            feed.write(SyncRequest.newBuilder()
                    .setEndSnapshot(EndSnapshot.newBuilder().addKinds(version(ObjectKind.OBJECT_KIND_POD, "100")))
                    .build());
            assertNotNull(feed.read());
            Events.Builder events = Events.newBuilder();
            for (String name : List.of("a", "b", "c", "d", "a", "b", "c")) {
                events.addEvents(added(object(pod(name, ""))));
            }
            for (int i = 0; i < 2; i++) {
                events.addEvents(added(object(Pod.getDefaultInstance())));
            }
            events.addEvents(event(
                    ClusterEvent.Type.TYPE_BOOKMARK,
                    object(Pod.newBuilder()
                            .setMetadata(ObjectMeta.newBuilder().setResourceVersion("130"))
                            .build())));
            feed.write(SyncRequest.newBuilder().setEvents(events).build());
            assertEquals(2, Objects.requireNonNull(feed.read()).getRefusalsCount());
            passSeconds(2);
            assertEquals(
                    Map.of("applied", 4.0, "unchanged", 3.0, "refused", 2.0, "bookmark", 1.0), changes(meters, "pod"));
            for (String other : List.of(
                    "node", "service", "replicationcontroller", "replicaset", "statefulset", "poddisruptionbudget")) {
                assertEquals(
                        Map.of("applied", 0.0, "unchanged", 0.0, "refused", 0.0, "bookmark", 0.0),
                        changes(meters, other),
                        other);
            }
        }
    }

    private static Map<String, Double> changes(MeterRegistry meters, String kind) {
        Map<String, Double> changes = new HashMap<>();
        meters.get("evenkeel.feed.changes")
                .tag("kind", kind)
                .functionCounters()
                .forEach(each -> changes.put(String.valueOf(each.getId().getTag("outcome")), each.count()));
        return changes;
    }

    @Test
    void ageAndVersionOfAFeed_areReportedByKind() throws Exception {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = serverWithClock(meters)) {
            var feed = ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
            feed.write(SyncRequest.newBuilder()
                    .setBeginSnapshot(BeginSnapshot.newBuilder()
                            .addKinds(ObjectKind.OBJECT_KIND_NODE)
                            .addKinds(ObjectKind.OBJECT_KIND_POD))
                    .build());
            assertNotNull(feed.read());
            feed.write(SyncRequest.newBuilder()
                    .setEndSnapshot(EndSnapshot.newBuilder()
                            .addKinds(version(ObjectKind.OBJECT_KIND_NODE, "100"))
                            .addKinds(version(ObjectKind.OBJECT_KIND_POD, "120")))
                    .build());
            assertNotNull(feed.read());
            passSeconds(30);
            Pod.Builder pod = pod("a", "").toBuilder();
            pod.getMetadataBuilder().setResourceVersion("130");
            feed.write(SyncRequest.newBuilder()
                    .setEvents(Events.newBuilder().addEvents(added(object(pod.build()))))
                    .build());
            assertNotNull(feed.read());
            passSeconds(60);
            assertEquals(1, ofKind(meters, "evenkeel.feed.connected", "pod"));
            assertEquals(60, ageSeconds(meters, "pod"));
            assertEquals(130, ofKind(meters, "evenkeel.feed.version", "pod"));
            assertEquals(90, ageSeconds(meters, "node"));
            assertEquals(100, ofKind(meters, "evenkeel.feed.version", "node"));
            assertEquals(0, ofKind(meters, "evenkeel.feed.connected", "service"));
            assertEquals(Double.NaN, ageSeconds(meters, "service"));
            assertEquals(0, ofKind(meters, "evenkeel.feed.version", "service"));
        }
    }

    private static KindVersion version(ObjectKind kind, String version) {
        return KindVersion.newBuilder()
                .setKind(kind)
                .setResourceVersion(version)
                .build();
    }

    private static double ofKind(MeterRegistry meters, String name, String kind) {
        return meters.get(name).tag("kind", kind).gauge().value();
    }

    private static double ageSeconds(MeterRegistry meters, String kind) {
        return meters.get("evenkeel.feed.age").tag("kind", kind).timeGauge().value(TimeUnit.SECONDS);
    }

    @Test
    void podsOnUnknownNodes_areReported_untilTheirNodeComes() {
        MeterRegistry meters = new SimpleMeterRegistry();
        try (TestServer server = serverWithClock(meters)) {
            server.zones(1);
            server.clusterState.apply(
                    apply(List.of(object(pod("a", "late")), object(pod("b", "late")), object(pod("c", "never")))));
            assertEquals(3, meters.get("evenkeel.pods.on.unknown.nodes").gauge().value());
            server.clusterState.apply(apply(List.of(object(node("late", "z1")))));
            passSeconds(2);
            assertEquals(1, meters.get("evenkeel.pods.on.unknown.nodes").gauge().value());
        }
    }

    @Test
    void endsOfCertificates_areReported_thatOfTheFirstAuthorityToEnd(@TempDir Path directory) throws IOException {
        TestAuthority authority = new TestAuthority("authority");
        Instant soon = Instant.now().plus(Duration.ofDays(3)).truncatedTo(ChronoUnit.SECONDS);
        Instant sooner = soon.minus(Duration.ofDays(1));
        TestAuthority.Issued own = authority.issue("e", TestAuthority.keys("EC"), soon);
        TestAuthority.Issued below = authority.issue("below", TestAuthority.keys("EC"), sooner);
        Path certificate = Files.writeString(directory.resolve("tls.crt"), own.certificatePem());
        Path key = Files.writeString(directory.resolve("tls.key"), own.keyPem());
        Path authorities = Files.writeString(directory.resolve("ca.crt"), authority.pem() + below.certificatePem());
        ServerOptions options = ServerOptions.onLoopback(0);
        MeterRegistry meters = new SimpleMeterRegistry();
        try (EvenkeelServer server = EvenkeelServer.start(
                options.withMeters(meters).withAccess(new AccessOptions(certificate, key, authorities, null, null)))) {
            assertEquals(1, server.listeners().size());
            assertEquals(soon, end(meters, "server"));
            assertEquals(sooner, end(meters, "client-ca"));
        }
        try (EvenkeelServer server = EvenkeelServer.start(
                options.withMeters(meters).withAccess(new AccessOptions(certificate, key, null, null, null)))) {
            assertEquals(1, server.listeners().size());
            assertEquals(soon, end(meters, "server"));
            assertNull(meters.find("evenkeel.certificate.ends")
                    .tag("of", "client-ca")
                    .timeGauge());
        }
    }

    private static Instant end(MeterRegistry meters, String of) {
        return Instant.ofEpochSecond((long) meters.get("evenkeel.certificate.ends")
                .tag("of", of)
                .timeGauge()
                .value(TimeUnit.SECONDS));
    }

    @Test
    void whatAServerHolds_isReported_afterACollectionToo() {
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
            // This call is answered later, so the server has received the message.
            server.placement.filter(filter(web(hard(ZONE))));
            waits.cancel("tired of waiting", null);
            awaitCalls(meters, "CANCELLED", 1);
        }
    }

    /** A call is counted when the transport has finished it, which may be after its answer arrives. */
    private static void awaitCalls(MeterRegistry meters, String status, long count) throws InterruptedException {
        Await.until(() -> calls(meters, status) >= count);
        assertEquals(count, calls(meters, status), status);
    }

    private static long calls(MeterRegistry meters, String status) {
        Timer timer = meters.find(DURATION)
                .tags("service", PlacementGrpc.SERVICE_NAME, "method", "Filter", "statusCode", status)
                .timer();
        return timer == null ? 0 : timer.count();
    }
}
