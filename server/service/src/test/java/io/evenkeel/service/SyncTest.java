package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.rpc.ErrorInfo;
import io.evenkeel.cli.ClusterLoader;
import io.evenkeel.engine.Await;
import io.evenkeel.manifest.ObjectReader;
import io.evenkeel.placement.call.FeedListener;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.BlockingClientCall;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests Sync with a real server. */
final class SyncTest {
    private static final SyncRequest BEGIN = SyncRequest.newBuilder()
            .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
            .build();
    private static final SyncRequest END = SyncRequest.newBuilder()
            .setEndSnapshot(EndSnapshot.getDefaultInstance())
            .build();

    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    /** A stream whose messages are sent and acknowledged one by one. */
    private final class Stream {
        private final BlockingClientCall<SyncRequest, SyncResponse> call =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();

        SyncResponse send(SyncRequest request) throws Exception {
            call.write(request);
            return java.util.Objects.requireNonNull(call.read());
        }

        SyncResponse objects(List<ClusterObject> objects) throws Exception {
            return send(SyncRequest.newBuilder()
                    .setObjects(Objects.newBuilder().addAllObjects(objects))
                    .build());
        }

        SyncResponse events(ClusterEvent... events) throws Exception {
            return send(SyncRequest.newBuilder()
                    .setEvents(Events.newBuilder().addAllEvents(List.of(events)))
                    .build());
        }

        Status refused(SyncRequest request) {
            return assertThrows(StatusException.class, () -> send(request)).getStatus();
        }

        /** Simulates the loss of a feeder's connection. */
        void breakOff() {
            call.cancel("gone", null);
        }
    }

    /** A feeder that reconnects at once must not find its own snapshot still in progress. */
    @Test
    void snapshotThatItsFeederGivesUp_isOver_onceTheFeederSeesItsStreamEnd() throws Exception {
        for (int i = 0; i < 300; i++) {
            Stream givenUp = new Stream();
            givenUp.send(BEGIN);
            givenUp.call.halfClose();
            assertNull(givenUp.call.read());
        }
    }

    @Test
    void endOfAStream_isReportedWithItsReason() throws Exception {
        BlockingQueue<String> reasons = new LinkedBlockingQueue<>();
        server.server.instance().clusterState().onFeed(new FeedListener() {
            @Override
            public void streamEnded(
                    String feeder,
                    Set<io.evenkeel.engine.model.ObjectKind> kinds,
                    Set<io.evenkeel.engine.model.ObjectKind> brokenOff,
                    String why) {
                reasons.add(why);
            }
        });
        Stream completed = new Stream();
        completed.send(BEGIN);
        completed.send(END);
        completed.call.halfClose();
        assertEquals("completed by its feeder", reasons.poll(30, TimeUnit.SECONDS));
        Stream lost = new Stream();
        lost.send(BEGIN);
        lost.breakOff();
        assertEquals("cancelled by its feeder, or the connection was lost", reasons.poll(30, TimeUnit.SECONDS));
        Stream refused = new Stream();
        refused.send(BEGIN);
        refused.send(END);
        refused.refused(END);
        assertEquals(
                "rejected: endSnapshot must follow beginSnapshot in the same stream",
                reasons.poll(30, TimeUnit.SECONDS));
    }

    @Test
    void firstSnapshot_makesTheServerReady_onlyOnceItHasEnded() throws Exception {
        Stream stream = new Stream();
        stream.send(BEGIN);
        assertEquals(7, stream.objects(zones(2, 1, 1)).getAppliedCount());
        assertTrue(server.isSnapshotInProgress());
        StatusRuntimeException tooEarly =
                assertThrows(StatusRuntimeException.class, () -> server.placement.filter(filter(web(hard(ZONE)))));
        assertEquals(Status.Code.UNAVAILABLE, tooEarly.getStatus().getCode());
        assertEquals("the first snapshot is in progress", tooEarly.getStatus().getDescription());
        SyncResponse end = stream.send(END);
        assertEquals(0, end.getRemovedCount());
        assertEquals(server.status().getRevision(), end.getRevision());
        assertEquals(2, passed());
        assertEquals(1, stream.events(added(object(pod("p", "z2")))).getAppliedCount());
        assertEquals(1, passed());
        stream.call.halfClose();
        assertNull(stream.call.read());
    }

    @Test
    void laterSnapshot_isAppliedAsItComes_andItsEndRemovesWhatItDidNotName() throws Exception {
        Stream stream = new Stream();
        stream.send(BEGIN);
        stream.objects(zones(2, 1, 1));
        stream.send(END);
        stream.send(BEGIN);
        assertEquals(2, passed());
        List<ClusterObject> all = zones(2, 1, 1);
        List<ClusterObject> named = new ArrayList<>(all.subList(0, 2));
        named.add(object(node("z2", "z2")));
        named.add(object(pod("z2-2", "z2")));
        assertEquals(1, stream.objects(named).getAppliedCount());
        assertEquals(1, passed());
        assertEquals(4, stream.send(END).getRemovedCount());
        assertEquals(2, server.status().getNodeCount());
        assertEquals(2, server.status().getCountedPodCount());
        assertEquals(2, passed());
    }

