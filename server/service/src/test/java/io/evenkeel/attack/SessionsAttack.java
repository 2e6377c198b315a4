package io.evenkeel.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import io.evenkeel.engine.Await;
import io.evenkeel.v1.AddNodes;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
import io.evenkeel.v1.EstimateNodesRequest;
import io.evenkeel.v1.Fork;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.NodeGroup;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OperationResult;
import io.evenkeel.v1.PendingPods;
import io.evenkeel.v1.Revert;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The attack with sessions: some are never closed, one has a million forks, and one gets nodes without end. */
@Timeout(300)
final class SessionsAttack {
    private static final int FORKS = 1_000_000;
    private static final int IN_A_CALL = 10_000;
    private static final int SESSIONS_OF_A_CALLER = 16;
    private static final int TEMPLATES = 5_000;
    private static final SessionOperation FORK =
            SessionOperation.newBuilder().setFork(Fork.getDefaultInstance()).build();
    private static final SessionOperation REVERT =
            SessionOperation.newBuilder().setRevert(Revert.getDefaultInstance()).build();

    private AttackedServer server;
    private Bystander others;
    private SimulationGrpc.SimulationBlockingStub simulation;

    @BeforeEach
    void start() throws Exception {
        server = new AttackedServer();
        FedCluster.feed(server.bystander());
        others = new Bystander(server);
        others.watch(3_000).forget();
        simulation = SimulationGrpc.newBlockingStub(server.attacker());
    }

    @AfterEach
    void stop() throws Exception {
        others.close();
        server.close();
    }

    private String open(int idleSeconds) {
        return simulation
                .openSession(OpenSessionRequest.newBuilder()
                        .setIdleTimeout(Duration.newBuilder().setSeconds(idleSeconds))
                        .build())
                .getSession();
    }

    private ChangeSessionResponse change(String session, List<SessionOperation> operations) {
        return simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addAllOperations(operations)
                .build());
    }

    private static Status rejection(Runnable call) {
        return assertThrows(StatusRuntimeException.class, call::run).getStatus();
    }

    @Test
    void abandonedSessions_endByThemselves() throws InterruptedException {
        for (int i = 0; i < SESSIONS_OF_A_CALLER; i++) {
            open(2);
        }
        Status rejected = rejection(() -> open(2));
        assertEquals(Status.Code.RESOURCE_EXHAUSTED, rejected.getCode(), rejected.toString());
        Await.until(() -> {
            try {
                return !open(2).isEmpty();
            } catch (StatusRuntimeException e) {
                return false;
            }
        });
        others.tell("16 sessions that were never closed");
    }

    @Test
    void aMillionForks_nestedAndInTurn() {
        String session = open(300);
        List<SessionOperation> pairs = new ArrayList<>();
        for (int i = 0; i < IN_A_CALL / 2; i++) {
            pairs.addAll(List.of(FORK, REVERT));
        }
        for (int i = 0; i < FORKS; i += IN_A_CALL) {
            assertSucceeds(change(session, pairs));
        }
        SessionOperation[] forks = new SessionOperation[IN_A_CALL];
        Arrays.fill(forks, FORK);
        int nested = 0;
        for (int i = 0; i < FORKS; i += IN_A_CALL) {
            nested += (int) change(session, List.of(forks)).getResultsList().stream()
                    .filter(SessionsAttack::succeeded)
                    .count();
        }
        assertTrue(nested > 0, "no nested fork was accepted");
        System.out.printf("%,d nested forks were accepted%n", nested);
        SessionOperation[] reverts = new SessionOperation[IN_A_CALL];
        Arrays.fill(reverts, REVERT);
        for (int i = 0; i < nested; i += IN_A_CALL) {
            assertSucceeds(change(session, List.of(reverts).subList(0, Math.min(IN_A_CALL, nested - i))));
        }
        assertTrue(!succeeded(change(session, List.of(REVERT)).getResults(0)), "a fork was left");
        others.tell("a million forks");
    }

    private static boolean succeeded(OperationResult result) {
        return !result.hasError();
    }

    private static void assertSucceeds(ChangeSessionResponse response) {
        response.getResultsList().forEach(result -> assertTrue(succeeded(result), result::toString));
    }

    @Test
    void nodesWithoutEnd_areRejected_andTheSessionCanStillRevert() {
        String session = open(300);
        assertSucceeds(change(session, List.of(FORK)));
        boolean isFull = false;
        for (int i = 0; i < FORKS / IN_A_CALL && !isFull; i++) {
            SessionOperation more = SessionOperation.newBuilder()
                    .setAddNodes(AddNodes.newBuilder()
                            .setTemplate(Node.getDefaultInstance())
                            .setNamePrefix("n" + i + "-")
                            .setCount(IN_A_CALL))
                    .build();
            isFull = !succeeded(change(session, List.of(more)).getResults(0));
        }
        assertTrue(isFull, "all nodes were accepted");
        assertSucceeds(change(session, List.of(REVERT, FORK, REVERT)));
        others.tell("nodes without end in a session");
    }

    @Test
    void thousandsOfTemplates_areRejectedWithTheField() {
        EstimateNodesRequest request = EstimateNodesRequest.newBuilder()
                .addAllGroups(IntStream.range(0, TEMPLATES)
                        .mapToObj(i -> NodeGroup.newBuilder().setName("g" + i).build())
                        .toList())
                .addPods(PendingPods.newBuilder().setPod(FedCluster.incoming(1)))
                .build();
        Status rejected = rejection(() -> simulation.estimateNodes(request));
        assertNotEquals(Status.Code.INTERNAL, rejected.getCode());
        assertTrue(String.valueOf(rejected.getDescription()).startsWith("groups"), rejected.toString());
        others.tell("an estimate with 5,000 groups");
    }
}
