package io.evenkeel.service;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.QueryOptions;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.BlockingClientCall;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the machine-readable reasons of errors, in the status of a call and in the answers of a stream. */
final class CallReasonsTest {
    private static final SyncRequest BEGIN = SyncRequest.newBuilder()
            .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
            .build();
    private static final SyncRequest END = SyncRequest.newBuilder()
            .setEndSnapshot(EndSnapshot.getDefaultInstance())
            .build();
    private static final EvaluateRequest QUESTION =
            EvaluateRequest.newBuilder().addPods(web(hard(ZONE))).build();

    private final TestServer server = TestServer.start(InstanceOptions.standard()
            .withLimits(
                    Limits.builder().pods(2).longestWait(Duration.ofMillis(1)).build()));

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void nothingFed_isReportedByItsReason() throws Exception {
        assertRefused(ErrorReason.ERROR_REASON_NOT_FED, QUESTION);
    }

    @Test
    void firstSnapshotInProgress_isReportedByItsReason_andSoIsOneThatWasAborted() throws Exception {
        BlockingClientCall<SyncRequest, SyncResponse> feed =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        feed.write(BEGIN);
        feed.read();
        feed.write(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(zones(1, 0)))
                .build());
        feed.read();
        assertRefused(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY, QUESTION);
        feed.cancel("gone", null);
        while (server.isSnapshotInProgress()) {
            Thread.onSpinWait();
        }
        assertRefused(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_BROKEN_OFF, QUESTION);
    }

    @Test
    void kindsThatAreNotReady_areNamed() throws Exception {
        BlockingClientCall<SyncRequest, SyncResponse> feed =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        feed.write(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .addKinds(ObjectKind.OBJECT_KIND_NODE)
                        .addKinds(ObjectKind.OBJECT_KIND_POD))
                .build());
        feed.read();
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> server.placement.evaluate(QUESTION));
        assertEquals(ErrorReason.ERROR_REASON_FIRST_SNAPSHOT_UNDER_WAY, reasonOf(refused));
        assertEquals(
                Map.of("kinds", "OBJECT_KIND_NODE,OBJECT_KIND_POD"),
                TestServer.detail(refused, ErrorInfo.class).getMetadataMap());
        feed.write(END);
        feed.read();
        refused = assertThrows(StatusRuntimeException.class, () -> server.placement.evaluate(QUESTION));
        assertEquals(ErrorReason.ERROR_REASON_NOT_FED, reasonOf(refused));
        assertEquals(
                Map.of(
                        "kinds",
                        "OBJECT_KIND_SERVICE,OBJECT_KIND_REPLICATION_CONTROLLER,OBJECT_KIND_REPLICA_SET,"
                                + "OBJECT_KIND_STATEFUL_SET"),
                TestServer.detail(refused, ErrorInfo.class).getMetadataMap());
        feed.halfClose();
    }

    /** A gRPC client accepts 8 KiB of trailers by default. */
    @Test
    void instanceOfAnyLength_leavesRoomForTheReason() throws Exception {
        server.zones(1);
        assertRefused(
                ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                demanding(Revision.newBuilder()
                        .setInstance("another".repeat(10_000))
                        .setCounter(1)
                        .build()));
    }

    @Test
    void manyViolations_leaveRoomForTheReason() {
        server.zones(1);
        Pod.Builder wrong = Pod.newBuilder();
        for (int i = 0; i < 64; i++) {
            wrong.getSpecBuilder().addTopologySpreadConstraints(TopologySpreadConstraint.getDefaultInstance());
        }
        StatusRuntimeException refused = assertThrows(
                StatusRuntimeException.class,
                () -> server.placement.explain(
                        ExplainRequest.newBuilder().setPod(wrong).build()));
        assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode(), refused::getMessage);
        assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, reasonOf(refused));
        List<BadRequest.FieldViolation> told =
                TestServer.detail(refused, BadRequest.class).getFieldViolationsList();
        assertEquals(
                "pod.spec.topologySpreadConstraints[0].maxSkew", told.get(0).getField());
        assertTrue(told.size() >= 10, told.size() + " violations");
        assertTrue(told.get(told.size() - 1).getDescription().endsWith(" more violations)"));
    }

    @Test
    void longPathOfAViolation_leavesRoomForTheReason() {
        server.zones(1);
        for (String letter : List.of("k", "\u00e9", "\u4e16", "\ud83d\ude00", "%")) {
            Pod.Builder wrong = Pod.newBuilder();
            wrong.getMetadataBuilder().putLabels(letter.repeat(20_000), letter.repeat(20_000));
            StatusRuntimeException refused = assertThrows(
                    StatusRuntimeException.class,
                    () -> server.placement.explain(
                            ExplainRequest.newBuilder().setPod(wrong).build()));
            assertEquals(ErrorReason.ERROR_REASON_INVALID_FIELD, reasonOf(refused));
            assertFalse(TestServer.fieldsOf(refused).isEmpty());
        }
    }

    @Test
    void demandThatIsNotMet_isReportedByItsReason() throws Exception {
        Revision now = server.zones(1, 0).getRevision();
        assertRefused(ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME, demanding(TestServer.after(now, 1_000)));
        assertRefused(
                ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                demanding(Revision.newBuilder()
                        .setInstance("another")
                        .setCounter(1)
                        .build()));
        assertRefused(
                ErrorReason.ERROR_REASON_FRESHNESS_UNKNOWN,
                QUESTION.toBuilder()
                        .setFreshness(Freshness.newBuilder()
                                .setMaxAge(com.google.protobuf.Duration.newBuilder()
                                        .setSeconds(75)))
                        .build());
    }

    @Test
    void wrongRequest_isReportedByItsReason() throws Exception {
        server.zones(1, 0);
        assertRefused(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                QUESTION.toBuilder()
                        .setOptions(QueryOptions.newBuilder().setFormValue(9))
                        .build());
        assertRefused(
                ErrorReason.ERROR_REASON_LIMIT_EXCEEDED,
                QUESTION.toBuilder().addPods(web()).addPods(web()).build());
        assertRefused(
                ErrorReason.ERROR_REASON_NODE_SET_UNKNOWN,
                QUESTION.toBuilder()
                        .setOptions(QueryOptions.newBuilder()
                                .setCandidates(Candidates.newBuilder().setNodeSetId("none")))
                        .build());
        assertRefused(
                ErrorReason.ERROR_REASON_SESSION_UNKNOWN,
                QUESTION.toBuilder().setSession("fork").build());
    }

    @Test
    void deletedPod_thatIsAssumed_isReportedByItsReason() {
        server.zones(1, 0);
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(pod("z1-1", "z1"))))
                .build());
        assertEquals(
                ErrorReason.ERROR_REASON_POD_DELETED,
                server.clusterState
                        .assume(AssumeRequest.newBuilder()
                                .addPods(AssumedPod.newBuilder()
                                        .setPod(pod("z1-1", ""))
                                        .setNode("z2"))
                                .build())
                        .getRefusals(0)
                        .getError()
                        .getReason());
    }

    @Test
    void stepOutOfTurn_endsTheFeedWithItsReason() {
        for (SyncRequest step : List.of(
                END,
                SyncRequest.newBuilder()
                        .setObjects(Objects.newBuilder().addObjects(object(node("z1", "z1"))))
                        .build(),
                SyncRequest.newBuilder().setEvents(Events.getDefaultInstance()).build())) {
            BlockingClientCall<SyncRequest, SyncResponse> feed =
                    ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
            StatusException refused = assertThrows(StatusException.class, () -> {
                feed.write(step);
                feed.read();
            });
            assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED, reasonOf(refused));
        }
    }

    @Test
    void feedThatAnotherReplaces_endsWithItsReason() throws Exception {
        BlockingClientCall<SyncRequest, SyncResponse> first =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        first.write(BEGIN);
        first.read();
        SyncRequest takeover = SyncRequest.newBuilder()
                .setBeginSnapshot(
                        BeginSnapshot.newBuilder().setFeeder("another").setTakeover(true))
                .build();
        BlockingClientCall<SyncRequest, SyncResponse> early =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        StatusException refused = assertThrows(StatusException.class, () -> {
            early.write(takeover);
            early.read();
        });
        assertEquals(ErrorReason.ERROR_REASON_SNAPSHOT_UNDER_WAY, reasonOf(refused));
        first.write(END);
        first.read();
        BlockingClientCall<SyncRequest, SyncResponse> second =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        second.write(takeover);
        second.read();
        assertEquals(
                ErrorReason.ERROR_REASON_FEED_TAKEN_OVER, reasonOf(assertThrows(StatusException.class, first::read)));
        second.cancel("done", null);
    }

    @Test
    void wrongObject_isRefusedWithItsReason() {
        assertEquals(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                server.clusterState
                        .apply(apply(List.of(object(node("", "z1")))))
                        .getRefusals(0)
                        .getError()
                        .getReason());
    }

    private static EvaluateRequest demanding(Revision revision) {
        return QUESTION.toBuilder()
                .setFreshness(Freshness.newBuilder().setRevision(revision))
                .build();
    }

    /** Checks the reason in a call and on a stream. */
    private void assertRefused(ErrorReason reason, EvaluateRequest request) throws Exception {
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> server.placement.evaluate(request));
        assertEquals(reason, reasonOf(refused));
        assertEquals(
                StatusCode.of(reason).number(), refused.getStatus().getCode().value());
        BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                PlacementGrpc.newBlockingV2Stub(server.channel).evaluateStream();
        stream.write(TestServer.onStream(7, request));
        EvaluateStreamResponse answer = stream.read();
        assertEquals(reason, answer.getError().getReason());
        assertEquals(StatusCode.of(reason).number(), answer.getError().getCode());
        assertEquals(7, answer.getTag());
        stream.cancel("done", null);
    }

    static ErrorReason reasonOf(Exception refused) {
        com.google.rpc.Status status = java.util.Objects.requireNonNull(StatusProto.fromThrowable(refused));
        for (Any detail : status.getDetailsList()) {
            if (detail.is(ErrorInfo.class)) {
                try {
                    ErrorInfo info = detail.unpack(ErrorInfo.class);
                    assertEquals("evenkeel.io", info.getDomain());
                    return ErrorReason.valueOf(info.getReason());
                } catch (com.google.protobuf.InvalidProtocolBufferException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return ErrorReason.ERROR_REASON_UNSPECIFIED;
    }
}
