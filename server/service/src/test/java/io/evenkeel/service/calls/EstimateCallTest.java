package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.EstimateNodesResponse;
import io.evenkeel.v1.Existence;
import io.evenkeel.v1.NewNodes;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.Objective;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.PlaceGroupRequest;
import io.evenkeel.v1.PlaceGroupResponse;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodSchedulingGate;
import io.evenkeel.v1.PodSpec;
import io.evenkeel.v1.PodStep;
import io.evenkeel.v1.ResourceRequirements;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.UnplacedCause;
import io.evenkeel.v1.UnplacedPods;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests EstimateNodes and PlaceGroup. That no step was corrected means that the engine's own rules admit each. */
final class EstimateCallTest {
    private final TestServer server = TestServer.start();
    private final SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void hostname_twoPodsPerNewNode_ifAllNodesAreFullWithOne() {
        fullNodes(5_000);
        EstimateNodesResponse response = estimate(1_000, web(hard(HOSTNAME)), group("new", "a", 2_000));
        assertEquals(500, newNodes(response));
        assertEquals(1_000, response.getStepsCount());
        assertTrue(response.getOptimal());
        assertFalse(response.hasEndState());
    }

    @Test
    void zoneAndHostname_groupsOfEachZoneGrow() {
        fullNodes(5_001);
        EstimateNodesResponse response = estimate(
                1_000,
                web(hard(ZONE), hard(HOSTNAME)),
                group("new-a", "z0", 1_000),
                group("new-b", "z1", 1_000),
                group("new-c", "z2", 1_000));
        assertEquals(501, newNodes(response));
        assertEquals(1_000, response.getStepsCount());
        assertEquals(3, response.getNewNodesCount());
    }

    @Test
    void daemonsTakeCapacity_andNodesOfAGroupAreNamedByFreeNumbers() {
        feed(List.of(object(roomy(node("new-1", "a"), "0", 0))));
        NodeGroup.Builder group = group("new", "a", 5).toBuilder();
        group.setTemplate(roomy(group.getTemplate(), "4", 10)).addDaemonPods(requesting(pod("daemon", ""), "1", 0));
        EstimateNodesResponse response = estimate(6, requesting(web(), "1", 0), group.build());
        assertEquals(List.of("new-2", "new-3"), response.getNewNodes(0).getNamesList());
        assertTrue(response.getOptimal());
    }

    @Test
    void daemonsThatCount_leaveNoProof() {
        feed(List.of(object(roomy(node("old", "a"), "0", 0))));
        Pod daemon = pod("daemon", "").toBuilder()
                .setSpec(PodSpec.getDefaultInstance())
                .build();
        NodeGroup plain = group("new", "a", 5);
        assertTrue(estimate(2, web(hard(ZONE)), plain).getOptimal());
        EstimateNodesResponse counted = estimate(
                2, web(hard(ZONE)), plain.toBuilder().addDaemonPods(daemon).build());
        assertFalse(counted.getOptimal());
        assertEquals(0, counted.getPriceBound());
    }

    @Test
    void rulesThatAreNotJudged_areNamed_inEstimatesAndForGroups() {
        feed(List.of(object(roomy(node("old", "a"), "4", 10))));
        Pod.Builder gated = web().toBuilder();
        gated.getSpecBuilder().addSchedulingGates(PodSchedulingGate.newBuilder().setName("wait"));
        assertEquals(List.of(), estimate(1, web()).getUnjudgedList());
        List<UnjudgedRule> gates = List.of(UnjudgedRule.UNJUDGED_RULE_SCHEDULING_GATES);
        assertEquals(gates, estimate(1, gated.build()).getUnjudgedList());
        PlaceGroupRequest group = PlaceGroupRequest.newBuilder()
                .addPods(PendingPods.newBuilder().setPod(gated))
                .build();
        assertEquals(gates, simulation.placeGroup(group).getUnjudgedList());
    }

    @Test
    void groupWithManyDaemons_hasADefaultMaximum() {
        feed(List.of(object(roomy(node("old", "a"), "0", 0))));
        NodeGroup.Builder group = group("new", "a", 0).toBuilder();
        for (int i = 0; i < 30; i++) {
            group.addDaemonPods(requesting(pod("daemon-" + i, ""), "1", 0));
        }
        assertEquals(1, newNodes(estimate(2, requesting(web(), "1", 0), group.build())));
    }

