package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.evenkeel.placement.Messages;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Fork;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.PlacementRule;
import io.evenkeel.v1.Pod;
import io.evenkeel.v1.Revert;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledItem;
import io.evenkeel.v1.ScheduledPods;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests Schedule and ScheduleAndAssume through a real server. */
final class ScheduleTest {
    private final TestServer server = TestServer.start();
    private final SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void replicas_goWhereEachKeepsTheSkew_andNothingStays() {
        feed(withRoom(node("a", "z1"), 10), withRoom(node("b", "z2"), 10), withRoom(node("c", "z3"), 2));

        ScheduleResponse response = schedule(item(web(hard(ZONE)), 10));

        assertEquals(List.of("a", "b", "c", "a", "b", "c", "a", "b"), placements(response));
        assertEquals(8, response.getItems(0).getPlacedCount());
        assertEquals(placements(response), placements(schedule(item(web(hard(ZONE)), 10))));
        assertEquals(0, server.status().getPodCount());
    }

    @Test
    void unplacedPod_namesTheDomainThatHoldsTheMinimum() {
        feed(withRoom(node("a", "z1"), 10), withRoom(node("b", "z2"), 1));

        ScheduledItem item = schedule(item(web(hard(ZONE)), 5)).getItems(0);

        assertEquals(3, item.getPlacedCount());
        assertEquals(
                "0/2 nodes are available: 1 Too many pods, 1 node(s) didn't match pod topology spread constraints.",
                item.getSummary());
        assertEquals(0, item.getConstraint().getIndex());
        assertEquals("z2", item.getConstraint().getDomains(0).getValue());
        assertEquals(
                "Too many pods",
                item.getConstraint().getDomains(0).getExclusions(0).getMessage());
    }

    @Test
    void invalidItems_doNotAffectOthers() {
        feed(withRoom(node("a", "z1"), 10));

        ScheduleResponse response = schedule(
                item(web(), 1).toBuilder().setNode("unknown").build(),
                item(web(hard("")), 1),
                item(web(), -1),
                item(web(), 2));

        assertEquals(
                ErrorReason.ERROR_REASON_NODE_UNKNOWN,
                response.getItems(0).getError().getReason());
        assertEquals(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                response.getItems(1).getError().getReason());
        assertTrue(response.getItems(0).getError().getMessage().endsWith("(node)"));
        assertEquals("count", response.getItems(2).getError().getViolations(0).getField());
        assertEquals(List.of("a", "a"), placements(response));
    }

    /** Names have at most 253 characters, each of up to three bytes. */
    @Test
    void podsGoToANode_whoseNameIsAsLongAsNamesMayBe() {
        String longest = "\u20ac".repeat(253);
        Node.Builder node = withRoom(node("a", "z1"), 10).toBuilder();
        node.getMetadataBuilder().setName(longest);
        feed(node.build());

        assertEquals(List.of(longest, longest), placements(schedule(item(web(), 2))));
    }

    @Test
    void podWithTheUidOfAnotherItem_isRejected() {
        feed(withRoom(node("a", "z1"), 10), withRoom(node("b", "z2"), 10));
        Pod pod = web(hard(ZONE)).toBuilder()
                .setMetadata(web().getMetadata().toBuilder().setName("web").setUid(new UUID(1, 1).toString()))
                .build();
        ScheduleRequest twice = ScheduleRequest.newBuilder()
                .addPods(item(pod, 1))
                .addPods(item(pod, 1))
                .build();
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        for (ScheduleResponse response : List.of(
                simulation.schedule(twice),
                simulation.schedule(twice.toBuilder().setSession(session).build()),
                simulation.scheduleAndAssume(twice))) {
            assertEquals(List.of("a"), placements(response));
            assertEquals(
                    "pod.metadata.uid",
                    response.getItems(1).getError().getViolations(0).getField());
        }
    }

    @Test
    void podsOfASession_stayUntilTheForkIsReverted() {
        feed(withRoom(node("a", "z1"), 1), withRoom(node("b", "z2"), 1));
        String session =
                simulation.openSession(OpenSessionRequest.getDefaultInstance()).getSession();
        change(session, SessionOperation.newBuilder().setFork(Fork.getDefaultInstance()));
        ScheduleRequest two = ScheduleRequest.newBuilder()
                .setSession(session)
                .addPods(item(web(hard(ZONE)), 2))
                .build();

        assertEquals(List.of("a", "b"), placements(simulation.schedule(two)));
        assertEquals(List.of(), placements(simulation.schedule(two)));
        change(session, SessionOperation.newBuilder().setRevert(Revert.getDefaultInstance()));
        assertEquals(List.of("a", "b"), placements(simulation.schedule(two)));
    }

