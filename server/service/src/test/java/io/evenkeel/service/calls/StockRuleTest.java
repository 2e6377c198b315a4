package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.StringValue;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Container;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeSelectorRequirement;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OwnerReference;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.PodResourceClaim;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledPods;
import io.evenkeel.v1.SimulateRemovalRequest;
import io.evenkeel.v1.SimulateRemovalResponse;
import io.evenkeel.v1.SimulationGrpc;
import io.evenkeel.v1.Taint;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests PLACEMENT_RULE_STOCK through a real server. */
final class StockRuleTest {
    private final TestServer server = TestServer.start();
    private final SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void podsWithoutRequests_countWithTheDefaults() {
        feed(object(roomy("a")), object(roomy("b")), object(roomy("c")), object(idle(pod("p", "b"))));

        ScheduleResponse response = schedule(idle(web()), 5);

        assertEquals(List.of("a", "c", "a", "b", "c"), placements(response));
        assertEquals(List.of("ImageLocality", "InterPodAffinity"), response.getNotScoredList());
    }

    @Test
    void pods_goWhereCpuAndMemoryBecomeMoreBalanced() {
        // Both have 60 percent unused in the mean; on b, the pod takes what is unused most.
        feed(
                object(roomy("a")),
                object(roomy("b")),
                object(asking(pod("p", "a"), "2", "1Gi")),
                object(asking(pod("q", "b"), "500m", "4Gi")));

        assertEquals(List.of("b"), placements(schedule(asking(web(), "1", "256Mi"), 1)));
    }

    @Test
    void nodes_thatThePodPrefers_comeFirst() {
        feed(object(roomy("a")), object(roomy("b")), object(roomy("c")));

        ScheduleResponse response = schedule(preferring(idle(web()), "c", 1), 3);

        assertEquals(List.of("c", "c", "c"), placements(response));
    }

    @Test
    void nodes_withATaintThatOnlyDeters_comeLast() {
        Node.Builder deterrent = roomy("a").toBuilder();
        deterrent.getSpecBuilder().addTaints(Taint.newBuilder().setKey("spot").setEffect("PreferNoSchedule"));
        feed(object(deterrent.build()), object(roomy("b")));

        assertEquals(List.of("b", "b"), placements(schedule(idle(web()), 2)));
    }

    /** A hundred times this memory exceeds 64 bits, so that the score is negative, as in kube-scheduler. */
    @Test
    void node_isChosen_evenIfItsSumIsNegative() {
        Node.Builder node = node("a", "z").toBuilder();
        node.getSpecBuilder().addTaints(Taint.newBuilder().setKey("spot").setEffect("PreferNoSchedule"));
        node.getStatusBuilder()
                .putAllocatable("pods", StringValue.of("10"))
                .putAllocatable("memory", StringValue.of("93P"));
        feed(object(node.build()));

        assertEquals(List.of("a"), placements(schedule(idle(web()), 1)));
    }

    @Test
    void otherRules_doNotScoreSo() {
        feed(object(roomy("a")), object(roomy("b")));
        ScheduleResponse response = simulation.schedule(ScheduleRequest.newBuilder()
                .addPods(ScheduledPods.newBuilder().setPod(preferring(idle(web()), "b", 100)))
                .build());

        assertEquals(List.of("a"), placements(response));
        assertEquals(List.of(), response.getNotScoredList());
    }

    @Test
    void podsOfASession_andAssumedPods_countForTheNext() {
        feed(object(roomy("a")), object(roomy("b")));
        ScheduleRequest.Builder request = ScheduleRequest.newBuilder().setRule(PlacementRule.PLACEMENT_RULE_STOCK);
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        ScheduleRequest inSession = request.clone()
                .setSession(session)
                .addPods(ScheduledPods.newBuilder().setPod(idle(web())))
                .build();
        assertEquals(List.of("a"), placements(simulation.schedule(inSession)));
        assertEquals(List.of("b"), placements(simulation.schedule(inSession)));

        for (int i = 0; i < 2; i++) {
            Pod.Builder own = idle(web()).toBuilder();
            own.getMetadataBuilder().setName("web-" + i).setUid(new UUID(1, i).toString());
            ScheduleResponse response = simulation.scheduleAndAssume(request.clone()
                    .addPods(ScheduledPods.newBuilder().setPod(own))
                    .build());
            assertEquals(List.of(i == 0 ? "a" : "b"), placements(response));
        }
    }

