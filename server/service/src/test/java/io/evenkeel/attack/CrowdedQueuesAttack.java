package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.BlockingClientCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with more simultaneous calls than the server can handle. */
@Timeout(600)
final class CrowdedQueuesAttack {
    private static final int CALLS = 14_000;

    private static final int CALLS_PER_ITEM = 100;

    @Test
    void explanations() throws Exception {
        try (AttackedServer server = new AttackedServer()) {
            FedCluster.feed(server.bystander());
            List<ManagedChannel> connections = connections(server);
            try (Bystander others = new Bystander(server)) {
                others.watch(3_000).forget().watch(3_000).tell("idle");
                others.forget();
                CallResults calls = new CallResults();
                for (int i = 0; i < CALLS; i++) {
                    calls.call(
                            connections.get(i % connections.size()),
                            PlacementGrpc.getExplainMethod(),
                            ExplainRequest.newBuilder()
                                    .setPod(FedCluster.incoming(i % 300))
                                    .build(),
                            CallOptions.DEFAULT);
                }
                System.out.printf("%,d calls sent, %,d open%n", CALLS, calls.open());
                Map<Status.Code, Integer> ends = calls.await(0);
                System.out.printf("14,000 explanations ended so: %s (%s)%n", ends, calls.refusal());
                assertRefusedByCode(ends);
                Bystander.Seen seen = others.tell("14,000 explanations");
                assertTrue(seen.p99() < 500, seen.toString());
                assertTrue(seen.longest() < 2_000, seen.toString());
            }
        }
    }

    @Test
    void questionsThatMustBeCompiled_areRefused_alsoItemByItemOnAStream_butNotThoseOfAnotherCaller() throws Exception {
        try (AttackedServer server = new AttackedServer()) {
            FedCluster.feed(server.bystander());
            List<ManagedChannel> connections = connections(server);
            BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> crowded =
                    PlacementGrpc.newBlockingV2Stub(connections.get(0)).evaluateStream();
            BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream =
                    PlacementGrpc.newBlockingV2Stub(server.bystander()).evaluateStream();
            try (Bystander others = new Bystander(server)) {
                others.watch(3_000).forget();
                CallResults calls = new CallResults();
                for (int i = 0; i < CALLS; i++) {
                    if (i % CALLS_PER_ITEM == 0) {
                        crowded.write(newcomer("crowded-" + i, i / CALLS_PER_ITEM));
                    }
                    EvaluateRequest request = EvaluateRequest.newBuilder()
                            .addPods(FedCluster.newcomer("crowd-" + i, 8))
                            .build();
                    calls.call(
                            connections.get(i % connections.size()),
                            PlacementGrpc.getEvaluateMethod(),
                            request,
                            CallOptions.DEFAULT);
                }
                int asked = 0;
                while (calls.open() > 0) {
                    requireAnswered(stream, asked++);
                }
                Map<Status.Code, Integer> ends = calls.await(0);
                int items = CALLS / CALLS_PER_ITEM;
                int refused = 0;
                for (int i = 0; i < items; i++) {
                    EvaluateStreamResponse answer = crowded.read();
                    assertEquals(i, answer.getTag());
                    if (answer.hasError()) {
                        assertEquals(
                                Status.Code.RESOURCE_EXHAUSTED.value(),
                                answer.getError().getCode());
                        refused++;
                    }
                }
                System.out.printf(
                        "14,000 new questions ended so: %s (%s); of a stream of the same caller, %d of %d were refused%n",
                        ends, calls.refusal(), refused, items);
                assertRefusedByCode(ends);
                assertTrue(refused > 0);
                requireAnswered(crowded, items);
                Bystander.Seen seen = others.tell("14,000 new questions");
                assertTrue(seen.p99() < 500, seen.toString());
            }
        }
    }

    private static void requireAnswered(
            BlockingClientCall<EvaluateStreamRequest, EvaluateStreamResponse> stream, long tag) throws Exception {
        stream.write(newcomer("answered-" + tag, tag));
        EvaluateStreamResponse answer = stream.read();
        assertEquals(tag, answer.getTag());
        assertEquals(
                1, answer.getResponse().getAnswersCount(), answer.getError().getMessage());
    }

    private static EvaluateStreamRequest newcomer(String name, long tag) {
        EvaluateStreamRequest.Builder request =
                EvaluateStreamRequest.newBuilder().setTag(tag);
        request.getRequestBuilder().addPods(FedCluster.newcomer(name, 1));
        return request.build();
    }

    /** Several connections, because one can have at most half of the queue. */
    private static List<ManagedChannel> connections(AttackedServer server) {
        List<ManagedChannel> connections = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            connections.add(server.attacker());
        }
        return connections;
    }

    private static void assertRefusedByCode(Map<Status.Code, Integer> ends) {
        assertEquals(Set.of(Status.Code.OK, Status.Code.RESOURCE_EXHAUSTED), ends.keySet());
    }
}