    @Test
    void hostPorts_allowOnePodPerNode() {
        feed(List.of(object(roomy(node("old", "a"), "4", 10)), object(requesting(pod("taken", "old"), "1", 80))));
        EstimateNodesResponse response = estimate(3, requesting(web(), "1", 80), group("new", "a", 9));
        assertEquals(3, newNodes(response));
    }

    @Test
    void unplaced_hasTheDomainThatHoldsTheMinimum_andWhyItTakesNoPod() {
        feed(List.of(
                object(roomy(node("old-a", "a"), "4", 5)),
                object(pod("in-a", "old-a")),
                object(roomy(node("old-b", "b"), "4", 0))));
        EstimateNodesResponse response = estimate(2, web(hard(ZONE)), group("new", "a", 9));
        assertEquals(2, response.getUnplaced(0).getCount());
        assertEquals(
                UnplacedCause.UNPLACED_CAUSE_MAX_SKEW, response.getUnplaced(0).getCause());
        assertEquals(ZONE, response.getUnplaced(0).getTopologyKey());
        assertEquals("b", response.getUnplaced(0).getMinimumDomain());
        assertEquals(
                UnplacedCause.UNPLACED_CAUSE_NO_ROOM, response.getUnplaced(0).getMinimumDomainCause());
    }

    @Test
    void newNodesAndPendingPods_haveTheirCauses() {
        feed(List.of(object(roomy(node("a1", "a"), "400", 10)), object(roomy(node("b1", "b"), "50", 10))));
        EstimateNodesResponse response = estimate(8, requesting(web(hard(ZONE)), "50", 0), group("new", "b", 1));
        assertEquals(7, response.getStepsCount());
        UnplacedPods.Builder skew = UnplacedPods.newBuilder()
                .setCause(UnplacedCause.UNPLACED_CAUSE_MAX_SKEW)
                .setTopologyKey(ZONE)
                .setMinimumDomain("b");
        assertEquals(
                List.of(skew.setCount(1)
                        .setMinimumDomainCause(UnplacedCause.UNPLACED_CAUSE_MAX_COUNT)
                        .build()),
                response.getUnplacedList());
        assertEquals(
                List.of(skew.setCount(5)
                        .setMinimumDomainCause(UnplacedCause.UNPLACED_CAUSE_NO_ROOM)
                        .build()),
                response.getUnplacedWithoutNewNodesList());
    }

    @Test
    void leastCost_prefersTwoCheapNodes() {
        feed(List.of(object(roomy(node("old", "a"), "0", 0))));
        NodeGroup large = group("large", "a", 9).toBuilder()
                .setTemplate(roomy(node("", "a"), "4", 10))
                .setPrice(5)
                .build();
        NodeGroup small = group("small", "a", 9).toBuilder()
                .setTemplate(roomy(node("", "a"), "2", 10))
                .setPrice(2)
                .build();
        EstimateNodesRequest request = EstimateNodesRequest.newBuilder()
                .addGroups(large)
                .addGroups(small)
                .addPods(pending(requesting(web(), "1", 0), 4))
                .setObjective(Objective.OBJECTIVE_LEAST_COST)
                .build();
        EstimateNodesResponse response = simulation.estimateNodes(request);
        assertEquals(4, response.getPrice());
        assertEquals("small", response.getNewNodes(0).getGroup());
        assertEquals(2, newNodes(response));
    }