    @Test
    void abortedSnapshot_removesNothing() throws Exception {
        Stream stream = new Stream();
        stream.send(BEGIN);
        stream.objects(zones(2, 1));
        stream.send(END);
        stream.send(BEGIN);
        stream.objects(List.of(object(node("z3", "z3"))));
        stream.breakOff();
        awaitSnapshotGivenUp();
        assertEquals(3, server.status().getNodeCount());
        assertTrue(server.status().getReady());
        assertEquals(1, passed());
    }

    @Test
    void abortedFirstSnapshot_leavesTheServerNotReady() throws Exception {
        Stream stream = new Stream();
        stream.send(BEGIN);
        stream.objects(zones(1, 1));
        stream.call.halfClose();
        assertNull(stream.call.read());
        awaitSnapshotGivenUp();
        assertFalse(server.status().getReady());
        Stream again = new Stream();
        again.send(BEGIN);
        again.objects(zones(1));
        assertEquals(2, again.send(END).getRemovedCount());
        assertTrue(server.status().getReady());
    }

    @Test
    void snapshotThatWouldBeginDuringALoad_isRefused_andTheLoadGoesOn() throws Exception {
        ObjectReader files = ObjectReader.of(new ByteArrayInputStream("""
                        {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "z1", "uid": "1"}}
                        """.getBytes(StandardCharsets.UTF_8)), "files");
        try (ClusterLoader loader = new ClusterLoader(server.server.instance().clusterState())) {
            Status refused = new Stream().refused(BEGIN);
            assertEquals(Status.Code.UNAVAILABLE, refused.getCode());
            assertEquals(
                    "a snapshot from another stream of the feeder files, which feeds NODE, is in progress; "
                            + "try again when it has ended",
                    refused.getDescription());
            loader.load(files, object -> {}, refusal -> {});
            loader.end();
        }
        assertTrue(server.status().getReady());
        assertEquals(1, server.status().getNodeCount());
        new Stream().send(BEGIN);
    }

