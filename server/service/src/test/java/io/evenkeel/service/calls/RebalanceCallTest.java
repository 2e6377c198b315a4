package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.soft;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.objects.PodLimits;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.ContainerPort;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.LabelSelectorRequirement;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.MovePod;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodMove;
import io.evenkeel.v1.RebalanceRequest;
import io.evenkeel.v1.RebalanceResponse;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.UnjudgedRule;
import io.evenkeel.v1.UnrepairedCause;
import io.evenkeel.v1.UnrepairedConstraint;
import io.evenkeel.v1.WorkloadReference;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests Rebalance through a real server. */
final class RebalanceCallTest {
    private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";

    private TestServer server = TestServer.start();
    private SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);
    private int pods;

    @AfterEach
    void stop() {
        server.close();
    }

    // ---- objects

    private void feedNode(String name, String zone, int room) {
        feedNode(node(name, zone), room);
    }

    private void feedNode(Node node, int room) {
        Node roomy = node.toBuilder()
                .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of(String.valueOf(room))))
                .build();
        server.clusterState.apply(apply(List.of(object(roomy))));
    }

    private void feedNodes(String... zones) {
        for (int i = 0; i < zones.length; i++) {
            feedNode("n" + i, zones[i], 100);
        }
    }

    private static Pod.Builder replica(String name, String node, TopologySpreadConstraint... constraints) {
        Pod.Builder replica = pod(name, node).toBuilder();
        replica.getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("ReplicaSet")
                        .setName("web")
                        .setController(true));
        replica.getSpecBuilder().addAllTopologySpreadConstraints(List.of(constraints));
        return replica;
    }

    private void feed(Pod.Builder replica) {
        server.clusterState.apply(apply(List.of(object(replica.build()))));
    }

    private void feed(int count, String node, TopologySpreadConstraint... constraints) {
        for (int i = 0; i < count; i++) {
            feed(replica("p" + pods++, node, constraints));
        }
    }

    private RebalanceResponse plan(RebalanceRequest.Builder request) {
        return simulation.rebalance(request.build());
    }

    private RebalanceResponse plan() {
        return plan(RebalanceRequest.newBuilder());
    }

    private static List<String> targets(RebalanceResponse plan) {
        return plan.getMovesList().stream()
                .map(move -> plan.getNodes(move.getTo()))
                .sorted()
                .toList();
    }

    // ---- the fewest moves

    @Test
    void fewestMoves_areFound_eachToANodeThatAdmitsThePod() {
        feedNodes("a", "b", "c");
        feed(1, "n1", hard(ZONE));
        feed(100, "n2", hard(ZONE));

        RebalanceResponse plan = plan();

        assertEquals(99, plan.getExcessBefore());
        assertEquals(0, plan.getExcessAfter());
        assertEquals(66, plan.getMovesCount());
        assertEquals(66, plan.getMinMoveCount());
        assertTrue(plan.getMovesList().stream().noneMatch(PodMove::getRejected));
    }

    @Test
    void constraints_areSatisfiedJointly() {
        feedNodes("a", "a", "b");
        feed(2, "n0", hard(ZONE), hard(HOSTNAME));
        feed(2, "n2", hard(ZONE), hard(HOSTNAME));

        RebalanceResponse plan = plan();

        assertEquals(1, plan.getExcessBefore());
        assertEquals(0, plan.getExcessAfter());
        assertEquals(List.of("n1"), targets(plan));
    }

    @Test
    void softConstraints_areRepairedOnRequest() {
        feedNodes("a", "b");
        feed(4, "n0", soft(ZONE));

        assertEquals(0, plan().getMovesCount());
        assertEquals(2, plan(RebalanceRequest.newBuilder().setIncludeSoft(true)).getMovesCount());
    }

    @Test
    void moves_leadToTheExcessThatThePlanStates() {
        feedNodes("a", "a", "b", "b", "c", "c");
        feed(9, "n0", hard(ZONE), hard(HOSTNAME));
        feed(4, "n3", hard(ZONE), hard(HOSTNAME));
        RebalanceResponse plan = plan();
        String session = sessionAfter(plan, plan.getMovesCount());

        assertEquals(
                0,
                server.placement
                        .listSpread(ListSpreadRequest.newBuilder()
                                .setSession(session)
                                .setViolatedOnly(true)
                                .build())
                        .getWorkloadsCount());
        assertEquals(0, plan(RebalanceRequest.newBuilder().setSession(session)).getExcessBefore());
    }

    /** A session in which the first moves of a plan are made. */
    private String sessionAfter(RebalanceResponse plan, int made) {
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        ChangeSessionRequest.Builder moves = ChangeSessionRequest.newBuilder().setSession(session);
        for (PodMove move : plan.getMovesList().subList(0, made)) {
            moves.addOperations(SessionOperation.newBuilder()
                    .setMovePod(MovePod.newBuilder().setPod(move.getPod()).setNode(plan.getNodes(move.getTo()))));
        }
        assertFalse(simulation.changeSession(moves.build()).getResultsList().stream()
                .anyMatch(result -> result.hasError()));
        return session;
    }

    // ---- moves that are only possible together

    /** The workloads that may only enter nodes which are made for them. */
    private final Set<String> withOwnNodes = new HashSet<>();

    private void feedNodeFor(List<String> workloads, String name, String zone, int room) {
        Map<String, String> labels = new HashMap<>(Map.of(HOSTNAME, name, ZONE, zone));
        workloads.forEach(workload -> labels.put(workload, ""));
        withOwnNodes.addAll(workloads);
        feedNode(node(name, labels), room);
    }

    /** Pods of a workload on these nodes, with constraints that count it only. */
    private void feedWorkload(String name, List<String> nodes, TopologySpreadConstraint... constraints) {
        for (String node : nodes) {
            Pod.Builder replica = replica(name + pods++, node);
            replica.getMetadataBuilder()
                    .putLabels("app", name)
                    .getOwnerReferencesBuilder(0)
                    .setName(name);
            for (TopologySpreadConstraint constraint : constraints) {
                replica.getSpecBuilder()
                        .addTopologySpreadConstraints(constraint.toBuilder()
                                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", name)));
            }
            if (withOwnNodes.contains(name)) {
                replica.getSpecBuilder().putNodeSelector(name, "");
            }
            feed(replica);
        }
    }

    /** Three full nodes, each of which must give a pod to the next one. */
    private void feedRing() {
        for (String zone : List.of("a", "b", "c")) {
            feedNodeFor(List.of("p", "q", "r"), "ring-" + zone, zone, 3);
        }
        feedWorkload("p", List.of("ring-a", "ring-a", "ring-c"), hard(ZONE));
        feedWorkload("q", List.of("ring-b", "ring-b", "ring-a"), hard(ZONE));
        feedWorkload("r", List.of("ring-c", "ring-c", "ring-b"), hard(ZONE));
    }

    /** Each move as its workload; with + if it is made with the next one, and with ! if its node rejects it. */
    private static List<String> chains(RebalanceResponse plan) {
        return plan.getMovesList().stream()
                .map(move -> move.getPod().getName().substring(0, 1)
                        + (move.getRejected() ? "!" : "")
                        + (move.getTogetherWithNext() ? "+" : ""))
                .toList();
    }

    /** The last move of the ring makes room for the first one; the one between does not. */
    @Test
    void chain_endsWithTheMoveThatMakesItsFirstOnePossible() {
        feedRing();
        RebalanceResponse plan = plan();
        assertEquals(0, plan.getExcessAfter());
        assertEquals(List.of("q!+", "p+", "r"), chains(plan));
    }

    /** Two pods of p and two of q change places. The second pair can do so after the first one. */
    @Test
    void exchanges_areChainsOfTheirOwn() {
        for (int i = 0; i < 5; i++) {
            feedNode("x" + i, "a", 1);
            feedNode("y" + i, "b", 1);
        }
        feedWorkload("p", List.of("x0", "x1", "x2", "x3", "x4"), hard(ZONE));
        feedWorkload("q", List.of("y0", "y1", "y2", "y3", "y4"), hard(ZONE));
        assertEquals(List.of("p!+", "q", "p!+", "q"), chains(plan()));
    }

    // ---- constraints of other workloads

    /** p must move a pod from zone a to zone b, and q one from b to a; w has a constraint that counts both. */
    private void feedOppositeMoves(int onlyInA) {
        feedNodeFor(List.of("q"), "b2", "b", 9);
        feedNodeFor(List.of("q"), "a2", "a", 9);
        feedNodeFor(List.of("p"), "a1", "a", 9);
        feedNodeFor(List.of("p"), "b1", "b", 9);
        feedWorkload("q", List.of("b2", "b2"), hard(HOSTNAME));
        feedWorkload("p", List.of("a1", "a1"), hard(HOSTNAME));
        feedWorkload("o", Collections.nCopies(onlyInA, "a1"));
        Pod.Builder watching = replica(
                "w0",
                "a1",
                hard(ZONE).toBuilder()
                        .setLabelSelector(LabelSelector.newBuilder()
                                .addMatchExpressions(LabelSelectorRequirement.newBuilder()
                                        .setKey("app")
                                        .setOperator("In")
                                        .addAllValues(List.of("p", "q", "o"))))
                        .build());
        watching.getMetadataBuilder()
                .putLabels("app", "w")
                .getOwnerReferencesBuilder(0)
                .setName("w");
        feed(watching);
    }

    @Test
    void moves_thatWouldViolateTheConstraintOfAnotherWorkload_formAChain() {
        feedOppositeMoves(0);
        assertEquals(List.of("q!+", "p"), chains(plan()));
    }

    @Test
    void move_thatViolatesNoConstraintOfAnotherWorkload_isFirst() {
        feedOppositeMoves(1);
        assertEquals(List.of("p", "q"), chains(plan()));
    }

    /** Pods of which no zone may have two, because there are too few zones, and that should be on different hosts. */
    private void feedTooMany(String name, String... nodes) {
        feedWorkload(
                name, List.of(nodes), hard(ZONE).toBuilder().setMinDomains(5).build(), hard(HOSTNAME));
    }

    @Test
    void moveThatNothingMakesPossible_isLast() {
        feedNode("a1", "a", 2);
        feedNode("a2", "a", 1);
        feedTooMany("h", "a1", "a1");
        feedRing();
        assertEquals(List.of("r!+", "q+", "p", "h!"), chains(plan()));
    }

    @Test
    void moveThatNeedsAnImpossibleOne_followsIt() {
        feedNodeFor(List.of("d"), "a1", "a", 2);
        feedNode("a2", "a", 1);
        feedNodeFor(List.of("d"), "b1", "b", 3);
        feedTooMany("h", "a1", "a1", "b1");
        feedWorkload("d", List.of("b1", "b1"), hard(ZONE));
        assertEquals(List.of("h!", "d"), chains(plan()));
    }

    /** Each of the moves needs the room of the one before it, and the first one is impossible. */
    @Test
    void chain_ends_howeverManyOtherMovesNeedAnImpossibleOne() {
        feedNodeFor(List.of("d1"), "x0", "a", 2);
        feedNode("free", "a", 1);
        for (String full : List.of("b1", "b2", "c1", "c2")) {
            feedNode(full, full.substring(0, 1), 1);
        }
        feedTooMany("h", "x0", "x0", "b1", "b2", "c1", "c2");
        for (int i = 1; i <= 12; i++) {
            feedNodeFor(List.of("d" + i, "d" + (i + 1)), "x" + i, i % 2 == 0 ? "a" : "b", 2);
            feedWorkload("d" + i, List.of("x" + i, "x" + i), hard(ZONE));
        }
        feedRing();
        RebalanceResponse plan = plan();
        assertEquals(16, plan.getMovesCount());
        assertEquals(List.of("r!+", "q+", "p", "h!"), chains(plan).subList(0, 4));
    }

    // ---- what is not repaired

    private UnrepairedCause cause(RebalanceResponse plan) {
        assertTrue(plan.getExcessAfter() > 0);
        return plan.getUnrepaired(0).getCause();
    }

    @Test
    void zonesOfDifferentSizes_conflictWithHostnames() {
        feedNodes("a", "a", "a", "a", "a", "b", "b", "c", "c");
        for (int i = 0; i < 9; i++) {
            feed(3, "n" + i, hard(ZONE), hard(HOSTNAME));
        }

        RebalanceResponse plan = plan();

        assertEquals(8, plan.getExcessBefore());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_CONFLICTS, cause(plan));
        assertEquals(plan.getMovesCount(), plan.getMinMoveCount());
    }

    @Test
    void tooFewDomains_areTheCause() {
        feedNodes("a", "b");
        TopologySpreadConstraint three = hard(ZONE).toBuilder().setMinDomains(3).build();
        feed(3, "n0", three);
        feed(3, "n1", three);

        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_TOO_FEW_DOMAINS, cause(plan()));
    }

    @Test
    void selectorThatMissesItsOwnPods_isTheCause() {
        feedNodes("a", "b");
        TopologySpreadConstraint other = hard(ZONE).toBuilder()
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "other"))
                .build();
        Pod.Builder counted = pod("alone", "n0").toBuilder();
        counted.getMetadataBuilder().putLabels("app", "other");
        feed(counted);
        feed(counted.setMetadata(
                counted.getMetadata().toBuilder().setName("alone2").setUid("alone2")));
        feed(1, "n1", other);

        RebalanceResponse plan = plan();

        assertEquals(0, plan.getMovesCount());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_COUNTS_NO_OWN_PODS, cause(plan));
    }

    @Test
    void closedDomain_isTheCause() {
        feedNodes("a");
        feedNode("full", "b", 100);
        server.clusterState.apply(apply(List.of(object(node("full", "b").toBuilder()
                .setSpec(node("full", "b").getSpec().toBuilder().setUnschedulable(true))
                .build()))));
        feed(3, "n0", hard(ZONE));

        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_DOMAIN_CLOSED, cause(plan()));
    }

    @Test
    void nodesWithoutRoom_areTheCause() {
        feedNodes("a");
        feedNode("full", "b", 0);
        feed(3, "n0", hard(ZONE));

        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_NO_ROOM, cause(plan()));
    }

    @Test
    void podsThatMayNotBeEvicted_stay() {
        feedNodes("a", "b");
        for (int i = 0; i < 3; i++) {
            Pod.Builder stays = replica("stays" + i, "n0", hard(ZONE));
            stays.getMetadataBuilder().putAnnotations(SAFE_TO_EVICT, "false");
            feed(stays);
        }
        RebalanceResponse plan = plan();
        assertEquals(0, plan.getMovesCount());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_IMMOVABLE_PODS, cause(plan));

        feed(1, "n0", hard(ZONE));
        assertEquals("p0", plan().getMoves(0).getPod().getName());
    }

    private void feedBudget(String name) {
        PodDisruptionBudget.Builder budget = PodDisruptionBudget.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setName(name)
                        .setUid(name));
        budget.getSpecBuilder().setSelector(LabelSelector.getDefaultInstance());
        budget.getStatusBuilder().setDisruptionsAllowed(9);
        server.clusterState.apply(apply(List.of(
                ClusterObject.newBuilder().setPodDisruptionBudget(budget).build())));
    }

    /** The API server evicts no such pod. */
    @Test
    void podsWithSeveralDisruptionBudgets_stay() {
        feedNodes("a", "b");
        feed(3, "n0", hard(ZONE));
        feedBudget("one");
        assertTrue(plan().getMovesCount() > 0);

        feedBudget("two");
        RebalanceResponse plan = plan();
        assertEquals(0, plan.getMovesCount());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_IMMOVABLE_PODS, cause(plan));
    }

    @Test
    void podsOfJobs_stay_unlessTheyAreSafeToEvict() {
        feedNodes("a", "b");
        for (int i = 0; i < 3; i++) {
            Pod.Builder worker = replica("worker" + i, "n0", hard(ZONE));
            worker.getMetadataBuilder().getOwnerReferencesBuilder(0).setKind("Job");
            feed(worker);
        }
        RebalanceResponse plan = plan();
        assertEquals(0, plan.getMovesCount());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_IMMOVABLE_PODS, cause(plan));

        Pod.Builder safe = replica("safe", "n0", hard(ZONE));
        safe.getMetadataBuilder()
                .putAnnotations(SAFE_TO_EVICT, "true")
                .getOwnerReferencesBuilder(0)
                .setKind("Job");
        feed(safe);
        assertEquals("safe", plan().getMoves(0).getPod().getName());
    }

    /** Equal zones need unequal nodes, so that the hostname constraint admits no more pods to b and c at last. */
    @Test
    void movesThatAreNotPossible_doNotCountForTheExcess() {
        feedNodes("a", "a", "a", "a", "a", "b", "b", "c", "c");
        for (int i = 0; i < 18; i++) {
            feed(1, "n" + i % 5, hard(ZONE), hard(HOSTNAME));
        }
        RebalanceResponse plan = plan();
        int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
        assertTrue(plan.getImpossibleMoveCount() > 0);
        PodMove impossible = plan.getMoves(possible);
        assertTrue(impossible.getRejected() && !impossible.getTogetherWithNext());
        assertEquals(
                plan.getExcessAfter(),
                plan(RebalanceRequest.newBuilder().setSession(sessionAfter(plan, possible)))
                        .getExcessBefore());
        assertEquals(
                plan.getExcessAfter(),
                plan.getUnrepairedList().stream()
                        .mapToLong(UnrepairedConstraint::getExcess)
                        .sum());
        assertEquals(
                Map.of(ZONE, UnrepairedCause.UNREPAIRED_CAUSE_IMPOSSIBLE_MOVES),
                plan.getUnrepairedList().stream()
                        .collect(Collectors.toMap(
                                UnrepairedConstraint::getTopologyKey, UnrepairedConstraint::getCause)));
    }

    /** A pod without the constraint is moved, so that the pending one may enter its zone. */
    @Test
    void constraintsThatOnlyPendingPodsHave_areRepaired() {
        feedNodes("a", "b");
        feed(3, "n0");
        feed(1, "", hard(ZONE));
        RebalanceResponse plan = plan();
        assertEquals(2, plan.getExcessBefore());
        assertEquals(0, plan.getExcessAfter());
        assertEquals(List.of("n1"), targets(plan));
    }

    /** All nodes of an empty zone but the last reject the pods, because of a constraint that counts only others. */
    @Test
    void singlePods_leaveTheFullestZonesFirst() {
        TopologySpreadConstraint ofOthers = hard(HOSTNAME).toBuilder()
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "other"))
                .build();
        for (String zone : List.of("a", "b", "c")) {
            feedNode(zone, zone, 99);
            feed(6, zone, hard(ZONE), ofOthers);
        }
        for (int i = 0; i < 8; i++) {
            feedNode("z" + i, "z", 99);
            for (int j = 0; j < 2 && i < 7; j++) {
                Pod.Builder other = pod("other" + i + j, "z" + i).toBuilder();
                other.getMetadataBuilder().putLabels("app", "other");
                feed(other);
            }
        }
        RebalanceResponse plan = plan();
        assertEquals(6, plan.getExcessBefore());
        // That of the constraint that counts only others.
        assertEquals(1, plan.getExcessAfter());
        int possible = plan.getMovesCount() - (int) plan.getImpossibleMoveCount();
        assertEquals(List.of("z7", "z7", "z7", "z7"), targets(plan).subList(0, possible));
        assertTrue(plan.getMovesList().stream().noneMatch(PodMove::getTogetherWithNext));
    }

    // ---- rules that are not judged

    @Test
    void unjudgedRules_areReported_ofThePlanAndOfEachPod() {
        feedNodes("a", "b");
        feedWorkload("judged", List.of("n0", "n0"), hard(ZONE));
        for (int i = 0; i < 2; i++) {
            Pod.Builder claiming = replica(
                    "claiming" + i,
                    "n0",
                    hard(ZONE).toBuilder()
                            .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "claiming"))
                            .build());
            claiming.getMetadataBuilder()
                    .putLabels("app", "claiming")
                    .getOwnerReferencesBuilder(0)
                    .setName("claiming");
            claiming.getSpecBuilder()
                    .addVolumesBuilder()
                    .getVolumeSourceBuilder()
                    .getPersistentVolumeClaimBuilder()
                    .setClaimName("data");
            feed(claiming);
        }

        RebalanceResponse plan = plan();

        assertEquals(List.of(UnjudgedRule.UNJUDGED_RULE_VOLUMES), plan.getUnjudgedList());
        assertEquals(
                List.of("claiming [UNJUDGED_RULE_VOLUMES] false", "judged [] true"),
                plan.getMovesList().stream()
                        .map(move -> move.getPod().getName().replaceAll("\\d", "") + " " + move.getUnjudgedList() + " "
                                + move.getSchedulerChoice())
                        .sorted()
                        .toList());
    }

    @Test
    void domainWithoutAKey_isNoPlaceForPodsOfASoftConstraint() {
        feedNodes("a");
        feedNode("full", "b", 0);
        Node without = node("keyless", Map.of(HOSTNAME, "keyless")).toBuilder()
                .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of("100")))
                .build();
        server.clusterState.apply(apply(List.of(object(without))));
        feed(4, "n0", soft(ZONE));

        RebalanceResponse plan = plan(RebalanceRequest.newBuilder().setIncludeSoft(true));

        assertEquals(0, plan.getMovesCount());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_NO_ROOM, cause(plan));
    }

    @Test
    void hugeMaxSkew_isNoLimit() {
        feedNodes("a", "a", "b");
        TopologySpreadConstraint loose =
                hard(HOSTNAME).toBuilder().setMaxSkew(Integer.MAX_VALUE).build();
        feed(6, "n0", hard(ZONE), loose);

        RebalanceResponse plan = plan();

        assertEquals(3, plan.getMovesCount());
        assertEquals(3, plan.getMinMoveCount());
    }

    @Test
    void podsWithHostPorts_needRoomAsWell() {
        feedNodes("a");
        feedNode("full", "b", 0);
        for (int i = 0; i < 3; i++) {
            Pod.Builder web = replica("web" + i, "n0", hard(ZONE));
            web.getSpecBuilder()
                    .addContainers(Container.newBuilder()
                            .setName("main")
                            .addPorts(ContainerPort.newBuilder()
                                    .setContainerPort(80)
                                    .setHostPort(8000 + i)));
            feed(web);
        }

        RebalanceResponse plan = plan();

        assertEquals(0, plan.getMovesCount());
        assertEquals(UnrepairedCause.UNREPAIRED_CAUSE_NO_ROOM, cause(plan));
    }

    @Test
    void podsWhoseConstraintsCannotBeRead_areReported_andStay() {
        feedNodes("a", "b");
        TopologySpreadConstraint invalid = hard(ZONE).toBuilder().setMaxSkew(0).build();
        feed(4, "n0", invalid);
        feed(pod("other", "n0").toBuilder());

        RebalanceResponse plan = plan();

        assertEquals(0, plan.getExcessBefore());
        assertEquals(0, plan.getMovesCount());
        assertEquals(4, plan.getUnreadable().getPodCount());
        assertEquals("web", plan.getUnreadable().getExample().getName());
        String error = plan.getUnreadable().getError();
        assertTrue(error.contains("topologySpreadConstraints[0].maxSkew"), error);

        feed(3, "n0", hard(ZONE));
        assertEquals(4, plan().getUnreadable().getPodCount());
        assertTrue(plan().getMovesCount() > 0);
    }

    @Test
    void singlePodThatCannotBeRead_isReported_andCanBeNamed() {
        feedNodes("a", "b");
        feed(1, "n0", hard(ZONE).toBuilder().setMaxSkew(0).build());
        WorkloadReference web = WorkloadReference.newBuilder()
                .setNamespace(NAMESPACE)
                .setKind("ReplicaSet")
                .setName("web")
                .build();

        assertEquals(1, plan().getUnreadable().getPodCount());
        assertEquals(
                web,
                plan(RebalanceRequest.newBuilder().addWorkloads(web))
                        .getUnreadable()
                        .getExample());
    }

    /** Readable pods that are pending would not move either. */
    @Test
    void pendingPodsThatCannotBeRead_doNotCount() {
        feedNodes("a", "b");
        TopologySpreadConstraint invalid = hard(ZONE).toBuilder().setMaxSkew(0).build();
        feed(2, "", invalid);
        assertFalse(plan().hasUnreadable());

        feed(3, "n0", invalid);
        assertEquals(3, plan().getUnreadable().getPodCount());
    }

    /** The limit on entries is for pods of requests, of which the plan makes one for each kind of pod. */
    @Test
    void podsWithMoreLabelsThanAPodMayHave_areReported_andStay() {
        server.close();
        server = TestServer.start(InstanceOptions.standard()
                .withLimits(Limits.builder().pod(new PodLimits(64, 2)).build()));
        simulation = SimulationGrpc.newBlockingStub(server.channel);
        feedNodes("a", "b");
        for (int i = 0; i < 4; i++) {
            Pod.Builder web = replica("web" + i, "n0", hard(ZONE));
            web.getMetadataBuilder().putLabels("tier", "front").putLabels("team", "one");
            feed(web);
        }
        feed(1, "n0", hard(ZONE).toBuilder().setMaxSkew(0).build());

        RebalanceResponse plan = plan();

        assertEquals(0, plan.getMovesCount());
        assertEquals(5, plan.getUnreadable().getPodCount());
    }

    // ---- requests

    /** A set that searches one cell after another would take a minute, and not end with the call. */
    @Test
    void namesOfOneHash_areNotSearchedForOneByOne() {
        feedNodes("a");
        feed(1, "n0", hard(ZONE));
        RebalanceRequest.Builder request = RebalanceRequest.newBuilder();
        for (int number = 0; number < 1 << 17; number++) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 17; bit++) {
                name.append((number >>> bit & 1) == 0 ? "Aa" : "BB");
            }
            request.addNamespaces(name.toString());
        }
        TestServer.assertRefused(
                "namespaces[0]",
                () -> simulation.withDeadlineAfter(10, TimeUnit.SECONDS).rebalance(request.build()));
    }

    @Test
    void onlyPodsOfTheNamedWorkloads_move() {
        feedNodes("a", "b");
        feed(4, "n0", hard(ZONE));
        TopologySpreadConstraint ofDb = hard(ZONE).toBuilder()
                .setLabelSelector(LabelSelector.newBuilder().putMatchLabels("app", "db"))
                .build();
        for (int i = 0; i < 4; i++) {
            Pod.Builder db = replica("db" + i, "n1", ofDb);
            db.getMetadataBuilder()
                    .putLabels("app", "db")
                    .getOwnerReferencesBuilder(0)
                    .setName("db");
            feed(db);
        }
        WorkloadReference web = WorkloadReference.newBuilder()
                .setNamespace(NAMESPACE)
                .setKind("ReplicaSet")
                .setName("web")
                .build();

        assertEquals(4, plan().getMovesCount());
        assertEquals(
                List.of("n1", "n1"), targets(plan(RebalanceRequest.newBuilder().addWorkloads(web))));
        TestServer.assertRefused(
                "workloads[0]",
                () -> plan(RebalanceRequest.newBuilder()
                        .addWorkloads(web.toBuilder().setName("other"))));
        TestServer.assertRefused(
                "workloads[0]",
                () -> plan(RebalanceRequest.newBuilder()
                        .addWorkloads(web.toBuilder().clearKind())));
        TestServer.assertRefused(
                "namespaces[0]", () -> plan(RebalanceRequest.newBuilder().addNamespaces("nowhere")));
    }
}