    @Test
    void mixedPods_areAdmittedStepByStep() {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            objects.add(object(roomy(node("old-" + i, "z" + i % 3), "4", 4)));
            objects.add(object(requesting(pod("pod-" + i, i % 2 == 0 ? "old-0" : "old-" + i), "500m", 0)));
        }
        feed(objects);
        Pod other = requesting(web(hard(HOSTNAME)), "2", 0);
        EstimateNodesRequest request = EstimateNodesRequest.newBuilder()
                .addGroups(group("new-0", "z0", 50))
                .addGroups(group("new-3", "z3", 50))
                .addPods(pending(requesting(web(hard(ZONE)), "1", 0), 20))
                .addPods(pending(other, 7))
                .addPods(pending(
                        other.toBuilder()
                                .setMetadata(other.getMetadata().toBuilder().putLabels("app", "db"))
                                .build(),
                        5))
                .build();
        EstimateNodesResponse response = simulation.estimateNodes(request);
        assertEquals(0, response.getCorrectedStepCount());
        assertEquals(
                32,
                response.getStepsCount()
                        + response.getUnplacedList().stream()
                                .mapToInt(each -> each.getCount())
                                .sum());
        assertTrue(response.getStepsCount() >= 25, response::toString);
    }

    @Test
    void session_isAsked_andNotChanged() {
        fullNodes(3);
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addOperations(SessionOperation.newBuilder()
                        .setAddNodes(AddNodes.newBuilder()
                                .setTemplate(roomy(node("", "z0"), "100", 100))
                                .setNamePrefix("added-")
                                .setCount(2)))
                .build());
        EstimateNodesRequest request = EstimateNodesRequest.newBuilder()
                .addGroups(group("new", "z0", 10))
                .addPods(pending(web(hard(HOSTNAME)), 4))
                .build();
        assertEquals(2, newNodes(simulation.estimateNodes(request)));
        for (int i = 0; i < 2; i++) {
            EstimateNodesResponse response = simulation.estimateNodes(
                    request.toBuilder().setSession(session).build());
            assertEquals(0, newNodes(response));
            assertEquals(4, response.getStepsCount());
            assertEquals(session, response.getRevision().getSession());
        }
    }

    /** The zones must have 6 pods each, so the nodes have 3, 3; 3, 3; 2, 2, 2. No order leads there. */
    @Test
    void group_hasAnEndState_butNoOrder() {
        empty(2, 2, 3);
        PlaceGroupResponse response = place(18);
        assertEquals(Existence.EXISTENCE_FOUND, response.getEndState());
        assertEquals(Existence.EXISTENCE_EXCLUDED, response.getOrder());
        assertEquals(18, response.getStepsCount());
        assertEquals(7, nodes(response.getStepsList()));
        assertEquals(1, response.getUnplacedCount());
    }

    /** The case of kubernetes/kubernetes#109364. */
    @Test
    void group_onTwoZonesOfTwoAndOneHosts() {
        empty(2, 1);
        assertEquals(Existence.EXISTENCE_FOUND, place(5).getOrder());
        PlaceGroupResponse six = place(6);
        assertEquals(Existence.EXISTENCE_EXCLUDED, six.getOrder());
        assertEquals(0, six.getStepsCount());
        PlaceGroupResponse seven = place(7);
        assertEquals(Existence.EXISTENCE_EXCLUDED, seven.getOrder());
        assertEquals(Existence.EXISTENCE_FOUND, seven.getEndState());
    }

    @Test
    void groupWithTheLongestName_grows() {
        feed(List.of(object(roomy(node("full", "a"), "0", 0))));
        EstimateNodesResponse response = estimate(20, web(hard(HOSTNAME)), group("x".repeat(242), "a", 1_000));
        assertEquals(20, newNodes(response));
    }

    @Test
    void group_goesToTheFirstSetThatHoldsIt() {
        empty(1, 2);
        PlaceGroupRequest request = PlaceGroupRequest.newBuilder()
                .addPods(pending(web(hard(HOSTNAME)), 2))
                .addNodeSets(named("n0-0"))
                .addNodeSets(named("n1-0", "n1-1"))
                .build();
        PlaceGroupResponse response = simulation.placeGroup(request);
        assertEquals(Existence.EXISTENCE_FOUND, response.getOrder());
        assertEquals(1, response.getNodeSet());
        assertEquals(2, nodes(response.getStepsList()));
    }

    @Test
    void wrongRequests_areRejectedWithTheField() {
        empty(1);
        EstimateNodesRequest good = EstimateNodesRequest.newBuilder()
                .addGroups(group("new", "a", 1))
                .addPods(pending(web(), 1))
                .build();
        assertField("groups[1].name", good.toBuilder().addGroups(group("new", "a", 1)));
        assertField("groups[1].name", good.toBuilder().addGroups(NodeGroup.getDefaultInstance()));
        // The names of its nodes would be too long.
        assertField("groups[0].name", good.toBuilder().setGroups(0, group("x".repeat(243), "a", 1)));
        assertField("groups[0].maxCount", good.toBuilder().setGroups(0, group("new", "a", -1)));
        assertField("groups[0].maxCount", good.toBuilder().setGroups(0, group("new", "a", 20_001)));
        assertField(
                "groups[0].price",
                good.toBuilder().setGroups(0, group("new", "a", 1).toBuilder().setPrice(1)));
        assertField("pods[0].count", good.toBuilder().setPods(0, pending(web(), -1)));
        assertField("pods", good.toBuilder().setPods(0, pending(web(), 20_001)));
        assertField(
                "pods[1].pod.spec.topologySpreadConstraints[0].maxSkew",
                good.toBuilder()
                        .addPods(
                                pending(web(hard(ZONE).toBuilder().setMaxSkew(0).build()), 1)));
        TestServer.assertRefused(
                "nodeSets[0]",
                () -> simulation.placeGroup(PlaceGroupRequest.newBuilder()
                        .addPods(pending(web(), 1))
                        .addNodeSets(Candidates.getDefaultInstance())
                        .build()));
        StatusRuntimeException unknown = assertThrows(
                StatusRuntimeException.class,
                () -> simulation.estimateNodes(
                        good.toBuilder().setSession("none").build()));
        assertEquals(Status.Code.NOT_FOUND, unknown.getStatus().getCode());
    }

    private void assertField(String field, EstimateNodesRequest.Builder request) {
        TestServer.assertRefused(field, () -> simulation.estimateNodes(request.build()));
    }

    // ---- clusters and requests

    /** Nodes in three zones, each full with one pod. */
    private void fullNodes(int count) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            objects.add(object(roomy(node("old-" + i, "z" + i % 3), "100", 1)));
            objects.add(object(pod("pod-" + i, "old-" + i)));
        }
        feed(objects);
    }

    /** Zones with this many empty nodes. */
    private void empty(int... nodes) {
        List<ClusterObject> objects = new ArrayList<>();
        for (int zone = 0; zone < nodes.length; zone++) {
            for (int i = 0; i < nodes[zone]; i++) {
                objects.add(object(roomy(node("n" + zone + "-" + i, "z" + zone), "100", 100)));
            }
        }
        feed(objects);
    }

    private void feed(List<ClusterObject> objects) {
        server.clusterState.apply(apply(objects));
    }

    private EstimateNodesResponse estimate(int count, Pod pod, NodeGroup... groups) {
        EstimateNodesResponse response = simulation.estimateNodes(EstimateNodesRequest.newBuilder()
                .addAllGroups(List.of(groups))
                .addPods(pending(pod, count))
                .build());
        assertEquals(0, response.getCorrectedStepCount());
        return response;
    }

    private PlaceGroupResponse place(int count) {
        return simulation.placeGroup(PlaceGroupRequest.newBuilder()
                .addPods(pending(web(hard(ZONE), hard(HOSTNAME)), count))
                .build());
    }

    private static PendingPods pending(Pod pod, int count) {
        return PendingPods.newBuilder().setPod(pod).setCount(count).build();
    }

    private static NodeGroup group(String name, String zone, int max) {
        return NodeGroup.newBuilder()
                .setName(name)
                .setTemplate(roomy(node("", zone), "100", 100))
                .setMaxCount(max)
                .build();
    }

    private static Candidates named(String... names) {
        return Candidates.newBuilder()
                .setNamed(NodeNames.newBuilder().addAllNames(List.of(names)))
                .build();
    }

    private static Node roomy(Node node, String cpu, int pods) {
        return node.toBuilder()
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("cpu", StringValue.of(cpu))
                        .putAllocatable("pods", StringValue.of(String.valueOf(pods))))
                .build();
    }

    /** The pod with a request, and a host port unless that is 0. */
    private static Pod requesting(Pod pod, String cpu, int port) {
        Container.Builder container = Container.newBuilder()
                .setName("main")
                .setResources(ResourceRequirements.newBuilder().putRequests("cpu", StringValue.of(cpu)));
        if (port > 0) {
            container.addPorts(ContainerPort.newBuilder().setHostPort(port));
        }
        return pod.toBuilder()
                .setSpec(pod.getSpec().toBuilder().addContainers(container))
                .build();
    }

    private static int newNodes(EstimateNodesResponse response) {
        return response.getNewNodesList().stream()
                .mapToInt(NewNodes::getNamesCount)
                .sum();
    }

    private static int nodes(List<PodStep> steps) {
        return new HashSet<>(steps.stream().map(PodStep::getNode).toList()).size();
    }
}
