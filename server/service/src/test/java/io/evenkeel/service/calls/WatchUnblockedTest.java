package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.engine.Await;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.PendingPod;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.WatchUnblockedRequest;
import io.evenkeel.v1.WatchUnblockedResponse;
import io.evenkeel.v1.WatchedPod;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests WatchUnblocked with a real server and channel. */
@Timeout(60)
final class WatchUnblockedTest {
    private static final Pod WEB = web(hard(ZONE));

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestServer server = TestServer.start(ServerOptions.onLoopback(0)
            .withMeters(meters)
            .withInstance(InstanceOptions.standard()
                    .withLimits(
                            Limits.builder().watchedPods(2_000).watchedKinds(2).build())));

    @AfterEach
    void stop() {
        server.close();
    }

    private static Node node(String zone, int room) {
        Node.Builder node = Messages.node(zone, zone).toBuilder();
        node.getStatusBuilder().putAllocatable("pods", StringValue.of(String.valueOf(room)));
        return node.build();
    }

    private Revision add(ClusterObject... objects) {
        return server.clusterState.apply(apply(List.of(objects))).getRevision();
    }

    private Revision delete(String name, String node) {
        return server.clusterState
                .apply(ApplyRequest.newBuilder()
                        .addEvents(deleted(object(pod(name, node))))
                        .build())
                .getRevision();
    }

    /** Two zones: the first has two pods, and the other one pod and no room for more. */
    private void feed() {
        add(
                object(node("z1", 110)),
                object(node("z2", 1)),
                object(pod("a", "z1")),
                object(pod("b", "z1")),
                object(pod("c", "z2")));
    }

    private BlockingClientCall<WatchUnblockedRequest, WatchUnblockedResponse> open() {
        return PlacementGrpc.newBlockingV2Stub(server.channel).watchUnblocked();
    }

    private static WatchUnblockedRequest adding(Pod pod, String... keys) {
        WatchUnblockedRequest.Builder request = WatchUnblockedRequest.newBuilder();
        Stream.of(keys)
                .forEach(key ->
                        request.addAdd(PendingPod.newBuilder().setKey(key).setPod(pod)));
        return request.build();
    }

    private static WatchUnblockedRequest removing(String... keys) {
        return WatchUnblockedRequest.newBuilder().addAllRemove(List.of(keys)).build();
    }

    private static List<WatchedPod> results(
            BlockingClientCall<WatchUnblockedRequest, WatchUnblockedResponse> stream, WatchUnblockedRequest request)
            throws Exception {
        stream.write(request);
        List<WatchedPod> results = new ArrayList<>();
        while (results.size() < request.getAddCount()) {
            results.addAll(stream.read().getAddedList());
        }
        return results;
    }

    @Test
    void pod_isNamedWithTheRevisionOfTheEventThatUnblocksIt() throws Exception {
        feed();
        var stream = open();
        List<WatchedPod> results = results(stream, adding(WEB, "one", "two"));
        assertEquals(
                List.of("one", "two"), results.stream().map(WatchedPod::getKey).toList());
        assertEquals(0, results.get(0).getState().getPassedCount());

        add(object(pod("d", "z1")));
        delete("d", "z1");
        Revision unblocking = delete("b", "z1");
        WatchUnblockedResponse first = stream.read();
        assertEquals(unblocking, first.getRevision());
        assertEquals(List.of("one", "two"), first.getUnblockedList());

        assertEquals(1, results(stream, adding(WEB, "three")).get(0).getState().getPassedCount());
        stream.write(removing("one", "three"));
        results(stream, adding(WEB, "four"));
        Revision room = add(object(node("z3", 110)));
        WatchUnblockedResponse second = stream.read();
        assertEquals(room, second.getRevision());
        assertEquals(List.of("two", "four"), second.getUnblockedList());
        stream.cancel("done", null);
    }

    @Test
    void unblockedPods_areSentAtOnce_afterEachEventThatUnblocksThem() throws Exception {
        feed();
        var stream = open();
        results(stream, adding(WEB, "one"));
        delete("b", "z1");
        for (int i = 0; i < 100; i++) {
            assertEquals(List.of("one"), stream.read(5, TimeUnit.SECONDS).getUnblockedList());
            add(object(pod("b" + i, "z1")));
            // It may come after the answer, because the channel delivers them to different threads.
            Revision revision = delete("b" + i, "z1");
            WatchUnblockedResponse response = stream.read(5, TimeUnit.SECONDS);
            assertEquals(revision, response.getRevision());
            add(object(pod("c" + i, "z1")));
            delete("c" + i, "z1");
        }
        stream.cancel("done", null);
    }

    @Test
    void whatIsWrong_isReportedForEachPod() throws Exception {
        feed();
        var stream = open();
        Pod wrong = WEB.toBuilder()
                .setSpec(WEB.getSpec().toBuilder()
                        .setTopologySpreadConstraints(0, hard(ZONE).toBuilder().setMaxSkew(0)))
                .build();
        WatchUnblockedRequest request = WatchUnblockedRequest.newBuilder()
                .addAdd(PendingPod.newBuilder().setPod(WEB))
                .addAdd(PendingPod.newBuilder().setKey("x".repeat(513)).setPod(WEB))
                .addAdd(PendingPod.newBuilder().setKey("without"))
                .addAdd(PendingPod.newBuilder().setKey("wrong").setPod(wrong))
                .addAdd(PendingPod.newBuilder().setKey("good").setPod(WEB))
                .build();
        List<WatchedPod> results = results(stream, request);
        assertEquals(
                List.of(
                        "key must have 1 to 512 bytes, had 0",
                        "key must have 1 to 512 bytes, had 513",
                        "pod must be set",
                        ""),
                Stream.of(0, 1, 2, 4)
                        .map(i -> results.get(i).getError().getMessage().replaceFirst("(.*) \\((.*)\\)", "$2 $1"))
                        .toList());
        assertEquals(
                "pod.spec.topologySpreadConstraints[0].maxSkew",
                results.get(3).getError().getViolations(0).getField());
        assertTrue(results.get(4).hasState());
        assertEquals(
                List.of("", "x".repeat(80) + "...", "without", "wrong", "good"),
                results.stream().map(WatchedPod::getKey).toList());
        stream.cancel("done", null);
    }

