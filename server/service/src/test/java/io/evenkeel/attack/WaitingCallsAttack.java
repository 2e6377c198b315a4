package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.PlacementGrpc;
import io.evenkeel.v1.Revision;
import io.evenkeel.v1.TopologySpreadConstraint;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The attack with calls that wait for a state and whose parsed requests take many times their serialized size. The
 * server has the heap size of the shipped manifests.
 */
@Timeout(300)
final class WaitingCallsAttack {
    private static final int HEAP_MIB = 256;
    private static final long NEVER_REACHED = 1L << 62;

    /** Reached some seconds later, by the bystanders' feed. */
    private static final long SOON = 1_000;

    private static final int LARGE_CALLS = 24;
    private static final int NAMES = 1_000_000;
    private static final int SMALL_CALLS = 10_000;

    /** As many as fit into the uncounted bytes of a call. */
    private static final int CONSTRAINTS = 2_000;

    private static final long PATIENCE_SECONDS = 25;

    private AttackedServer server;
    private Bystander others;

    @BeforeEach
    void start() throws Exception {
        server = new AttackedServer(HEAP_MIB);
        FedCluster.feed(server.bystander());
        others = new Bystander(server);
        others.watch(3_000).forget();
    }

    @AfterEach
    void stop() throws Exception {
        others.close();
        server.close();
    }

    private static Freshness at(String instance, long counter) {
        return Freshness.newBuilder()
                .setRevision(Revision.newBuilder().setInstance(instance).setCounter(counter))
                .build();
    }

    /** 3 MB, of a million names. */
    private static EvaluateRequest manyNames(Freshness demanded) {
        EvaluateRequest.Builder request = EvaluateRequest.newBuilder().setFreshness(demanded);
        request.getOptionsBuilder()
                .getCandidatesBuilder()
                .getNamedBuilder()
                .addAllNames(Collections.nCopies(NAMES, "a"));
        return request.build();
    }

    private static ExplainRequest manyConstraints(Freshness demanded) {
        ExplainRequest.Builder request = ExplainRequest.newBuilder().setFreshness(demanded);
        request.getPodBuilder()
                .getSpecBuilder()
                .addAllTopologySpreadConstraints(
                        Collections.nCopies(CONSTRAINTS, TopologySpreadConstraint.getDefaultInstance()));
        return request.build();
    }

    /** Makes equal calls over two connections. Returns how they ended. */
    private Map<Status.Code, Integer> attack(
            String what, MethodDescriptor<? extends MessageLite, ?> method, MessageLite request, int count)
            throws InterruptedException {
        MethodDescriptor<byte[], byte[]> raw = method.toBuilder(new EchoProgram.Bytes(), new EchoProgram.Bytes())
                .build();
        byte[] bytes = request.toByteArray();
        List<ManagedChannel> channels = new ArrayList<>(List.of(server.attacker(), server.attacker()));
        CallResults calls = new CallResults();
        for (int i = 0; i < count; i++) {
            calls.call(
                    channels.get(i % channels.size()),
                    raw,
                    bytes,
                    CallOptions.DEFAULT.withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }
        Map<Status.Code, Integer> ends = calls.await(0);
        System.out.printf("%s: %s (%s)%n", what, ends, calls.refusal());
        others.tell(what);
        return ends;
    }

    /** The others timed out, either in the server or in the client. */
    private static void assertSomeRefused(Map<Status.Code, Integer> ends) {
        assertTrue(
                Set.of(Status.Code.RESOURCE_EXHAUSTED, Status.Code.UNAVAILABLE, Status.Code.DEADLINE_EXCEEDED)
                        .containsAll(ends.keySet()),
                ends.toString());
        assertTrue(ends.getOrDefault(Status.Code.RESOURCE_EXHAUSTED, 0) > 0, ends.toString());
    }

    @Test
    void largeQuestions_thatWaitForEver() throws Exception {
        String instance = server.status().getRevision().getInstance();
        assertSomeRefused(attack(
                "million names",
                PlacementGrpc.getEvaluateMethod(),
                manyNames(at(instance, NEVER_REACHED)),
                LARGE_CALLS));
    }

    /** They all become ready at once. */
    @Test
    void largeQuestions_thatWaitForAStateToCome() throws Exception {
        Revision now = server.status().getRevision();
        assertSomeRefused(attack(
                "million names, soon due",
                PlacementGrpc.getEvaluateMethod(),
                manyNames(at(now.getInstance(), now.getCounter() + SOON)),
                LARGE_CALLS));
    }

    @Test
    void smallQuestions_ofManyParts() throws Exception {
        String instance = server.status().getRevision().getInstance();
        assertSomeRefused(attack(
                "10,000 explanations",
                PlacementGrpc.getExplainMethod(),
                manyConstraints(at(instance, NEVER_REACHED)),
                SMALL_CALLS));
    }
}
