package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.StringValue;
import io.evenkeel.client.ClientKind.Opened;
import io.evenkeel.client.embedded.EmbeddedPlacement;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import io.evenkeel.v1.AddedPod;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.AssumeRequest;
import io.evenkeel.v1.AssumedPod;
import io.evenkeel.v1.BlockingReason;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.DomainExplanation;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.Existence;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.ExplainResponse;
import io.evenkeel.v1.FieldViolation;
import io.evenkeel.v1.ForgetNodeSetRequest;
import io.evenkeel.v1.ForgetRequest;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeCode;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.NodeReason;
import io.evenkeel.v1.NodeScore;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.Overlay;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.PlaceGroupResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.ReadableAnswer;
import io.evenkeel.v1.ReasonCount;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.RegisterNodeSetRequest;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import io.evenkeel.v1.WhatIfCase;
import io.evenkeel.v1.WhatIfRequest;
import io.evenkeel.v1.WhatIfVerdict;
import io.evenkeel.v1.WorkloadReference;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the calls of all clients, remote and embedded. */
@Timeout(60)
final class PlacementClientTest {
    private static List<String> best(EvaluateResponse response) {
        return readable(response).getBestList().stream().map(NodeScore::getName).toList();
    }

    private static ReadableAnswer readable(EvaluateResponse response) {
        return response.getAnswers(0).getReadable();
    }

    private static Revision after(Revision revision, long changes) {
        return revision.toBuilder().setCounter(revision.getCounter() + changes).build();
    }