    private void awaitSnapshotGivenUp() {
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            Await.until(() -> !server.isSnapshotInProgress());
        });
    }

    @Test
    void secondStreamsSnapshot_waitsForTheFirstOnes_andThenEndsThatStream_atOnce() throws Exception {
        Stream first = new Stream();
        first.send(BEGIN);
        first.objects(zones(1, 1, 1));
        assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, reason(assertThrows(StatusException.class, () -> {
            new Stream().send(BEGIN);
        })));
        first.send(END);
        Stream second = new Stream();
        second.send(BEGIN);
        // It learns of this without sending anything.
        assertEquals(
                ErrorReason.ERROR_REASON_FEED_TAKEN_OVER,
                reason(assertThrows(StatusException.class, () -> first.call.read())));
        second.objects(zones(2, 1));
        assertTrue(server.isSnapshotInProgress());
        second.send(END);
        assertEquals(2, server.status().getNodeCount());
        assertEquals(3, server.status().getCountedPodCount());
    }

    @Test
    void feederOfAnotherName_isRefused_unlessItTakesOver() throws Exception {
        Stream first = new Stream();
        first.send(begin("first", ObjectKind.OBJECT_KIND_POD));
        first.send(END);
        SyncRequest begin = begin("second", ObjectKind.OBJECT_KIND_POD);
        assertEquals(ErrorReason.ERROR_REASON_FEEDER_ACTIVE, reason(assertThrows(StatusException.class, () -> {
            new Stream().send(begin);
        })));
        SyncRequest.Builder takeover = begin.toBuilder();
        takeover.getBeginSnapshotBuilder().setTakeover(true);
        Stream second = new Stream();
        second.send(takeover.build());
        assertEquals(
                ErrorReason.ERROR_REASON_FEED_TAKEN_OVER,
                reason(assertThrows(StatusException.class, () -> first.call.read())));
        second.send(END);
    }

    @Test
    void status_reportsEachKind_andQueriesAreAnswered_onceAllButBudgetsAreReady() throws Exception {
        Stream nodes = new Stream();
        nodes.send(begin("nodes", ObjectKind.OBJECT_KIND_NODE));
        Stream others = new Stream();
        ObjectKind[] other = {
            ObjectKind.OBJECT_KIND_POD,
            ObjectKind.OBJECT_KIND_SERVICE,
            ObjectKind.OBJECT_KIND_REPLICATION_CONTROLLER,
            ObjectKind.OBJECT_KIND_REPLICA_SET,
            ObjectKind.OBJECT_KIND_STATEFUL_SET
        };
        others.send(begin("others", other));
        nodes.objects(List.of(object(node("z1", "z1")), object(node("z2", "z2"))));
        others.objects(List.of(object(pod("p", "z1"))));
        assertEquals(List.of("nodes", "others", "others", "others", "others", "others", ""), feeders());
        nodes.send(END);
        assertEquals(List.of(true, false, false, false, false, false, false), kinds(KindStatus::getReady));
        assertEquals(List.of(false, true, true, true, true, true, false), kinds(KindStatus::getSnapshotUnderWay));
        assertFalse(server.status().getReady());
        others.send(END);
        assertEquals(List.of(true, true, true, true, true, true, false), kinds(KindStatus::getReady));
        assertTrue(server.status().getReady());
        assertEquals(1, passed());
        // A relist of the nodes does not affect the pods.
        nodes.send(begin("nodes", ObjectKind.OBJECT_KIND_NODE));
        nodes.objects(List.of(object(node("z1", "z1"))));
        assertEquals(1, nodes.send(END).getRemovedCount());
        assertEquals(1, server.status().getPodCount());
        nodes.call.halfClose();
        assertNull(nodes.call.read());
        assertTimeoutPreemptively(Duration.ofSeconds(30), () -> {
            Await.until(() -> feeders().get(0).isEmpty());
        });
        assertTrue(server.status().getReady());
    }

    private static SyncRequest begin(String feeder, ObjectKind... kinds) {
        return SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder().setFeeder(feeder).addAllKinds(List.of(kinds)))
                .build();
    }

    private List<String> feeders() {
        return kinds(KindStatus::getFeeder);
    }

    private <T> List<T> kinds(Function<KindStatus, T> field) {
        return server.status().getKindsList().stream().map(field).toList();
    }

    private static ErrorReason reason(StatusException failed) throws Exception {
        com.google.rpc.Status status = java.util.Objects.requireNonNull(StatusProto.fromThrowable(failed));
        return ErrorReason.valueOf(status.getDetails(0).unpack(ErrorInfo.class).getReason());
    }

    @Test
    void refusedObjects_areNamedByPosition_andKeepNothingElseBack() throws Exception {
        Stream stream = new Stream();
        stream.send(BEGIN);
        SyncResponse response =
                stream.objects(List.of(object(node("z1", "z1")), object(pod("", "z1")), object(pod("p", "z1"))));
        assertEquals(2, response.getAppliedCount());
        assertEquals(1, response.getRefusals(0).getPosition());
        assertEquals(
                "pod.metadata.name",
                response.getRefusals(0).getError().getViolations(0).getField());
        stream.send(END);
        assertEquals(1, server.status().getCountedPodCount());
    }

    @Test
    void messageOutOfTurn_endsTheStream_andChangesNothing() throws Exception {
        assertEquals(Status.Code.FAILED_PRECONDITION, new Stream().refused(END).getCode());
        SyncRequest objects = SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(zones(1)))
                .build();
        assertEquals(
                Status.Code.FAILED_PRECONDITION, new Stream().refused(objects).getCode());
        SyncRequest events = SyncRequest.newBuilder()
                .setEvents(Events.newBuilder().addEvents(added(object(node("z1", "z1")))))
                .build();
        assertEquals(
                Status.Code.FAILED_PRECONDITION, new Stream().refused(events).getCode());
        assertEquals(
                Status.Code.INVALID_ARGUMENT,
                new Stream().refused(SyncRequest.getDefaultInstance()).getCode());
        assertEquals(0, server.status().getRevision().getCounter());
        server.clusterState.apply(apply(zones(1)));
        assertEquals(
                1,
                new Stream()
                        .send(events.toBuilder()
                                .setEvents(Events.newBuilder().addEvents(added(object(node("z2", "z2")))))
                                .build())
                        .getAppliedCount());
    }

    @Test
    void messagesSentAtOnce_areAcknowledgedInOrder() throws Exception {
        Stream stream = new Stream();
        stream.call.write(BEGIN);
        int messages = 50;
        for (int i = 0; i < messages; i++) {
            List<ClusterObject> objects = new ArrayList<>();
            // Large and small ones in turn, which different threads handle.
            for (int j = 0; j < (i % 2 == 0 ? 1 : 300); j++) {
                objects.add(object(pod("pod-" + i + "-" + j, "z1")));
            }
            stream.call.write(SyncRequest.newBuilder()
                    .setObjects(Objects.newBuilder().addAllObjects(objects))
                    .build());
        }
        stream.call.write(END);
        stream.call.halfClose();
        Revision last = stream.call.read().getRevision();
        for (int i = 0; i < messages; i++) {
            SyncResponse response = stream.call.read();
            assertEquals(i % 2 == 0 ? 1 : 300, response.getAppliedCount());
            assertTrue(response.getRevision().getCounter() > last.getCounter());
            last = response.getRevision();
        }
        assertEquals(last, stream.call.read().getRevision());
        assertNull(stream.call.read());
        assertEquals(messages / 2 * 301L, server.status().getPodCount());
    }

    private int passed() {
        return server.placement
                .filter(filter(web(hard(ZONE))))
                .getAnswers(0)
                .getReadable()
                .getPassedCount();
    }
}
