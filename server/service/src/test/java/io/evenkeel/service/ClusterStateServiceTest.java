package io.evenkeel.service;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.added;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.deleted;
import static io.evenkeel.placement.Messages.filter;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.util.Durations;
import io.evenkeel.engine.Await;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ApplyResponse;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumeResponse;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.FilterRequest;
import io.evenkeel.v1.FilterResponse;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.KindStatus;
import io.evenkeel.v1.ListNodesRequest;
import io.evenkeel.v1.ListNodesResponse;
import io.evenkeel.v1.NodeRun;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revision;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the unary calls of ClusterState and their revisions with a real server. */
final class ClusterStateServiceTest {
    private final TestServer server = TestServer.start(InstanceOptions.standard()
            .withLimits(Limits.builder().longestWait(Duration.ofMillis(20)).build()));

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void apply_refusesByPosition_andAppliesTheRest() {
        ApplyResponse response = server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(added(object(node("z1", "z1"))))
                .addEvents(added(object(pod("", "z1"))))
                .addEvents(added(ClusterObject.getDefaultInstance()))
                .addEvents(ClusterEvent.newBuilder().setObject(object(pod("typeless", "z1"))))
                .addEvents(added(object(pod("p", "z1"))))
                .build());
        assertEquals(2, response.getAppliedCount());
        assertEquals(
                List.of(1, 2, 3),
                response.getRefusalsList().stream()
                        .map(refusal -> refusal.getPosition())
                        .toList());
        assertEquals("object.pod.metadata.name", field(response, 0));
        assertEquals("object.object", field(response, 1));
        assertEquals("type", field(response, 2));
        assertEquals(NAMESPACE + "/typeless", response.getRefusals(2).getObject());
        assertEquals(1, server.status().getCountedPodCount());
    }

    @Test
    void staleAndUnknownEvents_changeNothing_notEvenTheRevision() {
        Pod pod = versioned(pod("p", "z1"), 7);
        server.clusterState.apply(apply(List.of(object(node("z1", "z1")), object(pod))));
        Revision before = server.status().getRevision();
        ApplyResponse response = server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(added(object(versioned(pod("p", ""), 6))))
                .addEvents(deleted(object(pod("nobody", ""))))
                .build());
        assertEquals(0, response.getAppliedCount());
        assertEquals(0, response.getRefusalsCount());
        assertEquals(before, response.getRevision());
    }

    @Test
    void podOnAnUnknownNode_countsWhenTheNodeComes() {
        server.zones(1);
        server.clusterState.apply(apply(List.of(object(pod("early", "z2")))));
        assertEquals(1, server.status().getUnknownNodePodCount());
        assertEquals(1, server.status().getCountedPodCount());
        server.clusterState.apply(apply(List.of(object(node("z2", "z2")))));
        assertEquals(0, server.status().getUnknownNodePodCount());
        assertEquals(2, server.status().getCountedPodCount());
    }

    @Test
    void assumedPod_countsAtOnce_andTheWatchConfirmsOrMovesIt() {
        server.zones(1, 0);
        AssumeResponse response = assume(pod("new", ""), "z2");
        assertEquals(1, server.status().getAssumedPodCount());
        assertEquals(2, passed(response.getRevision()));
        server.clusterState.apply(apply(List.of(object(pod("new", "z1")))));
        assertEquals(0, server.status().getAssumedPodCount());
        assertEquals(1, passed(Revision.getDefaultInstance()));
        assertEquals(List.of("new"), assume(pod("new", ""), "z2").getBoundUidsList());
        assertEquals(0, forget("new", "nobody"));
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(pod("new", ""))))
                .build());
        AssumeResponse late = assume(pod("new", ""), "z2");
        assertEquals(
                Status.Code.NOT_FOUND.value(), late.getRefusals(0).getError().getCode());
    }

    @Test
    void forgottenPod_countsNoMore() {
        server.zones(1, 0);
        assume(pod("new", ""), "z2");
        assertEquals(1, forget("new"));
        assertEquals(0, server.status().getAssumedPodCount());
        assertEquals(1, passed(Revision.getDefaultInstance()));
    }

    @Test
    void assumption_expires_whichMakesARevision() throws Exception {
        server.zones(1, 0);
        AssumeResponse response = server.clusterState.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod("new", "")).setNode("z2"))
                .setTimeToLive(Durations.fromMillis(1))
                .build());
        Revision expired = TestServer.after(response.getRevision(), 1);
        Await.until(() -> server.status().getRevision().getCounter() >= expired.getCounter());
        assertEquals(0, server.status().getAssumedPodCount());
        assertEquals(1, passed(expired));
    }

    @Test
    void assume_refusesWhatItCannotCount() {
        server.zones(1);
        AssumeResponse response = server.clusterState.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(web()).setNode("z1"))
                .addPods(AssumedPod.newBuilder().setPod(pod("p", "")))
                .build());
        assertEquals(
                List.of("pod.metadata.name", "pod.metadata.uid"),
                response.getRefusals(0).getError().getViolationsList().stream()
                        .map(violation -> violation.getField())
                        .toList());
        assertEquals("node", response.getRefusals(1).getError().getViolations(0).getField());
        StatusRuntimeException negative = assertThrows(
                StatusRuntimeException.class,
                () -> server.clusterState.assume(AssumeRequest.newBuilder()
                        .setTimeToLive(Durations.fromSeconds(-1))
                        .build()));
        assertEquals(List.of("timeToLive"), TestServer.fieldsOf(negative));
    }

    @Test
    void listNodes_givesTheTable_onlyIfItHasMoved() {
        server.zones(0, 0, 0);
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(node("z2", ""))))
                .build());
        ListNodesResponse table = server.clusterState.listNodes(ListNodesRequest.getDefaultInstance());
        assertTrue(table.getWhole());
        assertEquals("", table.getNextPageToken());
        assertEquals(List.of(run(0, "z1"), run(2, "z3")), table.getRunsList());
        ListNodesRequest known = ListNodesRequest.newBuilder()
                .setKnownNodeTableToken(table.getNodeTableToken())
                .build();
        server.clusterState.apply(apply(List.of(object(node("z1", Map.of("relabelled", "true"))))));
        ListNodesResponse unchanged = server.clusterState.listNodes(known);
        assertFalse(unchanged.getWhole());
        assertEquals(0, unchanged.getRunsCount());
        assertEquals(table.getNodeTableToken(), unchanged.getNodeTableToken());
        server.clusterState.apply(apply(List.of(object(node("z4", "z4")))));
        ListNodesResponse moved = server.clusterState.listNodes(known);
        assertFalse(moved.getWhole());
        assertEquals(List.of(run(1, "z4")), moved.getRunsList());
        assertNotEquals(table.getNodeTableToken(), moved.getNodeTableToken());
        assertEquals(server.status().getNodeTableToken(), moved.getNodeTableToken());
        assertEquals(List.of("z1", "z4", "z3"), server.nodeNames());
    }

    private static NodeRun run(int firstIndex, String name) {
        return NodeRun.newBuilder().setFirstIndex(firstIndex).addNames(name).build();
    }

    @Test
    void status_saysWhatTheServerHolds() {
        assertFalse(server.status().getReady());
        Revision reached = server.zones(2, 1).getRevision();
        passed(Revision.getDefaultInstance());
        GetStatusResponse status = server.status();
        assertTrue(status.getReady());
        assertEquals(
                List.of(
                        ObjectKind.OBJECT_KIND_NODE,
                        ObjectKind.OBJECT_KIND_POD,
                        ObjectKind.OBJECT_KIND_SERVICE,
                        ObjectKind.OBJECT_KIND_REPLICATION_CONTROLLER,
                        ObjectKind.OBJECT_KIND_REPLICA_SET,
                        ObjectKind.OBJECT_KIND_STATEFUL_SET,
                        ObjectKind.OBJECT_KIND_POD_DISRUPTION_BUDGET),
                status.getKindsList().stream().map(KindStatus::getKind).toList());
        for (KindStatus kind : status.getKindsList()) {
            assertEquals(kind.getKind() != ObjectKind.OBJECT_KIND_POD_DISRUPTION_BUDGET, kind.getReady());
            assertFalse(kind.getSnapshotUnderWay());
        }
        assertEquals(2, status.getNodeCount());
        assertEquals(3, status.getPodCount());
        assertEquals(3, status.getCountedPodCount());
        assertEquals(1, status.getLabelClassCount());
        assertEquals(1, status.getSpreadGroupCount());
        assertEquals(1, status.getPlanCount());
        assertEquals(reached.getInstance(), status.getRevision().getInstance());
        assertFalse(status.getVersion().isEmpty());
        assertEquals("1.36", status.getKubernetesVersion());
        assertTrue(Durations.isPositive(status.getUptime()));
    }

    @Test
    void call_waitsForTheRevisionThatItDemands() throws Exception {
        Revision reached = server.zones(1, 0).getRevision();
        assertEquals(reached, server.ask(demanding(reached)).get().getRevision());
        try (TestServer patient = TestServer.start()) {
            Revision first = patient.zones(1, 0).getRevision();
            CompletableFuture<FilterResponse> late = patient.ask(demanding(TestServer.after(first, 1)));
            assertFalse(late.isDone());
            Revision second = patient.clusterState
                    .apply(apply(List.of(object(pod("late", "z2")))))
                    .getRevision();
            assertEquals(second, late.get().getRevision());
            assertEquals(2, late.get().getAnswers(0).getReadable().getPassedCount());
        }
    }

    @Test
    void call_namesTheRevisionReached_whenTheOneDemandedIsNot() {
        Revision now = server.zones(1).getRevision();
        StatusRuntimeException late = assertThrows(
                StatusRuntimeException.class, () -> server.placement.filter(demanding(TestServer.after(now, 1))));
        assertEquals(Status.Code.UNAVAILABLE, late.getStatus().getCode());
        assertEquals(now, TestServer.detail(late, Revision.class));
        Revision another = now.toBuilder().setInstance("another").build();
        StatusRuntimeException refused =
                assertThrows(StatusRuntimeException.class, () -> server.placement.filter(demanding(another)));
        assertEquals(Status.Code.FAILED_PRECONDITION, refused.getStatus().getCode());
        assertEquals(now, TestServer.detail(refused, Revision.class));
    }

    @Test
    void largeCall_namesTheRevisionReached_beforeItsDeadline() {
        try (TestServer patient = TestServer.start()) {
            Revision now = patient.zones(1).getRevision();
            FilterRequest.Builder large = demanding(TestServer.after(now, 1)).toBuilder();
            // Read by a pool.
            large.getPodsBuilder(0)
                    .getMetadataBuilder()
                    .putAllLabels(IntStream.range(0, 9_000)
                            .boxed()
                            .collect(Collectors.toMap(i -> "a-label-of-some-length-" + i, i -> "a-value-" + i)));
            StatusRuntimeException late = refusedWithin(patient, large.build(), Duration.ofSeconds(1));
            // The time reserved for the answer grows with the deadline: a busy machine may need more of it.
            if (late.getStatus().getCode() == Status.Code.DEADLINE_EXCEEDED) {
                late = refusedWithin(patient, large.build(), Duration.ofSeconds(3));
            }
            assertEquals(Status.Code.UNAVAILABLE, late.getStatus().getCode());
            assertEquals(now, TestServer.detail(late, Revision.class));
        }
    }

    private static StatusRuntimeException refusedWithin(TestServer server, FilterRequest request, Duration deadline) {
        return assertThrows(
                StatusRuntimeException.class,
                () -> server.placement.withDeadlineAfter(deadline).filter(request));
    }

    private static FilterRequest demanding(Revision revision) {
        return TestServer.demanding(revision, filter(web(hard(ZONE))));
    }

    private int passed(Revision atLeast) {
        return server.placement
                .filter(demanding(atLeast))
                .getAnswers(0)
                .getReadable()
                .getPassedCount();
    }

    private AssumeResponse assume(Pod pod, String node) {
        return server.clusterState.assume(AssumeRequest.newBuilder()
                .addPods(AssumedPod.newBuilder().setPod(pod).setNode(node))
                .build());
    }

    private int forget(String... uids) {
        return server.clusterState
                .forget(ForgetRequest.newBuilder().addAllUids(List.of(uids)).build())
                .getForgottenCount();
    }

    private static Pod versioned(Pod pod, long version) {
        return pod.toBuilder()
                .setMetadata(pod.getMetadata().toBuilder().setResourceVersion(Long.toString(version)))
                .build();
    }

    private static String field(ApplyResponse response, int refusal) {
        return response.getRefusals(refusal).getError().getViolations(0).getField();
    }
}