    @Test
    void kindsAndPods_areLimited_untilTheyAreRemovedOrTheStreamEnds() throws Exception {
        feed();
        var stream = open();
        results(stream, adding(web(hard(ZONE)), "one"));
        results(stream, adding(web(), "two"));
        Pod third = web().toBuilder()
                .setMetadata(web().getMetadata().toBuilder().setNamespace("other"))
                .build();
        WatchedPod refused = results(stream, adding(third, "three")).get(0);
        assertEquals(ErrorReason.ERROR_REASON_LIMIT_EXCEEDED, refused.getError().getReason());
        assertEquals("pod", refused.getError().getViolations(0).getField());
        stream.write(removing("two"));
        assertTrue(results(stream, adding(third, "three")).get(0).hasState());

        String[] many = IntStream.range(0, 1_000).mapToObj(i -> "k" + i).toArray(String[]::new);
        assertTrue(results(stream, adding(WEB, many)).stream().allMatch(WatchedPod::hasState));
        String[] more = IntStream.range(1_000, 1_999).mapToObj(i -> "k" + i).toArray(String[]::new);
        List<WatchedPod> last = results(stream, adding(WEB, more));
        assertEquals(998, last.stream().filter(WatchedPod::hasState).count());
        assertEquals("key", last.get(998).getError().getViolations(0).getField());

        stream.cancel("done", null);
        var next = open();
        for (WatchedPod result = refused; result.hasError(); ) {
            result = results(next, adding(third, "three")).get(0);
        }
        next.cancel("done", null);
    }

    @Test
    void watchedPodsAndKinds_areMetrics_andAMessageIsHeldOnlyUntilItIsAnswered() throws Exception {
        feed();
        var stream = open();
        String[] keys =
                IntStream.range(0, 1_000).mapToObj(i -> "k".repeat(100) + i).toArray(String[]::new);
        results(stream, adding(WEB, keys));
        Await.until(() ->
                meters.get("evenkeel.server.bytes").tag("of", "queries").gauge().value() == 0);
        assertEquals(1_000, meters.get("evenkeel.watched.pods").gauge().value());
        assertEquals(1, meters.get("evenkeel.watched.kinds").gauge().value());

        stream.cancel("done", null);
        Await.until(() -> meters.get("evenkeel.watched.pods").gauge().value() == 0);
        Await.until(() -> meters.get("evenkeel.watched.kinds").gauge().value() == 0);
    }

    @Test
    void message_thatIsRejectedAsAWhole_endsTheStream() throws Exception {
        var early = open();
        early.write(adding(WEB, "one"));
        StatusException unready = assertThrows(StatusException.class, early::read);
        assertEquals(Status.Code.UNAVAILABLE, unready.getStatus().getCode());

        feed();
        var stream = open();
        stream.write(
                adding(WEB, IntStream.range(0, 1_025).mapToObj(i -> "k" + i).toArray(String[]::new)));
        StatusException tooMany = assertThrows(StatusException.class, stream::read);
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, tooMany.getStatus().getCode());
        String description = String.valueOf(tooMany.getStatus().getDescription());
        assertTrue(description.startsWith("add must have at most 1024 entries"), description);
    }

    /** Reads responses only on request. */
    private static final class Slow implements ClientResponseObserver<WatchUnblockedRequest, WatchUnblockedResponse> {
        private final CountDownLatch added = new CountDownLatch(1);
        private final Set<String> named = ConcurrentHashMap.newKeySet();
        private final AtomicInteger responses = new AtomicInteger();
        private volatile long last;

        @SuppressWarnings("NullAway.Init") // Set when the call starts.
        private volatile ClientCallStreamObserver<WatchUnblockedRequest> call;

        @Override
        public void beforeStart(ClientCallStreamObserver<WatchUnblockedRequest> started) {
            call = started;
            started.disableAutoRequestWithInitial(1);
        }

        @Override
        public void onNext(WatchUnblockedResponse response) {
            named.addAll(response.getUnblockedList());
            last = response.getRevision().getCounter();
            responses.incrementAndGet();
            added.countDown();
        }

        @Override
        public void onError(Throwable error) {}

        @Override
        public void onCompleted() {}
    }

    @Test
    void callerThatDoesNotRead_getsEachPodLater() throws Exception {
        feed();
        Slow slow = new Slow();
        PlacementGrpc.newStub(server.channel).watchUnblocked(slow);
        String[] keys =
                IntStream.range(0, 1_000).mapToObj(i -> "k".repeat(100) + i).toArray(String[]::new);
        slow.call.onNext(adding(WEB, keys));
        slow.added.await();
        int events = 100;
        long last = 0;
        for (int i = 0; i < events; i++) {
            last = add(object(node("y" + i, 110))).getCounter();
            server.clusterState.apply(ApplyRequest.newBuilder()
                    .addEvents(deleted(object(node("y" + i, 110))))
                    .build());
        }
        long lastRevision = last;
        Await.until(() -> {
            slow.call.request(1);
            return slow.last >= lastRevision;
        });
        assertEquals(Set.of(keys), slow.named);
        assertTrue(slow.responses.get() < events / 2, () -> "responses: " + slow.responses);
        slow.call.cancel("done", null);
    }
}
