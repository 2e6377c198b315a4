package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.CallOptions;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with calls that require long compilation and are cancelled at once. */
@Timeout(300)
final class CancelledCallsAttack {
    private static final int PODS = 1_024;
    private static final int CONSTRAINTS = 64;

    /** After this time they have begun. */
    private static final long WORK_MILLIS = 150;

    /** A tenth of a second, plus the time to detect it from outside. */
    private static final long MAX_MILLIS = 150;

    @Test
    void moreConstraintsThanACallMayHave_areRefused() throws Exception {
        try (AttackedServer server = new AttackedServer()) {
            FedCluster.feed(server.bystander());
            CallResults calls = new CallResults();
            List<EvaluateRequest> requests = requests(PODS);
            long began = System.nanoTime();
            ask(server, calls, requests, CallOptions.DEFAULT);
            assertEquals(Map.of(Status.Code.RESOURCE_EXHAUSTED, 2), calls.await(0));
            System.out.printf("two calls refused after %d ms: %s%n", millisSince(began), calls.refusal());
        }
    }

    @Test
    void asManyNewConstraintsAsACallMayHave() throws Exception {
        try (AttackedServer server = new AttackedServer()) {
            attack(server, 4_096 / CONSTRAINTS, "64 pods of 64 new constraints");
        }
    }

    @Test
    void whereTheBoundIsRaised() throws Exception {
        try (AttackedServer server =
                new AttackedServer("--max-query-constraints", "65536", "--max-new-constraints", "65536")) {
            attack(server, PODS, "1,024 pods of 64 new constraints");
        }
    }

    private static void attack(AttackedServer server, int pods, String what) throws Exception {
        FedCluster.feed(server.bystander());
        try (Bystander others = new Bystander(server)) {
            others.watch(3_000).forget().watch(3_000).tell("idle");
            others.forget();
            CallResults cancelled = new CallResults();
            ask(server, cancelled, requests(pods), CallOptions.DEFAULT);
            server.awaitWork(WORK_MILLIS);
            assertEquals(2, cancelled.open());
            long began = System.nanoTime();
            cancelled.cancel();
            // Bystanders make short calls, which the workers do not handle.
            long took = TimeUnit.NANOSECONDS.toMillis(server.awaitIdle() - began);
            System.out.printf("%s: workers ended %d ms after the calls were cancelled%n", what, took);
            assertTrue(took <= MAX_MILLIS, took + " ms");

            CallResults late = new CallResults();
            List<EvaluateRequest> requests = requests(pods);
            long patience = pods == PODS ? 1_500 : 300;
            began = System.nanoTime();
            ask(server, late, requests, CallOptions.DEFAULT.withDeadlineAfter(patience, TimeUnit.MILLISECONDS));
            assertEquals(Map.of(Status.Code.DEADLINE_EXCEEDED, 2), late.await(0));
            took = TimeUnit.NANOSECONDS.toMillis(server.awaitIdle() - began) - patience;
            System.out.printf("%s: workers ended %d ms after the deadline%n", what, took);
            assertTrue(took <= MAX_MILLIS, took + " ms");
            Bystander.Seen seen = others.tell(what);
            assertTrue(seen.longest() < 1_000, seen.toString());
        }
    }

    private static void ask(
            AttackedServer server, CallResults calls, List<EvaluateRequest> requests, CallOptions options) {
        for (EvaluateRequest request : requests) {
            calls.call(server.attacker(), PlacementGrpc.getEvaluateMethod(), request, options);
        }
    }

    private static List<EvaluateRequest> requests(int pods) {
        List<EvaluateRequest> requests = new ArrayList<>();
        for (int call = 0; call < 2; call++) {
            EvaluateRequest.Builder request = EvaluateRequest.newBuilder();
            String name = "of-" + System.nanoTime();
            for (int pod = 0; pod < pods; pod++) {
                request.addPods(FedCluster.newcomer(name + "-" + pod, CONSTRAINTS));
            }
            requests.add(request.build());
        }
        return requests;
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }
}
