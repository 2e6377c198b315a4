package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.NAMESPACE;
import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.constraint;
import static io.evenkeel.placement.Messages.deleted;
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
import com.google.protobuf.Timestamp;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.Candidates;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.LabelSelector;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeNames;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodDisruptionBudget;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.PreemptRequest;
import io.evenkeel.v1.PreemptResponse;
import io.evenkeel.v1.PreemptionNode;
import io.evenkeel.v1.PreemptionOutcome;
import io.evenkeel.v1.RemovePods;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests Preempt through a real server. */
final class PreemptCallTest {
    private final TestServer server = TestServer.start();

    @AfterEach
    void stop() {
        server.close();
    }

    /** Two nodes with room for two pods each, each in another zone. */
    private void feedNodes() {
        for (String zone : List.of("a", "b")) {
            Node.Builder node = node(zone + "1", zone).toBuilder();
            node.getStatusBuilder().putAllocatable("pods", StringValue.of("2"));
            server.clusterState.apply(apply(List.of(object(node.build()))));
        }
    }

    private void feed(String name, String node, int priority, long started) {
        Pod.Builder pod = pod(name, node).toBuilder();
        pod.getSpecBuilder().setPriority(priority);
        pod.getStatusBuilder().setStartTime(Timestamp.newBuilder().setSeconds(started));
        server.clusterState.apply(apply(List.of(object(pod.build()))));
    }

    private void feedFour() {
        feedNodes();
        feed("a-old", "a1", 5, 100);
        feed("a-new", "a1", 5, 200);
        feed("b-low", "b1", 0, 100);
        feed("b-high", "b1", 50, 100);
    }

    private static PreemptRequest.Builder request(int priority) {
        return request(web(), priority);
    }

    private static PreemptRequest.Builder request(Pod pod, int priority) {
        PreemptRequest.Builder request = PreemptRequest.newBuilder().setPod(pod).setNodeLimit(10);
        request.getPodBuilder().getSpecBuilder().setPriority(priority);
        return request;
    }

    private PreemptResponse ask(PreemptRequest.Builder request) {
        return server.placement.preempt(request.build());
    }

    private static List<String> victims(PreemptResponse response, int node) {
        return response.getNodes(node).getVictimsList().stream()
                .map(victim -> victim.getPod().getName())
                .toList();
    }

    @Test
    void nodes_areInTheOrderOfTheirVictims() {
        feedFour();
        PreemptResponse response = ask(request(10));
        assertEquals(PreemptionOutcome.PREEMPTION_OUTCOME_HELPFUL, response.getOutcome());
        assertEquals(
                List.of("b1", "a1"),
                response.getNodesList().stream().map(PreemptionNode::getName).toList());
        assertEquals(List.of("b-low"), victims(response, 0));
        assertEquals(List.of("a-new"), victims(response, 1));
        assertEquals(5, response.getNodes(1).getHighestPriority());
        assertEquals(5 + (1L << 31), response.getNodes(1).getPrioritySum());
        assertEquals(200, response.getNodes(1).getEarliestStartTime().getSeconds());
        assertTrue(response.getDisruptionBudgetsUnknown());

        PreemptResponse one = ask(request(10).setNodeLimit(0));
        assertEquals(1, one.getNodesCount());
        assertEquals(2, one.getHelpfulNodeCount());
    }

    @Test
    void changedPriorityOrStart_countsAtOnce() {
        feedFour();
        feed("a-old", "a1", 5, 300);
        assertEquals(List.of("a-old"), victims(ask(request(10)), 1));
        feed("b-low", "b1", 60, 100);
        assertEquals("a1", ask(request(10)).getNodesList().get(0).getName());
        assertEquals(1, ask(request(10)).getWithoutVictimsNodeCount());
    }

    @Test
    void budgets_areRespected() {
        feedFour();
        PodDisruptionBudget.Builder budget = PodDisruptionBudget.newBuilder()
                .setMetadata(ObjectMeta.newBuilder()
                        .setNamespace(NAMESPACE)
                        .setName("web")
                        .setUid("web"));
        budget.getSpecBuilder().setSelector(LabelSelector.newBuilder().putMatchLabels("app", "web"));
        budget.getStatusBuilder().putDisruptedPods("a-new", Timestamp.getDefaultInstance());
        server.clusterState.apply(apply(List.of(
                ClusterObject.newBuilder().setPodDisruptionBudget(budget).build())));
        PreemptResponse response = ask(request(10));
        assertFalse(response.getDisruptionBudgetsUnknown());
        assertEquals("a1", response.getNodes(0).getName());
        assertEquals(List.of("a-new"), victims(response, 0));
        assertEquals(0, response.getNodes(0).getBudgetViolationCount());
        assertEquals(1, response.getNodes(1).getBudgetViolationCount());
    }