    @ParameterizedTest
    @EnumSource
    void evaluate_namesTheZoneThatFits_andCountsTheReasons(ClientKind kind) {
        try (Opened opened = kind.open()) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            ReadableAnswer answer = readable(
                    opened.client().evaluate(Query.of(ClientWorld.hard()).toEvaluate()));
            assertEquals(1, answer.getHardConstraintCount());
            assertEquals(0, answer.getSoftConstraintCount());
            assertEquals(2, answer.getCandidateCount());
            assertEquals(1, answer.getPassedCount());
            assertEquals("node-b", answer.getBest(0).getName());
            assertEquals(NodeReason.NODE_REASON_MAX_SKEW, answer.getReasons(0).getReason());
            assertEquals(
                    "node(s) didn't match pod topology spread constraints",
                    answer.getReasons(0).getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource
    void removal_saysWherePodsWouldGo(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Pod.Builder replica = ClientWorld.pod("replica", "node-c").toBuilder();
            replica.getMetadataBuilder()
                    .addOwnerReferences(
                            OwnerReference.newBuilder().setKind("ReplicaSet").setController(true));
            Node roomy = ClientWorld.node("node-a", "zone-a").toBuilder()
                    .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of("10")))
                    .build();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 0));
            ClientWorld.add(client, List.of(ClusterObjects.of(roomy), ClusterObjects.of(replica.build())));
            SimulateRemovalRequest request = SimulateRemovalRequest.newBuilder()
                    .addNodes("node-c")
                    .addNodes("node-a")
                    .setTogether(true)
                    .build();

            SimulateRemovalResponse response = client.simulateRemoval(request);

            assertEquals(List.of("node-a"), response.getDestinationsList());
            assertEquals("replica", response.getRemovals(0).getPods(0).getName());
            assertEquals(
                    BlockingReason.BLOCKING_REASON_NOT_REPLICATED,
                    response.getRemovals(1).getBlockingPods(0).getReason());
            assertEquals(response, client.async().simulateRemoval(request).get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void estimate_addsNodesForPodsThatAGroupOfExistingNodesCannotTake(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            NodeStatus room = NodeStatus.newBuilder()
                    .putAllocatable("pods", StringValue.of("2"))
                    .build();
            ClientWorld.add(
                    client,
                    List.of(ClusterObjects.of(ClientWorld.node("node-a", "zone-a").toBuilder()
                            .setStatus(room)
                            .build())));
            PendingPods three = PendingPods.newBuilder()
                    .setPod(ClientWorld.hard())
                    .setCount(3)
                    .build();
            PlaceGroupRequest group =
                    PlaceGroupRequest.newBuilder().addPods(three).build();
            EstimateNodesRequest estimate = EstimateNodesRequest.newBuilder()
                    .addPods(three)
                    .addGroups(NodeGroup.newBuilder()
                            .setName("pool-b")
                            .setTemplate(ClientWorld.node("any", "zone-b").toBuilder()
                                    .setStatus(room)))
                    .build();

            PlaceGroupResponse placed = client.placeGroup(group);
            EstimateNodesResponse estimated = client.estimateNodes(estimate);

            assertEquals(Existence.EXISTENCE_EXCLUDED, placed.getEndState());
            assertEquals(List.of("pool-b-1"), estimated.getNewNodes(0).getNamesList());
            assertEquals(3, estimated.getStepsCount());
            assertEquals(placed, client.async().placeGroup(group).get());
            assertEquals(estimated, client.async().estimateNodes(estimate).get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void rebalance_namesTheMoves(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(0));
            Node roomy = ClientWorld.node("node-b", "zone-b").toBuilder()
                    .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of("10")))
                    .build();
            ClientWorld.add(client, List.of(ClusterObjects.of(roomy)));
            for (String name : List.of("first", "second")) {
                Pod.Builder replica = ClientWorld.pod(name, "node-a").toBuilder();
                replica.getMetadataBuilder()
                        .addOwnerReferences(OwnerReference.newBuilder()
                                .setKind("ReplicaSet")
                                .setName("web")
                                .setController(true));
                replica.getSpecBuilder()
                        .addAllTopologySpreadConstraints(
                                ClientWorld.hard().getSpec().getTopologySpreadConstraintsList());
                ClientWorld.add(client, List.of(ClusterObjects.of(replica.build())));
            }

            RebalanceResponse response = client.rebalance(RebalanceRequest.getDefaultInstance());

            assertEquals(1, response.getMovesCount());
            assertEquals(List.of("node-a", "node-b"), response.getNodesList());
            assertEquals(
                    response,
                    client.async()
                            .rebalance(RebalanceRequest.getDefaultInstance())
                            .get());
        }
    }

    @ParameterizedTest
    @EnumSource
    void spreadOfWorkloads_isListed_alsoInASession(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(0, 0));
            for (String name : List.of("first", "second")) {
                Pod.Builder replica = ClientWorld.pod(name, "node-a").toBuilder();
                replica.getMetadataBuilder()
                        .addOwnerReferences(OwnerReference.newBuilder()
                                .setKind("StatefulSet")
                                .setName("db")
                                .setController(true));
                ClientWorld.add(client, List.of(ClusterObjects.of(replica.build())));
            }
            ListSpreadRequest request =
                    ListSpreadRequest.newBuilder().setMinSkew(2).build();

            ListSpreadResponse response = client.listSpread(request);

            assertEquals("db", response.getWorkloads(0).getWorkload().getName());
            assertEquals(2, response.getWorkloads(0).getSkew());
            assertEquals(response, client.async().listSpread(request).get());
            try (Session session = client.openSession()) {
                assertEquals(
                        response.getWorkloadsList(), session.listSpread(request).getWorkloadsList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void preemption_findsThePodsThatMakeRoom(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Node.Builder node = Node.newBuilder()
                    .setMetadata(ObjectMeta.newBuilder().setName("node").setUid("node"))
                    .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of("1")));
            ClientWorld.add(
                    client,
                    List.of(ClusterObjects.of(node.build()), ClusterObjects.of(ClientWorld.pod("batch", "node"))));
            Pod.Builder pod =
                    Pod.newBuilder().setMetadata(ObjectMeta.newBuilder().setNamespace("shop"));
            pod.getSpecBuilder().setPriority(1);
            PreemptRequest request = PreemptRequest.newBuilder().setPod(pod).build();

            PreemptResponse response = client.preempt(request);

            assertEquals("batch", response.getNodes(0).getVictims(0).getPod().getName());
            assertEquals(response, client.async().preempt(request).get());
            try (Session session = client.openSession()) {
                assertEquals(response.getNodesList(), session.preempt(request).getNodesList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void victims_areRanked_alsoInASession(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(0, 0));
            for (String name : List.of("first", "second", "third")) {
                Pod.Builder replica = ClientWorld.pod(name, name.equals("first") ? "node-b" : "node-a").toBuilder();
                replica.getMetadataBuilder()
                        .addOwnerReferences(OwnerReference.newBuilder()
                                .setKind("ReplicaSet")
                                .setName("web")
                                .setController(true));
                ClientWorld.add(client, List.of(ClusterObjects.of(replica.build())));
            }
            RankVictimsRequest request = RankVictimsRequest.newBuilder()
                    .setWorkload(WorkloadReference.newBuilder()
                            .setNamespace(
                                    ClientWorld.pod("any", "").getMetadata().getNamespace())
                            .setKind("ReplicaSet")
                            .setName("web"))
                    .build();

            RankVictimsResponse response = client.rankVictims(request);

            assertEquals("second", response.getVictims(0).getName());
            assertEquals(3, response.getVictimsCount());
            assertEquals(response, client.async().rankVictims(request).get());
            try (Session session = client.openSession()) {
                assertEquals(
                        response.getVictimsList(), session.rankVictims(request).getVictimsList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void fittingNodes_areThoseWithRoom_alsoAmongGivenOnes(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Node roomy = ClientWorld.node("node-b", "zone-b").toBuilder()
                    .setStatus(NodeStatus.newBuilder()
                            .putAllocatable("cpu", StringValue.of("4"))
                            .putAllocatable("pods", StringValue.of("10")))
                    .build();
            ClientWorld.add(client, ClientWorld.zones(0));
            ClientWorld.add(client, List.of(ClusterObjects.of(roomy)));
            Query query = Query.of(ClientWorld.hard());
            EvaluateResponse fitting =
                    client.evaluate(query.among(CandidateNodes.fitting()).toEvaluate());
            assertEquals(List.of("node-b"), best(fitting));
            assertEquals(1, readable(fitting).getNodesWithoutAllocatable());
            Query named = query.among(CandidateNodes.fitting(CandidateNodes.named("node-a")));
            assertEquals(
                    "0/1 nodes are available: 1 Too many pods.",
                    readable(client.evaluate(named.toEvaluate())).getSummary());
            assertEquals(
                    List.of(NodeReason.NODE_REASON_RESOURCES),
                    PackedAnswers.of(client.filter(named.packed().toFilter())).pod(0).reasons().stream()
                            .map(ReasonCount::getReason)
                            .toList());
            assertEquals(
                    List.of("node-a"),
                    best(client.evaluate(query.among(CandidateNodes.enterable(CandidateNodes.named("node-a")))
                            .toEvaluate())));
        }
    }

    @ParameterizedTest
    @EnumSource
    void filterAndScore_judgeTheGivenCandidates(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 0));
            var filtered = client.filter(Query.of(ClientWorld.hard())
                    .among(CandidateNodes.named("node-a", "node-c", "node-x"))
                    .everyNode()
                    .toFilter());
            assertEquals(List.of("node-x"), filtered.getUnknownCandidatesList());
            assertEquals(
                    List.of(NodeCode.NODE_CODE_UNSCHEDULABLE, NodeCode.NODE_CODE_SUCCESS),
                    filtered.getAnswers(0).getReadable().getVerdictsList().stream()
                            .map(node -> node.getCode())
                            .toList());
            var scored = client.score(Query.of(ClientWorld.soft()).best(1).toScore());
            NodeScore best = scored.getAnswers(0).getReadable().getBest(0);
            assertEquals("node-c", best.getName());
            assertEquals(100, best.getScore());
        }
    }

    @ParameterizedTest
    @EnumSource
    void query_fails_untilThereIsACluster(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            PlacementException failure = assertThrows(
                    PlacementException.class,
                    () -> client.evaluate(Query.of(ClientWorld.hard()).toEvaluate()));
            assertEquals(ErrorCode.UNAVAILABLE, failure.code());
            assertFalse(client.status().getReady());
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestThatIsWrong_isRefused_namingTheField(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementException failure = assertThrows(
                    PlacementException.class,
                    () -> opened.client()
                            .assume(AssumeRequest.newBuilder()
                                    .setTimeToLive(Duration.newBuilder().setSeconds(-1))
                                    .build()));
            assertEquals(ErrorCode.INVALID_ARGUMENT, failure.code());
            assertEquals(
                    List.of("timeToLive"),
                    failure.violations().stream().map(FieldViolation::getField).toList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestOverALimit_isRefused(ClientKind kind) {
        try (Opened opened = kind.open(
                InstanceOptions.standard().withLimits(Limits.builder().pods(2).build()))) {
            ClientWorld.add(opened.client(), ClientWorld.zones(1));
            PlacementException failure = assertThrows(
                    PlacementException.class,
                    () -> opened.client()
                            .evaluate(Query.of(ClientWorld.hard(), ClientWorld.hard(), ClientWorld.hard())
                                    .toEvaluate()));
            assertEquals(ErrorCode.RESOURCE_EXHAUSTED, failure.code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void badPod_isRefusedAlone(ClientKind kind) {
        try (Opened opened = kind.open()) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            EvaluateResponse response = opened.client()
                    .evaluate(Query.of(ClientWorld.incoming(0, "DoNotSchedule"), ClientWorld.hard())
                            .toEvaluate());
            PlacementException failure =
                    PlacementException.of(response.getAnswers(0).getError());
            assertEquals(ErrorCode.INVALID_ARGUMENT, failure.code());
            assertEquals(
                    "spec.topologySpreadConstraints[0].maxSkew",
                    failure.violations().get(0).getField());
            assertEquals(1, response.getAnswers(1).getReadable().getPassedCount());
        }
    }

    @ParameterizedTest
    @EnumSource
    void query_waitsForTheRevisionThatItDemands(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            CompletableFuture<EvaluateResponse> waiting = client.async()
                    .evaluate(
                            Query.of(ClientWorld.hard()).atLeast(after(now, 1)).toEvaluate());
            assertFalse(waiting.isDone());
            ClientWorld.add(client, List.of(ClusterObjects.of(ClientWorld.pod("web-new", "node-b"))));
            assertEquals(List.of("node-a", "node-b"), best(waiting.get()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void query_reportsTheRevisionReached_whenTheOneDemandedIsNot(ClientKind kind) {
        try (Opened opened = kind.open(InstanceOptions.standard()
                .withLimits(Limits.builder()
                        .longestWait(java.time.Duration.ofMillis(20))
                        .build()))) {
            PlacementClient client = opened.client();
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            var demanding = Query.of(ClientWorld.hard()).atLeast(after(now, 1)).toEvaluate();
            PlacementException late = assertThrows(PlacementException.class, () -> client.evaluate(demanding));
            assertEquals(ErrorCode.UNAVAILABLE, late.code());
            assertEquals(Optional.of(now), late.reached());
        }
    }

    @ParameterizedTest
    @EnumSource
    void query_fails_whenItDemandsAnotherInstancesRevision(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            Revisions writes = new Revisions();
            PlacementClient faithful = client.readingOwnWrites(writes);
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            writes.saw(Revision.newBuilder()
                    .setInstance("one-that-is-gone")
                    .setCounter(1)
                    .build());
            PlacementException foreign = assertThrows(
                    PlacementException.class,
                    () -> faithful.evaluate(Query.of(ClientWorld.hard()).toEvaluate()));
            assertEquals(ErrorCode.FAILED_PRECONDITION, foreign.code());
            assertEquals(Optional.of(now), foreign.reached());
            writes.clear();
            assertEquals(
                    List.of("node-b"),
                    best(faithful.evaluate(Query.of(ClientWorld.hard()).toEvaluate())));
        }
    }

    @ParameterizedTest
    @EnumSource
    void queries_seeTheWritesMadeThroughTheView_andThoseNotedFromOthers(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            Revisions writes = new Revisions();
            PlacementClient client = opened.client().readingOwnWrites(writes);
            Revision applied = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            assertEquals(Optional.of(applied), writes.newest());
            AssumeRequest assume = AssumeRequest.newBuilder()
                    .addPods(AssumedPod.newBuilder()
                            .setPod(ClientWorld.pod("web-next", ""))
                            .setNode("node-b"))
                    .build();
            Revision assumed = client.async().assume(assume).get().getRevision();
            assertEquals(Optional.of(assumed), writes.newest());

            writes.saw(after(assumed, 1));
            CompletableFuture<EvaluateResponse> waiting =
                    client.async().evaluate(Query.of(ClientWorld.hard()).toEvaluate());
            assertFalse(waiting.isDone());
            assertEquals(
                    1,
                    client.forget(ForgetRequest.newBuilder()
                                    .addUids("uid-of-web-next")
                                    .build())
                            .getForgottenCount());
            assertEquals(List.of("node-b"), best(waiting.get()));

            Revision own = after(writes.newest().orElseThrow(), 0);
            Query already = Query.of(ClientWorld.hard()).atLeast(applied);
            writes.saw(after(own, 1_000));
            assertEquals(List.of("node-b"), best(client.evaluate(already.toEvaluate())));
        }
    }

    @ParameterizedTest
    @EnumSource
    void revisionThatIsNotReachedInTime_reportsHowFarTheStateIs(ClientKind kind) {
        try (Opened opened = kind.open(InstanceOptions.standard())) {
            Revision now =
                    ClientWorld.add(opened.client(), ClientWorld.zones(2, 1)).getRevision();
            EvaluateRequest question =
                    Query.of(ClientWorld.hard()).atLeast(after(now, 1)).toEvaluate();
            PlacementException late = toldInTime(opened.client(), hasty -> hasty.evaluate(question));
            assertEquals(ErrorCode.UNAVAILABLE, late.code());
            assertEquals(Optional.of(now), late.reached());
            PlacementException cause = toldInTime(opened.client(), hasty -> {
                ExecutionException asynchronous = assertThrows(
                        ExecutionException.class,
                        () -> hasty.async().evaluate(question).get());
                throw assertInstanceOf(PlacementException.class, asynchronous.getCause());
            });
            assertEquals(ErrorCode.UNAVAILABLE, cause.code());
            assertEquals(Optional.of(now), cause.reached());
        }
    }

    /** The failure of a call. The time to report it grows with the deadline, because a busy machine needs more. */
    private static PlacementException toldInTime(PlacementClient client, Consumer<PlacementClient> call) {
        PlacementException told = null;
        for (int millis = 400; told == null || told.code() == ErrorCode.DEADLINE_EXCEEDED; millis *= 2) {
            PlacementClient hasty = client.within(java.time.Duration.ofMillis(millis));
            told = assertThrows(PlacementException.class, () -> call.accept(hasty));
        }
        return told;
    }

    @ParameterizedTest
    @EnumSource
    void workThatTakesLonger_endsAtItsDeadline(ClientKind kind) {
        InstanceOptions unbounded = InstanceOptions.standard()
                .withLimits(Limits.builder()
                        .constraints(Integer.MAX_VALUE)
                        .newConstraints(Integer.MAX_VALUE)
                        .build());
        try (Opened opened = kind.open(unbounded)) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            EvaluateRequest many = ClientWorld.laborious();
            PlacementClient hasty = opened.client().within(java.time.Duration.ofMillis(300));
            PlacementException late = assertThrows(PlacementException.class, () -> hasty.evaluate(many));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
            ExecutionException asynchronous = assertThrows(
                    ExecutionException.class, () -> hasty.async().evaluate(many).get());
            PlacementException cause = assertInstanceOf(PlacementException.class, asynchronous.getCause());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, cause.code());
            // If the work continued, this would wait for its end.
            assertEquals(
                    1,
                    readable(opened.client()
                                    .evaluate(Query.of(ClientWorld.hard()).toEvaluate()))
                            .getPassedCount());
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(60)
    void futureThatIsCancelled_givesUpItsWait(ClientKind kind) {
        InstanceOptions options = InstanceOptions.standard()
                .withLimits(Limits.builder().waitingCalls(1).build());
        try (Opened opened = kind.open(options)) {
            PlacementClient client = opened.client();
            Revision now = ClientWorld.add(client, ClientWorld.zones(2, 1)).getRevision();
            EvaluateRequest question =
                    Query.of(ClientWorld.hard()).atLeast(after(now, 1)).toEvaluate();
            CompletableFuture<EvaluateResponse> waiting =
                    client.within(java.time.Duration.ofHours(1)).async().evaluate(question);
            PlacementException next;
            do {
                next = toldInTime(client, hasty -> hasty.evaluate(question));
            } while (next.code() != ErrorCode.RESOURCE_EXHAUSTED);
            assertTrue(waiting.cancel(true));
            assertTrue(waiting.isCancelled());
            do {
                // A server notices it a little later.
                next = toldInTime(client, hasty -> hasty.evaluate(question));
            } while (next.code() == ErrorCode.RESOURCE_EXHAUSTED);
            assertEquals(Optional.of(now), next.reached());
        }
    }

    @ParameterizedTest
    @EnumSource
    void assumedPod_counts_untilForgotten(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(1, 1, 0));
            var question = Query.of(ClientWorld.hard()).toEvaluate();
            assertEquals(List.of("node-c"), best(client.evaluate(question)));
            client.assume(AssumeRequest.newBuilder()
                    .addPods(AssumedPod.newBuilder()
                            .setPod(ClientWorld.pod("web-next", ""))
                            .setNode("node-c"))
                    .build());
            assertEquals(1, client.status().getAssumedPodCount());
            assertEquals(List.of("node-a", "node-b", "node-c"), best(client.evaluate(question)));
            client.forget(ForgetRequest.newBuilder().addUids("uid-of-web-next").build());
            assertEquals(List.of("node-c"), best(client.evaluate(question)));
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIf_judgesTheChangedCluster(ClientKind kind) {
        try (Opened opened = kind.open()) {
            ClientWorld.add(opened.client(), ClientWorld.zones(2, 1));
            WhatIfCase asItIs = WhatIfCase.newBuilder().setNode("node-a").build();
            WhatIfCase preempted = asItIs.toBuilder()
                    .setOverlay(Overlay.newBuilder()
                            .addWithout(PodReference.newBuilder()
                                    .setNamespace("shop")
                                    .setName("web-a0"))
                            .addWithout(PodReference.newBuilder().setUid("nobody")))
                    .build();
            var answers = opened.client()
                    .whatIf(WhatIfRequest.newBuilder()
                            .setPod(ClientWorld.hard())
                            .addCases(asItIs)
                            .addCases(preempted)
                            .build())
                    .getAnswersList();
            WhatIfVerdict before = answers.get(0).getVerdict();
            assertEquals(NodeCode.NODE_CODE_UNSCHEDULABLE, before.getCode());
            assertEquals(NodeReason.NODE_REASON_MAX_SKEW, before.getReason());
            WhatIfVerdict after = answers.get(1).getVerdict();
            assertEquals(NodeCode.NODE_CODE_SUCCESS, after.getCode());
            assertEquals("nobody", after.getUnknownPods(0).getUid());
        }
    }

    @ParameterizedTest
    @EnumSource
    void questionOverAChangedCluster_isAnsweredFromIt(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1));
            PodReference moved = PodReference.newBuilder()
                    .setNamespace("shop")
                    .setName("web-a0")
                    .build();
            Query asItIs = Query.of(ClientWorld.hard());
            Query changed = asItIs.over(Overlay.newBuilder()
                    .addWithout(PodReference.newBuilder().setUid("nobody"))
                    .addAdd(AddedPod.newBuilder().setReference(moved).setNode("node-b"))
                    .build());
            assertEquals(List.of("node-b"), best(client.evaluate(asItIs.toEvaluate())));
            assertEquals(List.of("node-a"), best(client.evaluate(changed.toEvaluate())));
            assertEquals(
                    "nobody",
                    client.filter(changed.toFilter()).getUnknownPods(0).getUid());
            assertEquals(
                    "nobody", client.score(changed.toScore()).getUnknownPods(0).getUid());
            assertEquals(List.of("node-b"), best(client.evaluate(asItIs.toEvaluate())));
        }
    }

    @ParameterizedTest
    @EnumSource
    void explain_showsCountsAndMinimum(ClientKind kind) throws Exception {
        try (Opened opened = kind.open()) {
            ClientWorld.add(opened.client(), ClientWorld.zones(5, 3, 2));
            ExplainResponse explained = opened.client()
                    .async()
                    .explain(ExplainRequest.newBuilder()
                            .setPod(ClientWorld.hard())
                            .build())
                    .get();
            assertEquals(2, explained.getConstraints(0).getGlobalMinimum());
            assertEquals(3, explained.getConstraints(0).getDomainsCount());
            assertEquals(1, explained.getPassedCount());
        }
    }

    @ParameterizedTest
    @EnumSource
    void explain_takesAReference_toAPodOfTheCluster(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1));
            Pod.Builder pod = ClientWorld.pod("spread", "node-a").toBuilder();
            pod.getSpecBuilder()
                    .addTopologySpreadConstraints(ClientWorld.hard().getSpec().getTopologySpreadConstraints(0));
            ClientWorld.add(
                    client, List.of(ClusterObject.newBuilder().setPod(pod).build()));
            ExplainResponse explained = client.explain(ExplainRequest.newBuilder()
                    .setPodReference(
                            PodReference.newBuilder().setNamespace("shop").setName("spread"))
                    .build());
            assertTrue(explained.getPlaced());
            assertEquals(1, explained.getConstraints(0).getGlobalMinimum());
            assertEquals(
                    List.of(1L, 2L),
                    explained.getConstraints(0).getDomainsList().stream()
                            .map(DomainExplanation::getMatchingPodCount)
                            .sorted()
                            .toList());
            PlacementException unknown = assertThrows(
                    PlacementException.class,
                    () -> client.explain(ExplainRequest.newBuilder()
                            .setPodReference(PodReference.newBuilder().setUid("nobody"))
                            .build()));
            assertEquals(ErrorReason.ERROR_REASON_POD_UNKNOWN, unknown.reason());
        }
    }

    @ParameterizedTest
    @EnumSource
    void nodeSet_isReferredToById_untilForgotten(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 1));
            var registered = client.registerNodeSet(RegisterNodeSetRequest.newBuilder()
                    .addNames("node-c")
                    .addNames("node-late")
                    .build());
            assertEquals(List.of("node-late"), registered.getUnknownNamesList());
            var question = Query.of(ClientWorld.hard())
                    .among(CandidateNodes.nodeSet(registered.getNodeSetId()))
                    .toEvaluate();
            assertEquals(List.of("node-c"), best(client.evaluate(question)));
            client.forgetNodeSet(ForgetNodeSetRequest.newBuilder()
                    .setNodeSetId(registered.getNodeSetId())
                    .build());
            PlacementException gone = assertThrows(PlacementException.class, () -> client.evaluate(question));
            assertEquals(ErrorCode.NOT_FOUND, gone.code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void packedAnswers_readAsTheReadableOnes_andTheirTableFollowsTheNodes(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 1));
            NodeTables tables = client.nodeTables();
            Query question = Query.of(ClientWorld.hard(), ClientWorld.soft());
            PackedAnswers packed =
                    PackedAnswers.of(client.evaluate(question.packed().toEvaluate()));
            EvaluateResponse readable = client.evaluate(question.everyNode().toEvaluate());
            NodeTable table = tables.of(packed);
            for (int pod = 0; pod < packed.size(); pod++) {
                PackedVerdicts verdicts = packed.pod(pod);
                for (var node : readable.getAnswers(pod).getReadable().getVerdictsList()) {
                    int index = table.index(node.getName());
                    assertEquals(node.getIndex(), index);
                    assertEquals(node.getCode(), verdicts.code(index));
                    assertEquals(node.getScore(), verdicts.score(index));
                }
                assertEquals(
                        readable.getAnswers(pod).getReadable().getBest(0).getName(),
                        table.name(verdicts.best().get(0)));
            }
            Pod homeless = ClientWorld.hard().toBuilder()
                    .setSpec(PodSpec.newBuilder()
                            .addTopologySpreadConstraints(
                                    ClientWorld.hard().getSpec().getTopologySpreadConstraints(0).toBuilder()
                                            .setTopologyKey("no-node-has-this")))
                    .build();
            PackedVerdicts nowhere = PackedAnswers.of(client.evaluate(
                            Query.of(homeless).bestAlone().best(3).toEvaluate()))
                    .pod(0);
            assertEquals(List.of(), nowhere.best());
            assertThrows(IllegalStateException.class, () -> nowhere.code(0));
            assertThrows(IllegalStateException.class, () -> nowhere.passed(0));
            assertEquals(-1, table.index("node-new"));
            assertEquals("", table.name(table.size()));

            client.apply(ApplyRequest.newBuilder()
                    .addEvents(ClusterObjects.deleted(ClusterObjects.of(ClientWorld.node("node-c", "zone-c"))))
                    .addEvents(ClusterObjects.added(ClusterObjects.of(ClientWorld.node("node-new", "zone-c"))))
                    .build());
            PackedAnswers later =
                    PackedAnswers.of(client.evaluate(question.packed().toEvaluate()));
            assertNotEquals(packed.nodeTableToken(), later.nodeTableToken());
            NodeTable refreshed = tables.of(later);
            assertEquals("node-new", refreshed.name(later.pod(0).nextPassed(refreshed.index("node-new"))));
            assertEquals(table, tables.of(packed));
            PlacementException stale = assertThrows(PlacementException.class, () -> new NodeTables(client).of(packed));
            assertEquals(ErrorCode.ABORTED, stale.code());
        }
    }

    @ParameterizedTest
    @EnumSource
    void packedAnswers_bringWhatChanged_sinceTheNewestTable(ClientKind kind) throws Exception {
        try (Opened opened = kind.open();
                EvaluationStream stream = opened.client().evaluationStream()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1));
            NodeTables tables = client.nodeTables();
            String first = tables.current().token();
            Query question = Query.of(ClientWorld.hard()).packed();
            assertFalse(client.evaluate(question.toEvaluate()).hasNodeTableChange());
            EncodedQuery encoded = EncodedQuery.of(
                    question.toEvaluate().getOptions(), ClientWorld.hard().toByteArray());
            List<Callable<EvaluateResponse>> calls = List.of(
                    () -> client.evaluate(question.toEvaluate()),
                    () -> client.evaluate(encoded),
                    () -> client.async().evaluate(question.toEvaluate()).get(),
                    () -> client.async().evaluate(encoded).get(),
                    () -> stream.evaluate(question.toEvaluate()).get(),
                    () -> stream.evaluate(encoded).get(),
                    () -> client.evaluate(question.bestAlone().toEvaluate()));
            for (int i = 0; i < calls.size(); i++) {
                String name = "node-new-" + i;
                ClientWorld.add(client, List.of(ClusterObjects.of(ClientWorld.node(name, "zone-c"))));
                EvaluateResponse response = calls.get(i).call();
                assertTrue(response.hasNodeTableChange(), name);
                assertNotEquals(first, response.getNodeTableToken());
                assertEquals(3 + i, tables.of(PackedAnswers.of(response)).size(), () -> name + " of " + response);
                assertEquals(name, tables.of(PackedAnswers.of(response)).name(2 + i));
            }
            assertFalse(
                    client.evaluate(Query.of(ClientWorld.hard()).toEvaluate()).hasNodeTableChange());
            assertFalse(client.filter(question.toFilter()).hasNodeTableChange());
            assertFalse(client.score(question.toScore()).hasNodeTableChange());
        }
    }

    @ParameterizedTest
    @EnumSource
    void candidatesByIndex_areTheNodesOfTheirTable(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient client = opened.client();
            ClientWorld.add(client, ClientWorld.zones(2, 1, 0));
            NodeTable table = client.nodeTables().current();
            BitSet indexes = new BitSet();
            indexes.set(table.index("node-b"));
            indexes.set(table.index("node-c"));
            Query question = Query.of(ClientWorld.soft()).among(CandidateNodes.indexed(table, indexes));
            assertEquals(List.of("node-c", "node-b"), best(client.evaluate(question.toEvaluate())));
            client.apply(ApplyRequest.newBuilder()
                    .addEvents(ClusterObjects.deleted(ClusterObjects.of(ClientWorld.node("node-c", "zone-c"))))
                    .addEvents(ClusterObjects.added(ClusterObjects.of(ClientWorld.node("node-new", "zone-c"))))
                    .build());
            EvaluateResponse later = client.evaluate(question.toEvaluate());
            assertEquals(List.of("node-b"), best(later));
            assertEquals(List.of("node-c"), later.getUnknownCandidatesList());
        }
    }

    @ParameterizedTest
    @EnumSource
    void nodeTables_askAgain_whenAnotherInstanceAnswers(ClientKind kind) {
        try (Opened first = kind.open();
                Opened second = kind.open()) {
            ClientWorld.add(first.client(), List.of(ClusterObjects.of(ClientWorld.node("node-old", "zone-a"))));
            ClientWorld.add(second.client(), List.of(ClusterObjects.of(ClientWorld.node("node-now", "zone-a"))));
            Switching switching = new Switching(first.client());
            NodeTables tables = switching.asClient().nodeTables();
            Query question = Query.of(ClientWorld.hard()).packed();
            PackedAnswers old = PackedAnswers.of(first.client().evaluate(question.toEvaluate()));
            assertEquals("node-old", tables.of(old).name(0));
            switching.to(second.client());
            PackedAnswers now = PackedAnswers.of(second.client().evaluate(question.toEvaluate()));
            assertNotEquals(old.nodeTableToken(), now.nodeTableToken());
            assertEquals("node-now", tables.of(now).name(0));
            assertEquals("node-now", tables.current().name(0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void call_fails_afterTheClientWasClosed(ClientKind kind) {
        try (Opened opened = kind.open()) {
            EvaluationStream stream = opened.client().evaluationStream();
            opened.client().close();
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    assertThrows(PlacementException.class, () -> opened.client().status())
                            .code());
            assertThrows(ExecutionException.class, opened.client().async().status()::get);
            assertThrows(
                    ExecutionException.class,
                    stream.evaluate(Query.of(ClientWorld.hard()).toEvaluate())::get);
            EvaluationStream later = opened.client().evaluationStream();
            ExecutionException ended = assertThrows(
                    ExecutionException.class,
                    later.evaluate(Query.of(ClientWorld.hard()).toEvaluate())::get);
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    assertInstanceOf(PlacementException.class, ended.getCause()).code());
        }
    }

    @Test
    void clientThatIsRefused_leavesNoThreads() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        EmbeddedPlacement.Builder builder = EmbeddedPlacement.builder().deadline(java.time.Duration.ZERO);
        assertThrows(IllegalArgumentException.class, builder::build);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (!before.contains(thread) && thread.getName().startsWith("evenkeel-")) {
                thread.join(10_000);
                assertFalse(thread.isAlive(), thread.getName());
            }
        }
    }

    @Test
    void call_fails_afterTheClientOfACallersChannelWasClosed() throws Exception {
        try (EvenkeelServer server = EvenkeelServer.start(ServerOptions.onLoopback(0))) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.port())
                    .usePlaintext()
                    .build();
            try {
                PlacementClient client = RemotePlacement.over(channel, java.time.Duration.ofSeconds(10));
                client.status();
                client.close();
                assertEquals(
                        ErrorCode.UNAVAILABLE,
                        assertThrows(PlacementException.class, client::status).code());
                assertThrows(ExecutionException.class, client.async().status()::get);
                EvaluationStream stream = client.evaluationStream();
                assertThrows(
                        ExecutionException.class,
                        stream.evaluate(Query.of(ClientWorld.hard()).toEvaluate())::get);
                RemotePlacement.over(channel, java.time.Duration.ofSeconds(10)).status();
            } finally {
                channel.shutdownNow();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void anyDeadline_isTaken(ClientKind kind) {
        try (Opened opened = kind.open()) {
            PlacementClient patient = opened.client().within(java.time.Duration.ofSeconds(Long.MAX_VALUE));
            assertTimeout(java.time.Duration.ofSeconds(30), () -> {
                patient.status();
                patient.evaluationStream().close();
            });
        }
    }
}