    @Test
    void moreThanAHundredPods_areNotAssumedAtOnce() {
        ScheduleRequest request = ScheduleRequest.newBuilder()
                .setRule(PlacementRule.PLACEMENT_RULE_STOCK)
                .addAllPods(Collections.nCopies(101, ScheduledPods.getDefaultInstance()))
                .build();
        StatusRuntimeException error =
                assertThrows(StatusRuntimeException.class, () -> simulation.scheduleAndAssume(request));

        assertEquals(Status.Code.RESOURCE_EXHAUSTED, error.getStatus().getCode());
    }

    @Test
    void podsOfARemovedNode_goToTheNodesThatTheyPrefer() {
        Pod.Builder moving = preferring(idle(pod("p", "a")), "c", 10).toBuilder();
        moving.getMetadataBuilder()
                .addOwnerReferences(OwnerReference.newBuilder()
                        .setApiVersion("apps/v1")
                        .setKind("ReplicaSet")
                        .setName("web")
                        .setController(true));
        feed(object(roomy("a")), object(roomy("b")), object(roomy("c")), object(moving.build()));
        SimulateRemovalRequest request =
                SimulateRemovalRequest.newBuilder().addNodes("a").build();

        assertEquals(List.of("b"), simulation.simulateRemoval(request).getDestinationsList());
        SimulateRemovalResponse response = simulation.simulateRemoval(
                request.toBuilder().setRule(PlacementRule.PLACEMENT_RULE_STOCK).build());
        assertEquals(List.of("c"), response.getDestinationsList());
        assertEquals(List.of("ImageLocality", "InterPodAffinity"), response.getNotScoredList());
    }

    @Test
    void claims_areReportedAsNotScored() {
        feed(object(roomy("a")));
        Pod.Builder claiming = idle(web()).toBuilder();
        claiming.getSpecBuilder().addResourceClaims(PodResourceClaim.getDefaultInstance());

        assertEquals(
                List.of("DynamicResources", "ImageLocality", "InterPodAffinity"),
                schedule(claiming.build(), 1).getNotScoredList());
    }

    @Test
    void invalidPreferences_areRejected() {
        feed(object(roomy("a")));
        String field = "pod.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution";

        assertEquals(field + "[0].weight", violation(preferring(idle(web()), "a", 101)));
        Pod.Builder many = idle(web()).toBuilder();
        IntStream.range(0, 101).forEach(i -> many.mergeFrom(preferring(Pod.getDefaultInstance(), "a", 1)));
        assertEquals(field, violation(many.build()));
    }

    private String violation(Pod pod) {
        return schedule(pod, 1).getItems(0).getError().getViolations(0).getField();
    }

    private void feed(ClusterObject... objects) {
        server.clusterState.apply(apply(List.of(objects)));
    }

    private ScheduleResponse schedule(Pod pod, int count) {
        return simulation.schedule(ScheduleRequest.newBuilder()
                .setRule(PlacementRule.PLACEMENT_RULE_STOCK)
                .addPods(ScheduledPods.newBuilder().setPod(pod).setCount(count))
                .build());
    }

    /** A node with 4 cpu and 8Gi. */
    private static Node roomy(String name) {
        return node(name, "z").toBuilder()
                .setStatus(NodeStatus.newBuilder()
                        .putAllocatable("pods", StringValue.of("110"))
                        .putAllocatable("cpu", StringValue.of("4"))
                        .putAllocatable("memory", StringValue.of("8Gi")))
                .build();
    }

    private static Pod idle(Pod pod) {
        Pod.Builder idle = pod.toBuilder();
        idle.getSpecBuilder().addContainers(Container.getDefaultInstance());
        return idle.build();
    }

    private static Pod asking(Pod pod, String cpu, String memory) {
        Pod.Builder asking = pod.toBuilder();
        asking.getSpecBuilder()
                .addContainersBuilder()
                .getResourcesBuilder()
                .putRequests("cpu", StringValue.of(cpu))
                .putRequests("memory", StringValue.of(memory));
        return asking.build();
    }

    private static Pod preferring(Pod pod, String node, int weight) {
        Pod.Builder preferring = pod.toBuilder();
        preferring
                .getSpecBuilder()
                .getAffinityBuilder()
                .getNodeAffinityBuilder()
                .addPreferredDuringSchedulingIgnoredDuringExecutionBuilder()
                .setWeight(weight)
                .getPreferenceBuilder()
                .addMatchExpressions(NodeSelectorRequirement.newBuilder()
                        .setKey("kubernetes.io/hostname")
                        .setOperator("In")
                        .addValues(node));
        return preferring.build();
    }

    private static List<String> placements(ScheduleResponse response) {
        return IntStream.range(0, response.getPlacementsCount())
                .mapToObj(i -> response.getNodes(response.getPlacements(i)))
                .toList();
    }
}