    @Test
    void skew_isLoweredByVictims() {
        feedFour();
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(pod("b-low", ""))))
                .addEvents(deleted(object(pod("b-high", ""))))
                .build());
        // Both nodes have room once the limit on pods is gone, but zone a has two pods more.
        PreemptResponse response = ask(request(web(hard(ZONE)), 10)
                .setCandidates(Candidates.newBuilder()
                        .setNamed(NodeNames.newBuilder().addNames("a1").addNames("x"))));
        assertEquals(List.of("a-old", "a-new"), victims(response, 0));
        assertEquals(List.of("x"), response.getUnknownCandidatesList());
        assertEquals(1, response.getCandidateCount());
    }

    @Test
    void nothingIsSearched_ifANodeAcceptsThePod_orItMayNotPreempt() {
        feedFour();
        PreemptRequest.Builder never = request(10);
        never.getPodBuilder().getSpecBuilder().setPreemptionPolicy("Never");
        PreemptResponse refused = ask(never);
        assertEquals(PreemptionOutcome.PREEMPTION_OUTCOME_NEVER, refused.getOutcome());
        assertEquals("not eligible due to preemptionPolicy=Never.", refused.getSummary());
        server.clusterState.apply(ApplyRequest.newBuilder()
                .addEvents(deleted(object(pod("b-low", ""))))
                .build());
        PreemptResponse accepted = ask(request(10));
        assertEquals(PreemptionOutcome.PREEMPTION_OUTCOME_NOT_NEEDED, accepted.getOutcome());
        assertEquals(1, accepted.getAcceptingNodeCount());
        assertEquals(0, accepted.getNodesCount());
    }

    @Test
    void whatStillExcludesNodes_isCounted() {
        feedFour();
        PreemptRequest.Builder request = request(web(constraint("none", 1, "DoNotSchedule")), 10);
        PreemptResponse response = ask(request);
        assertEquals(PreemptionOutcome.PREEMPTION_OUTCOME_NOT_HELPFUL, response.getOutcome());
        assertEquals(2, response.getStillExcluded(0).getNodeCount());
        assertEquals(
                "0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required label).",
                response.getSummary());
    }

    @Test
    void sessions_areAsked() {
        feedFour();
        SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        assertEquals(List.of("a-new"), victims(ask(request(10).setSession(session)), 1));
        simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addOperations(SessionOperation.newBuilder()
                        .setRemovePods(RemovePods.newBuilder()
                                .addPods(PodReference.newBuilder().setUid("a-new"))))
                .build());
        assertEquals(
                PreemptionOutcome.PREEMPTION_OUTCOME_NOT_NEEDED,
                ask(request(10).setSession(session)).getOutcome());
        assertEquals(
                PreemptionOutcome.PREEMPTION_OUTCOME_HELPFUL, ask(request(10)).getOutcome());
    }

    @Test
    void classes_areKnownByTheirValueOnly() {
        feedFour();
        PreemptRequest.Builder request = request(0);
        request.getPodBuilder().getSpecBuilder().clearPriority().setPriorityClassName("system-node-critical");
        assertEquals(List.of("b-low"), victims(ask(request), 0));
        request.getPodBuilder().getSpecBuilder().setPriorityClassName("gold");
        reject(request, "must be set to the value of PriorityClass");
    }

    @Test
    void invalidRequests_areRejected() {
        feedFour();
        reject(PreemptRequest.newBuilder(), "pod must be set");
        reject(request(10).setNodeLimit(-1), "nodeLimit must be at least 0, was -1");
        PreemptRequest.Builder request = request(10);
        request.getPodBuilder().getSpecBuilder().setPreemptionPolicy("never");
        reject(request, "pod.spec.preemptionPolicy");
        reject(request(web(constraint(ZONE, 0, "DoNotSchedule")), 10), "maxSkew must be at least 1");
        assertEquals(2, ask(request(10)).getNodesCount());
    }

    private void reject(PreemptRequest.Builder request, String expected) {
        StatusRuntimeException refused = assertThrows(StatusRuntimeException.class, () -> ask(request));
        assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains(expected), message);
    }
}
