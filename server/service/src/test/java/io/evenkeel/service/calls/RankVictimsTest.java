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
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ConstraintSpread;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.RankVictimsRequest;
import io.evenkeel.v1.RankVictimsResponse;
import io.evenkeel.v1.RankedVictim;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.evenkeel.v1.VictimStage;
import io.evenkeel.v1.WorkloadReference;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests RankVictims through a real server. */
final class RankVictimsTest {
    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    // ---- objects: zones a and b with the nodes a1, a2 and b1

    private void feedNodes() {
        server.clusterState.apply(
                apply(List.of(object(node("a1", "a")), object(node("a2", "a")), object(node("b1", "b")))));
    }

    private void feed(Pod... pods) {
        server.clusterState.apply(
                apply(Arrays.stream(pods).map(each -> object(each)).toList()));
    }

    private static Pod of(
            String owner, String kind, String name, String node, TopologySpreadConstraint... constraints) {
        Pod.Builder pod = pod(name, node).toBuilder();
        pod.getMetadataBuilder()
                .putLabels("pod-template-hash", "1")
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind(kind)
                        .setName(owner)
                        .setController(true));
        pod.getSpecBuilder().addAllTopologySpreadConstraints(List.of(constraints));
        return pod.build();
    }

    private static Pod web(String name, String node, TopologySpreadConstraint... constraints) {
        return of("web-1", "ReplicaSet", name, node, constraints);
    }

    private static RankVictimsRequest.Builder ask(String kind, String name) {
        return RankVictimsRequest.newBuilder()
                .setWorkload(WorkloadReference.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setKind(kind)
                        .setName(name));
    }

    private RankVictimsResponse rank(RankVictimsRequest.Builder request) {
        return server.placement.rankVictims(request.build());
    }

    private static List<String> names(RankVictimsResponse response) {
        return response.getVictimsList().stream().map(RankedVictim::getName).toList();
    }

    // ---- answers

    @Test
    void podsOfTheFullestDomain_goFirst_andTheSkewsThatRemainAreGiven() {
        feedNodes();
        feed(
                web("p1", "a1", hard(ZONE), soft(HOSTNAME)),
                web("p2", "a1", hard(ZONE), soft(HOSTNAME)),
                web("p3", "a2", hard(ZONE), soft(HOSTNAME)),
                web("p4", "b1", hard(ZONE), soft(HOSTNAME)));

        RankVictimsResponse response = rank(ask("Deployment", "web"));

        assertEquals(
                WorkloadReference.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setKind("ReplicaSet")
                        .setName("web-1")
                        .build(),
                response.getController());
        assertEquals(4, response.getPodCount());
        assertEquals(
                List.of(2L, 1L),
                response.getConstraintsList().stream()
                        .map(ConstraintSpread::getSkew)
                        .toList());
        assertEquals("DoNotSchedule", response.getConstraints(0).getWhenUnsatisfiable());
        assertEquals("p1", response.getVictims(0).getName());
        assertEquals("p1", response.getVictims(0).getUid());
        assertEquals("a1", response.getVictims(0).getNodeName());
        assertEquals(List.of(1L, 0L), response.getVictims(0).getSkewsList());
        assertEquals(4, response.getVictimsCount());
        assertEquals(List.of(0L, 0L), response.getVictims(3).getSkewsList());
        assertEquals(names(response), names(rank(ask("ReplicaSet", "web-1"))));
        assertEquals(List.of("p1"), names(rank(ask("ReplicaSet", "web-1").setCount(1))));
    }

    @Test
    void podsWithoutANode_goFirst_thenStages_whateverTheSkewIs() {
        feedNodes();
        feed(
                web("p1", "a1", hard(ZONE)),
                web("p2", "a2", hard(ZONE)),
                web("p3", "b1", hard(ZONE)),
                web("p4", "", hard(ZONE)));

        RankVictimsResponse response = rank(ask("Deployment", "web")
                .addStages(VictimStage.newBuilder().addPods("p3"))
                .addStages(VictimStage.newBuilder().addPods("p3").addPods("p2").addPods("none")));

        assertEquals(List.of("p4", "p3", "p2", "p1"), names(response));
        assertEquals("", response.getVictims(0).getNodeName());
        assertEquals(List.of(1L), response.getVictims(0).getSkewsList());
        assertEquals(List.of(2L), response.getVictims(1).getSkewsList());
    }

    @Test
    void podsWithoutConstraints_areRankedByZoneAndHostname() {
        feedNodes();
        feed(web("p1", "b1"), web("p2", "a1"), web("p3", "a1"));

        RankVictimsResponse response = rank(ask("Deployment", "web").setCount(1));

        assertEquals(List.of("p2"), names(response));
        assertEquals(
                List.of(ZONE, HOSTNAME),
                response.getConstraintsList().stream()
                        .map(ConstraintSpread::getTopologyKey)
                        .toList());
        assertEquals(List.of(0L, 1L), response.getVictims(0).getSkewsList());
    }

    @Test
    void podsOfOthers_count_butAreNoVictims() {
        feedNodes();
        feed(
                web("p1", "a1", hard(ZONE)),
                web("p2", "b1", hard(ZONE)),
                pod("other", "b1"),
                of("x-1", "ReplicaSet", "x", "b1"));

        RankVictimsResponse response = rank(ask("ReplicaSet", "web-1"));

        assertEquals(List.of("p2", "p1"), names(response));
        assertEquals(3, response.getConstraints(0).getMaximum());
        assertEquals(List.of(1L), response.getVictims(0).getSkewsList());
    }

    @Test
    void session_isAnsweredFromItsOwnState() {
        feedNodes();
        feed(web("p1", "a1", hard(ZONE)), web("p2", "b1", hard(ZONE)));
        String session = SimulationGrpc.newBlockingStub(server.channel)
                .openSession(OpenSessionRequest.getDefaultInstance())
                .getSession();
        feed(web("p3", "b1", hard(ZONE)));

        assertEquals(2, rank(ask("Deployment", "web").setSession(session)).getPodCount());
        assertEquals(List.of("p2", "p1", "p3"), names(rank(ask("Deployment", "web"))));
    }

    // ---- bad input

    @Test
    void workloads_withOtherRulesOrNoPods_areRefused_withTheReason() {
        feedNodes();
        feed(of("db", "StatefulSet", "db-0", "a1"));
        assertSaid("workload.kind", "the pod with the highest ordinal first", ask("StatefulSet", "db"));
        assertSaid("workload.kind", "a pod on each of its nodes", ask("DaemonSet", "agent"));
        assertSaid("workload.kind", "deletion cost", ask("Job", "once"));
        assertSaid("workload.kind", "are not known", ask("CloneSet", "web"));
        assertSaid("workload", "Deployment \"shop/none\" has none", ask("Deployment", "none"));
        assertSaid("workload", "must have namespace", ask("", "web"));
        TestServer.assertRefused("count", () -> rank(ask("Deployment", "web").setCount(-1)));
    }

    @Test
    void deploymentThatRollsOut_isRefused_andItsReplicaSetsAreNamed() {
        feedNodes();
        Pod.Builder next = of("web-2", "ReplicaSet", "p2", "a1").toBuilder();
        next.getMetadataBuilder().putLabels("pod-template-hash", "2");
        feed(web("p1", "a1"), next.build());

        assertSaid("workload", "\"web-1\", \"web-2\"", ask("Deployment", "web"));
        assertEquals(List.of("p2"), names(rank(ask("ReplicaSet", "web-2"))));
    }

    private void assertSaid(String field, String why, RankVictimsRequest.Builder request) {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, () -> rank(request));
        assertEquals(List.of(field), TestServer.fieldsOf(refused));
        String said = String.valueOf(refused.getMessage());
        assertTrue(said.contains(why), said);
    }

    @Test
    void limits_boundStagesAndAnswers() {
        try (TestServer small = TestServer.start(InstanceOptions.standard()
                .withLimits(Limits.builder().responseBytes(500).names(3).build()))) {
            List<Pod> pods = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                pods.add(web("pod-" + i, "a1", hard(ZONE)));
            }
            small.clusterState.apply(apply(List.of(object(node("a1", "a")))));
            small.clusterState.apply(
                    apply(pods.stream().map(each -> object(each)).toList()));
            RankVictimsRequest.Builder request = ask("Deployment", "web");
            TestServer.assertRefused("count", () -> small.placement.rankVictims(request.build()));
            assertFalse(small.placement
                    .rankVictims(request.setCount(3).build())
                    .getVictimsList()
                    .isEmpty());
            request.addStages(VictimStage.newBuilder().addPods("a").addPods("b").addPods("c"));
            TestServer.assertRefused("stages", () -> small.placement.rankVictims(request.build()));
        }
    }
}