    @Test
    void callersThatAssumeAtOnce_neverTakeTheSameRoom() {
        int nodes = 40;
        Node[] all = new Node[nodes];
        for (int i = 0; i < nodes; i++) {
            all[i] = withRoom(node("n" + i, "z" + i % 4), 1);
        }
        feed(all);

        List<CompletableFuture<List<String>>> callers = new ArrayList<>();
        for (int caller = 0; caller < 4; caller++) {
            int number = caller;
            callers.add(CompletableFuture.supplyAsync(() -> assumeOneByOne(number, nodes / 2)));
        }
        List<String> taken = new ArrayList<>();
        callers.forEach(caller -> taken.addAll(caller.join()));

        assertEquals(nodes, taken.size());
        assertEquals(nodes, new HashSet<>(taken).size(), taken::toString);
        assertEquals(nodes, server.status().getAssumedPodCount());
    }

    private List<String> assumeOneByOne(int caller, int calls) {
        List<String> taken = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            ScheduleRequest.Builder request = ScheduleRequest.newBuilder();
            for (int pod = 0; pod < 2; pod++) {
                Pod.Builder own = web(hard(ZONE)).toBuilder();
                own.getMetadataBuilder()
                        .setName("web-" + caller + "-" + i + "-" + pod)
                        .setUid(new UUID(caller, 2L * i + pod).toString());
                request.addPods(item(own.build(), 1));
            }
            taken.addAll(placements(simulation.scheduleAndAssume(request.build())));
        }
        return taken;
    }

    @Test
    void tooManyPods_areRejected() {
        StatusRuntimeException error =
                assertThrows(StatusRuntimeException.class, () -> schedule(item(web(), 60_000), item(web(), 60_000)));

        assertEquals(Status.Code.RESOURCE_EXHAUSTED, error.getStatus().getCode());
        assertTrue(String.valueOf(error.getStatus().getDescription()).contains("100000"));
    }

    @Test
    void morePodsThanOneCallMayAssume_areRejected_andNoneOfThemStays() {
        feed(withRoom(node("a", "z1"), 2_000));

        for (ScheduleRequest request : List.of(
                assumed(1_001, PlacementRule.PLACEMENT_RULE_UNSPECIFIED),
                assumed(101, PlacementRule.PLACEMENT_RULE_STOCK))) {
            StatusRuntimeException error =
                    assertThrows(StatusRuntimeException.class, () -> simulation.scheduleAndAssume(request));
            assertEquals(Status.Code.RESOURCE_EXHAUSTED, error.getStatus().getCode());
        }
        assertEquals(0, server.status().getAssumedPodCount());
        assertEquals(
                1_000,
                placements(simulation.scheduleAndAssume(assumed(1_000, PlacementRule.PLACEMENT_RULE_UNSPECIFIED)))
                        .size());
        assertEquals(
                100,
                placements(simulation.scheduleAndAssume(assumed(100, PlacementRule.PLACEMENT_RULE_STOCK)))
                        .size());
        assertEquals(1_100, server.status().getAssumedPodCount());
    }

    private static ScheduleRequest assumed(int pods, PlacementRule rule) {
        ScheduleRequest.Builder request = ScheduleRequest.newBuilder().setRule(rule);
        for (int i = 0; i < pods; i++) {
            Pod.Builder pod = web().toBuilder();
            pod.getMetadataBuilder().setName("pod-" + i).setUid(new UUID(rule.getNumber(), i).toString());
            request.addPods(item(pod.build(), 1));
        }
        return request.build();
    }

    private void feed(Node... nodes) {
        List<ClusterObject> objects = new ArrayList<>();
        for (Node each : nodes) {
            objects.add(object(each));
        }
        server.clusterState.apply(Messages.apply(objects));
    }

    private static Node withRoom(Node node, int pods) {
        return node.toBuilder()
                .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of(Integer.toString(pods))))
                .build();
    }

    private static ScheduledPods item(Pod pod, int count) {
        return ScheduledPods.newBuilder().setPod(pod).setCount(count).build();
    }

    private ScheduleResponse schedule(ScheduledPods... items) {
        return simulation.schedule(
                ScheduleRequest.newBuilder().addAllPods(List.of(items)).build());
    }

    private void change(String session, SessionOperation.Builder operation) {
        simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addOperations(operation)
                .build());
    }

    private static List<String> placements(ScheduleResponse response) {
        return IntStream.range(0, response.getPlacementsCount())
                .mapToObj(i -> response.getNodes(response.getPlacements(i)))
                .toList();
    }
}
