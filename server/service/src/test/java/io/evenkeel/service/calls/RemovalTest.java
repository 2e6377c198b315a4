package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.StringValue;
import com.google.protobuf.Timestamp;
import com.google.rpc.ErrorInfo;
import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.ClusterObjects;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.BlockingPod;
import io.evenkeel.v1.BlockingReason;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.EmptyDirVolumeSource;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeRemoval;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OtherVolumeSource;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.RemoveNode;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import io.evenkeel.v1.Toleration;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.Volume;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests SimulateRemoval through a real server. */
final class RemovalTest {
    private static final String CLUSTER_AUTOSCALER = "cluster-autoscaler.kubernetes.io/";
    private static final String SAFE_TO_EVICT = CLUSTER_AUTOSCALER + "safe-to-evict";

    private final TestServer server = TestServer.start();
    private final SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);

    @AfterEach
    void stop() {
        server.close();
    }

    // ---- spread: the two cases of cluster-autoscaler's TestSimulateNodeRemoval, and more

    /** Three nodes with one pod each, hostname maxSkew 1, minDomains 2. */
    private void phantomDomain(String taintsPolicy) {
        TopologySpreadConstraint constraint = hard(HOSTNAME).toBuilder()
                .setMinDomains(2)
                .setNodeTaintsPolicy(taintsPolicy)
                .build();
        for (int i = 1; i <= 3; i++) {
            feed(object(roomy(node("n" + i, "z"), 10)), object(constrained("p" + i, "n" + i, constraint)));
        }
    }

    @Test
    void emptiedNode_staysADomain_ifTaintsAreIgnored() {
        phantomDomain("Ignore");

        NodeRemoval removal = simulate("n1").getRemovals(0);

        assertFalse(removal.getRemovable());
        BlockingPod blocking = removal.getBlockingPods(0);
        assertEquals(BlockingReason.BLOCKING_REASON_NO_NODE, blocking.getReason());
        assertEquals("p1", blocking.getPod().getName());
        assertEquals(
                "0/3 nodes are available: 1 node(s) had untolerated taint(s), "
                        + "2 node(s) didn't match pod topology spread constraints.",
                blocking.getSummary());
        assertEquals("n1", blocking.getConstraint().getDomains(0).getValue());
        assertEquals(1, blocking.getConstraint().getDomains(0).getExclusions(0).getNodeCount());
    }

    @Test
    void emptiedNode_isNoDomain_ifTaintsAreHonored() {
        phantomDomain("Honor");

        SimulateRemovalResponse response = simulate("n1");

        assertTrue(response.getRemovals(0).getRemovable());
        assertEquals(List.of("p1 n2"), moves(response, 0));
    }

    @Test
    void nodeThatIsGoneAtOnce_isNoDomain() {
        phantomDomain("Ignore");

        SimulateRemovalResponse response =
                simulation.simulateRemoval(request("n1").setGoneAtOnce(true).build());

        assertEquals(List.of("p1 n2"), moves(response, 0));
    }

    @Test
    void podThatToleratesTheTaint_doesNotStay() {
        Pod.Builder tolerant = pod("p", "a").toBuilder();
        tolerant.getSpecBuilder().addTolerations(Toleration.newBuilder().setOperator("Exists"));
        feed(object(roomy(node("a", "z"), 10)), object(replicated(tolerant)));
        assertEquals(
                BlockingReason.BLOCKING_REASON_NO_NODE,
                simulate("a").getRemovals(0).getBlockingPods(0).getReason());
        feed(object(roomy(node("b", "z"), 10)));
        assertEquals(List.of("p b"), moves(simulate("a"), 0));
    }

    // ---- several nodes

    @Test
    void eachNodeAlone_isPutBack_together_roomIsTakenOnce() {
        feed(object(roomy(node("a", "z"), 2)), object(roomy(node("b", "z"), 2)), object(roomy(node("c", "z"), 2)));
        feed(object(replicated("a1", "a")), object(replicated("b1", "b")), object(replicated("c1", "c")));
        String[] all = {"a", "b", "c"};

        SimulateRemovalResponse alone = simulate(all);
        assertEquals(List.of(List.of("a1 b"), List.of("b1 a"), List.of("c1 a")), allMoves(alone));
        SimulateRemovalResponse together =
                simulation.simulateRemoval(request(all).setTogether(true).build());
        // The second pod of b comes from a.
        assertEquals(List.of(List.of("a1 b"), List.of(), List.of()), allMoves(together));
        assertEquals(
                List.of(true, false, false),
                together.getRemovalsList().stream()
                        .map(NodeRemoval::getRemovable)
                        .toList());
    }

    @Test
    void unknownNodes_areErrorsOfTheirOwn_andNodesAreNamedOnce() {
        feed(object(node("a", "z")));

        SimulateRemovalResponse response = simulate("unknown", "a");

        assertEquals(
                ErrorReason.ERROR_REASON_NODE_UNKNOWN,
                response.getRemovals(0).getError().getReason());
        assertTrue(response.getRemovals(1).getRemovable());
        TestServer.assertRefused("nodes[1]", () -> simulate("a", "a"));
    }

    @Test
    void sessions_areAsked_andNotChanged() {
        feed(object(roomy(node("a", "z"), 2)), object(roomy(node("b", "z"), 2)), object(roomy(node("c", "z"), 2)));
        feed(object(replicated("a1", "a")));
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addOperations(SessionOperation.newBuilder()
                        .setRemoveNode(RemoveNode.newBuilder().setNode("b")))
                .build());

        SimulateRemovalRequest request =
                request("a").setSession(session).setTogether(true).build();

        assertEquals(List.of("a1 c"), moves(simulation.simulateRemoval(request), 0));
        assertEquals(List.of("a1 c"), moves(simulation.simulateRemoval(request), 0));
        assertEquals(List.of("a1 b"), moves(simulate("a"), 0));
    }

    @Test
    void orderOfNodes_andRule_decideWherePodsGo() {
        feed(object(roomy(node("a", "z"), 2)), object(roomy(node("b", "z"), 2)), object(roomy(node("c", "z"), 2)));
        feed(object(replicated("a1", "a")));

        SimulateRemovalRequest request = request("a")
                .setRule(io.evenkeel.v1.PlacementRule.PLACEMENT_RULE_FIRST)
                .addNodeOrder("c")
                .build();

        assertEquals(List.of("a1 c"), moves(simulation.simulateRemoval(request), 0));
    }

    // ---- pods

    @Test
    void podsThatBlock_areAllNamed_withTheirReasons() {
        Pod.Builder onDisk = pod("on-disk", "a").toBuilder();
        onDisk.getSpecBuilder().addVolumes(emptyDir("cache", ""));
        feed(
                object(node("a", "z")),
                object(pod("bare", "a")),
                object(annotated("kept", "a", SAFE_TO_EVICT, "false")),
                object(annotated("job", "a", SAFE_TO_EVICT, "on-completion")),
                object(replicated(onDisk)),
                object(owned("custom", "a", "CloneSet")));

        NodeRemoval removal = simulate("a").getRemovals(0);

        assertFalse(removal.getRemovable());
        assertEquals(
                List.of(
                        "bare NOT_REPLICATED",
                        "custom NOT_REPLICATED",
                        "job RUNS_TO_COMPLETION",
                        "kept NOT_SAFE_TO_EVICT",
                        "on-disk LOCAL_STORAGE"),
                removal.getBlockingPodsList().stream()
                        .map(pod -> pod.getPod().getName() + " "
                                + pod.getReason().name().substring("BLOCKING_REASON_".length()))
                        .toList());
    }

    @Test
    void annotations_letPodsGo() {
        Pod.Builder bare = pod("bare", "a").toBuilder();
        bare.getMetadataBuilder().putAnnotations(SAFE_TO_EVICT, "true");
        Pod.Builder exempt = pod("exempt", "a").toBuilder();
        exempt.getMetadataBuilder().putAnnotations(SAFE_TO_EVICT + "-local-volumes", "logs,cache");
        exempt.getSpecBuilder()
                .addVolumes(emptyDir("cache", ""))
                .addVolumes(Volume.newBuilder().setName("logs").setHostPath(OtherVolumeSource.getDefaultInstance()));
        Pod.Builder inMemory = pod("in-memory", "a").toBuilder();
        inMemory.getSpecBuilder().addVolumes(emptyDir("cache", "Memory"));
        feed(object(roomy(node("a", "z"), 9)), object(roomy(node("b", "z"), 9)));
        feed(object(bare.build()), object(replicated(exempt)), object(replicated(inMemory)));

        NodeRemoval removal = simulate("a").getRemovals(0);

        assertEquals(List.of(), removal.getBlockingPodsList());
        assertEquals(3, removal.getPodsCount());
        assertEquals(List.of(), removal.getUnjudgedList());
    }

    @Test
    void mirrorPods_daemonPods_andPodsThatTerminateForLong_endWithTheNode() {
        feed(
                object(node("a", "z")),
                object(annotated("static", "a", "kubernetes.io/config.mirror", "")),
                object(owned("agent", "a", "DaemonSet")),
                object(annotated("agent-2", "a", CLUSTER_AUTOSCALER + "daemonset-pod", "true")),
                object(terminating("old", "a", 100)));

        NodeRemoval removal = simulate("a").getRemovals(0);

        assertTrue(removal.getRemovable());
        assertEquals(1, removal.getMirrorPodCount());
        assertEquals(2, removal.getDaemonPodCount());
        assertEquals(1, removal.getGonePodCount());
        assertEquals(0, removal.getPodsCount());
    }

    @Test
    void podThatTerminates_movesUntilItsGracePeriodIsOver() {
        feed(object(node("a", "z")), object(roomy(node("b", "z"), 9)), object(terminating("ending", "a", 20)));
        assertEquals(List.of("ending b"), moves(simulate("a"), 0));

        // The same pod, with a later version that says that it began earlier.
        feed(object(terminating("ending", "a", 1_000)));
        assertEquals(1, simulate("a").getRemovals(0).getGonePodCount());
    }

    @Test
    void rulesThatAreNotJudged_areReported() {
        Pod.Builder claiming = pod("p", "a").toBuilder();
        claiming.getSpecBuilder()
                .addVolumesBuilder()
                .getVolumeSourceBuilder()
                .getPersistentVolumeClaimBuilder()
                .setClaimName("data");
        feed(object(node("a", "z")), object(roomy(node("b", "z"), 9)), object(replicated(claiming)));

        assertEquals(
                List.of(UnjudgedRule.UNJUDGED_RULE_VOLUMES),
                simulate("a").getRemovals(0).getUnjudgedList());
    }

    @Test
    void zoneThatHoldsTheMinimum_isNamed_withWhatExcludesItsNodes() {
        feed(object(roomy(node("a", "z1"), 9)), object(roomy(node("b", "z1"), 9)), object(roomy(node("c", "z2"), 1)));
        TopologySpreadConstraint zone = hard(ZONE);
        feed(
                object(constrained("a1", "a", zone)),
                object(constrained("b1", "b", zone)),
                object(constrained("c1", "c", zone)),
                object(constrained("b2", "b", zone)));

        BlockingPod blocking = simulate("a").getRemovals(0).getBlockingPods(0);

        assertEquals("z2", blocking.getConstraint().getDomains(0).getValue());
        assertEquals(
                "Too many pods",
                blocking.getConstraint().getDomains(0).getExclusions(0).getMessage());
    }

    // ---- disruption budgets

    private void threeNodesOfTwoPods() {
        feed(object(roomy(node("a", "z"), 9)), object(roomy(node("b", "z"), 9)), object(roomy(node("c", "z"), 9)));
        feed(
                object(labeled("a1", "a", "web")),
                object(labeled("a2", "a", "db")),
                object(labeled("b1", "b", "web")),
                object(labeled("b2", "b", "web")));
    }

    @Test
    void podOfABudgetThatAllowsNoEviction_blocks_andTheBudgetIsNamed() {
        threeNodesOfTwoPods();
        feed(budget("web", "web", 0), budget("all", "", 0), budget("other", "other", 0), budget("none", null, 0));

        NodeRemoval removal = simulate("a").getRemovals(0);

        assertFalse(removal.getRemovable());
        assertEquals(
                List.of("a1 [all, web]", "a2 [all]"),
                removal.getBlockingPodsList().stream()
                        .map(pod -> pod.getPod().getName() + " " + pod.getDisruptionBudgetsList())
                        .toList());
        assertEquals(
                BlockingReason.BLOCKING_REASON_NOT_ENOUGH_DISRUPTION_BUDGET,
                removal.getBlockingPods(0).getReason());
        feed(budget("all", "", 1), budget("web", "web", 1));
        assertTrue(simulate("a").getRemovals(0).getRemovable());
        assertFalse(simulate("a").getDisruptionBudgetsUnknown());
    }

    @Test
    void podsThatLeaveTogether_takeDisruptions_andThoseOfANodeThatStaysDoNot() {
        threeNodesOfTwoPods();
        feed(budget("web", "web", 2));
        String[] both = {"a", "b"};

        assertEquals(List.of(true, true), removable(request(both)));
        assertEquals(List.of(true, true), removable(request(both).setTogether(true)));
        assertEquals(
                List.of(false, true),
                simulation.simulateRemoval(request(both).setTogether(true).build()).getRemovalsList().stream()
                        .map(NodeRemoval::getExceedsDisruptionBudget)
                        .toList());
        feed(budget("web", "web", 1));
        assertEquals(List.of(true, false), removable(request(both).setTogether(true)));
        assertEquals(List.of(true, true), removable(request("b", "a")));
        // A bare pod blocks a, so a takes nothing.
        feed(object(pod("bare", "a")));
        assertEquals(List.of(false, true), removable(request(both).setTogether(true)));
    }

    @Test
    void podThatIsSafeToEvict_ignoresItsBudget_butTakesADisruption() {
        feed(object(roomy(node("a", "z"), 9)), object(roomy(node("b", "z"), 9)), object(roomy(node("c", "z"), 9)));
        Pod.Builder safe = labeled("a1", "a", "web").toBuilder();
        safe.getMetadataBuilder().putAnnotations(SAFE_TO_EVICT, "true");
        feed(object(safe.build()), object(labeled("b1", "b", "web")), budget("web", "web", 0));
        assertEquals(List.of(true, false), removable(request("a", "b").setTogether(true)));
        feed(budget("web", "web", 1));
        assertEquals(List.of(true, false), removable(request("a", "b").setTogether(true)));
        assertEquals(List.of(true, true), removable(request("a", "b")));
    }

    @Test
    void session_hasTheBudgetsOfWhenItWasOpened() {
        threeNodesOfTwoPods();
        feed(budget("web", "web", 0));
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        feed(budget("web", "web", 1));

        assertEquals(List.of(true), removable(request("a")));
        assertEquals(List.of(false), removable(request("a").setSession(session)));
    }

    @Test
    void answerSaysThatBudgetsAreUnknown_untilTheyAreFed() {
        try (PlacementClient client = RemotePlacement.connect("127.0.0.1:" + server.server.port());
                ClusterFeed feed = client.feed()) {
            // A feeder that does not name its kinds may not know budgets.
            feed.snapshot(Set.of(), List.of(object(node("a", "z"))).iterator());
            assertTrue(simulate("a").getDisruptionBudgetsUnknown());
            SimulateRemovalRequest recent = request("a")
                    .setFreshness(Freshness.newBuilder()
                            .setMaxAge(Duration.newBuilder().setSeconds(600)))
                    .build();
            StatusRuntimeException refused =
                    assertThrows(StatusRuntimeException.class, () -> simulation.simulateRemoval(recent));
            assertEquals(
                    "OBJECT_KIND_POD_DISRUPTION_BUDGET",
                    TestServer.detail(refused, ErrorInfo.class).getMetadataOrThrow("kinds"));
            feed.snapshot(
                    Set.of(ObjectKind.OBJECT_KIND_POD_DISRUPTION_BUDGET),
                    List.of(budget("web", "web", 1)).iterator());
            assertFalse(simulation.simulateRemoval(recent).getDisruptionBudgetsUnknown());
        }
    }

    @Test
    void budgetsOfAListThatHasNotEnded_areNotRespected() throws Exception {
        threeNodesOfTwoPods();
        BlockingClientCall<SyncRequest, SyncResponse> sync =
                ClusterStateGrpc.newBlockingV2Stub(server.channel).sync();
        sync.write(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder().addKinds(ObjectKind.OBJECT_KIND_POD_DISRUPTION_BUDGET))
                .build());
        assertNotNull(sync.read());
        sync.write(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addObjects(budget("web", "web", 0)))
                .build());
        assertNotNull(sync.read());

        SimulateRemovalResponse response = simulate("a");

        assertTrue(response.getDisruptionBudgetsUnknown());
        assertEquals(List.of(), response.getRemovals(0).getBlockingPodsList());
        assertTrue(response.getRemovals(0).getRemovable());
        sync.write(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build());
        assertNotNull(sync.read());
        assertFalse(simulate("a").getRemovals(0).getRemovable());
        sync.cancel("done", null);
    }

    @Test
    void answerThatIsTooLarge_isRejected_evenIfItIsMostlySummaries() {
        try (TestServer small = TestServer.start(InstanceOptions.standard()
                .withLimits(Limits.builder().responseBytes(2_000).build()))) {
            List<ClusterObject> objects = new ArrayList<>();
            List<String> nodes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                nodes.add("n" + i);
                objects.add(object(roomy(node("n" + i, "z"), 1)));
                objects.add(object(replicated("p" + i, "n" + i)));
            }
            small.clusterState.apply(apply(objects));
            SimulateRemovalRequest request =
                    SimulateRemovalRequest.newBuilder().addAllNodes(nodes).build();
            StatusRuntimeException error = assertThrows(
                    StatusRuntimeException.class,
                    () -> SimulationGrpc.newBlockingStub(small.channel).simulateRemoval(request));
            assertEquals(
                    "ERROR_REASON_LIMIT_EXCEEDED",
                    TestServer.detail(error, ErrorInfo.class).getReason());
        }
    }

    @Test
    void invalidSelector_isRefused_andItsFieldIsNamed() {
        ClusterObject.Builder budget = budget("web", "web", 1).toBuilder();
        budget.getPodDisruptionBudgetBuilder()
                .getSpecBuilder()
                .getSelectorBuilder()
                .addMatchExpressionsBuilder()
                .setKey("tier")
                .setOperator("Gt");
        assertEquals(
                "object.podDisruptionBudget.spec.selector.matchExpressions[0].operator",
                server.clusterState
                        .apply(apply(List.of(budget.build())))
                        .getRefusals(0)
                        .getError()
                        .getViolations(0)
                        .getField());
    }

    private List<Boolean> removable(SimulateRemovalRequest.Builder request) {
        return simulation.simulateRemoval(request.build()).getRemovalsList().stream()
                .map(NodeRemoval::getRemovable)
                .toList();
    }

    private static Pod labeled(String name, String node, String app) {
        Pod.Builder pod = pod(name, node).toBuilder();
        pod.getMetadataBuilder().putLabels("app", app);
        return replicated(pod);
    }

    /** @param app the label that it selects; empty for all pods, null for none */
    private static ClusterObject budget(String name, @Nullable String app, int allowed) {
        PodDisruptionBudget.Builder budget = PodDisruptionBudget.newBuilder();
        budget.getMetadataBuilder()
                .setNamespace(pod("any", "").getMetadata().getNamespace())
                .setName(name)
                .setUid("budget-" + name);
        budget.getStatusBuilder().setDisruptionsAllowed(allowed);
        if (app != null) {
            LabelSelector.Builder selector = budget.getSpecBuilder().getSelectorBuilder();
            if (!app.isEmpty()) {
                selector.putMatchLabels("app", app);
            }
        }
        return ClusterObjects.of(budget.build());
    }

    // ---- objects

    private static Node roomy(Node node, int pods) {
        return node.toBuilder()
                .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of(String.valueOf(pods))))
                .build();
    }

    private static Pod replicated(String name, String node) {
        return replicated(pod(name, node).toBuilder());
    }

    private static Pod replicated(Pod.Builder pod) {
        return ownedBy(pod, "ReplicaSet");
    }

    private static Pod owned(String name, String node, String kind) {
        return ownedBy(pod(name, node).toBuilder(), kind);
    }

    private static Pod ownedBy(Pod.Builder pod, String kind) {
        pod.getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder().setKind("Node").setName("no controller"))
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setKind(kind)
                        .setName("owner")
                        .setApiVersion("apps/v1")
                        .setController(true));
        return pod.build();
    }

    private static Pod annotated(String name, String node, String key, String value) {
        Pod.Builder pod = pod(name, node).toBuilder();
        pod.getMetadataBuilder().putAnnotations(key, value);
        return replicated(pod);
    }

    private static Pod constrained(String name, String node, TopologySpreadConstraint constraint) {
        Pod.Builder pod = pod(name, node).toBuilder();
        pod.getSpecBuilder().addTopologySpreadConstraints(constraint);
        return replicated(pod);
    }

    private static Pod terminating(String name, String node, long secondsAgo) {
        Pod.Builder pod = pod(name, node).toBuilder();
        pod.getSpecBuilder().setTerminationGracePeriodSeconds(60);
        pod.getMetadataBuilder()
                .setDeletionTimestamp(
                        Timestamp.newBuilder().setSeconds(Instant.now().getEpochSecond() - secondsAgo));
        return replicated(pod);
    }

    private static Volume emptyDir(String name, String medium) {
        Volume.Builder volume = Volume.newBuilder().setName(name);
        volume.getVolumeSourceBuilder()
                .setEmptyDir(EmptyDirVolumeSource.newBuilder().setMedium(medium));
        return volume.build();
    }

    // ---- calls

    private void feed(ClusterObject... objects) {
        server.clusterState.apply(apply(List.of(objects)));
    }

    private static SimulateRemovalRequest.Builder request(String... nodes) {
        return SimulateRemovalRequest.newBuilder().addAllNodes(List.of(nodes));
    }

    private SimulateRemovalResponse simulate(String... nodes) {
        return simulation.simulateRemoval(request(nodes).build());
    }

    private static List<String> moves(SimulateRemovalResponse response, int of) {
        NodeRemoval removal = response.getRemovals(of);
        return IntStream.range(0, removal.getPodsCount())
                .mapToObj(i ->
                        removal.getPods(i).getName() + " " + response.getDestinations(removal.getPodDestinations(i)))
                .toList();
    }

    private static List<List<String>> allMoves(SimulateRemovalResponse response) {
        List<List<String>> all = new ArrayList<>();
        for (int i = 0; i < response.getRemovalsCount(); i++) {
            all.add(moves(response, i));
        }
        return all;
    }
}
