package io.evenkeel.service.calls;

import static io.evenkeel.placement.Messages.HOSTNAME;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.node;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static io.evenkeel.placement.Messages.web;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.StringValue;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.Messages;
import io.evenkeel.placement.call.InstanceClock;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.service.TestServer;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.CloseSessionRequest;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.ExplainRequest;
import io.evenkeel.v1.Fork;
import io.evenkeel.v1.NodeStatus;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.PlacePod;
import io.evenkeel.v1.PodReference;
import io.evenkeel.v1.ScheduleRequest;
import io.evenkeel.v1.ScheduleResponse;
import io.evenkeel.v1.ScheduledPods;
import io.evenkeel.v1.SessionOperation;
import io.evenkeel.v1.SimulationGrpc;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests sessions that end, or calls that are cancelled, while a call changes the session. */
final class SessionEndsTest {
    private static final int NODES = 500;
    private static final int PODS = 100_000;

    private final AtomicLong now = new AtomicLong();
    private final TestServer server = TestServer.start(InstanceOptions.standard()
            .withClock(new InstanceClock(now::get, InstantSource.system()))
            .withLimits(Limits.builder()
                    .sessionBytes(60 << 20)
                    .callerSessionBytes(60 << 20)
                    .build()));
    private final SimulationGrpc.SimulationBlockingStub simulation = SimulationGrpc.newBlockingStub(server.channel);

    @BeforeEach
    void feed() {
        List<ClusterObject> nodes = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            nodes.add(object(node("n" + i, "z" + i % 3).toBuilder()
                    .setStatus(NodeStatus.newBuilder().putAllocatable("pods", StringValue.of("1000")))
                    .build()));
        }
        server.clusterState.apply(Messages.apply(nodes));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private String open() {
        return simulation
                .openSession(OpenSessionRequest.newBuilder()
                        .setIdleTimeout(Duration.newBuilder().setSeconds(5))
                        .build())
                .getSession();
    }

    /** Schedules many pods, and returns once some of them are placed. */
    private CompletableFuture<ScheduleResponse> scheduleMany(String session) {
        long before = revision(session);
        CompletableFuture<ScheduleResponse> schedule =
                CompletableFuture.supplyAsync(() -> simulation.schedule(ScheduleRequest.newBuilder()
                        .setSession(session)
                        .addPods(ScheduledPods.newBuilder()
                                .setPod(web(hard(HOSTNAME)))
                                .setCount(PODS))
                        .build()));
        while (!schedule.isDone() && revision(session) == before) {
            Thread.onSpinWait();
        }
        return schedule;
    }

    private long revision(String session) {
        return server.placement
                .evaluate(EvaluateRequest.newBuilder().setSession(session).build())
                .getRevision()
                .getCounter();
    }

    private void close(String session) {
        simulation.closeSession(
                CloseSessionRequest.newBuilder().setSession(session).build());
    }

    @Test
    void closing_doesNotWaitForAChange_andGivesItsBytesBack() {
        for (int i = 0; i < 3; i++) {
            String session = open();
            CompletableFuture<ScheduleResponse> schedule = scheduleMany(session);
            CompletableFuture<Void> waiting = CompletableFuture.runAsync(() -> fork(session));
            close(session);
            assertFalse(schedule.isDone());
            assertEquals(PODS, schedule.join().getPlacementsCount());
            CompletionException rejected = assertThrows(CompletionException.class, waiting::join);
            assertEquals(Status.Code.NOT_FOUND, Status.fromThrowable(rejected).getCode());
        }
    }

    private void fork(String session) {
        simulation.changeSession(ChangeSessionRequest.newBuilder()
                .setSession(session)
                .addOperations(SessionOperation.newBuilder().setFork(Fork.getDefaultInstance()))
                .build());
    }

    @Test
    void session_doesNotExpire_whileACallChangesIt() {
        String session = open();
        CompletableFuture<ScheduleResponse> schedule = scheduleMany(session);
        now.addAndGet(TimeUnit.SECONDS.toNanos(6));
        open();
        assertFalse(schedule.isDone());
        assertEquals(PODS, schedule.join().getPlacementsCount());
        fork(session);
    }

    @Test
    void change_stopsBetweenOperations_whenItsDeadlinePasses() {
        String session = open();
        ChangeSessionRequest.Builder request = ChangeSessionRequest.newBuilder().setSession(session);
        for (int i = 0; i < 20_000; i++) {
            request.addOperations(SessionOperation.newBuilder()
                    .setPlacePod(PlacePod.newBuilder().setPod(pod("p" + i, "")).setNode("n" + i % NODES)));
        }
        StatusRuntimeException error = assertThrows(
                StatusRuntimeException.class,
                () -> simulation.withDeadlineAfter(100, TimeUnit.MILLISECONDS).changeSession(request.build()));
        assertEquals(Status.Code.DEADLINE_EXCEEDED, error.getStatus().getCode());
        // Waits for its turn.
        fork(session);
        ExplainRequest last = ExplainRequest.newBuilder()
                .setSession(session)
                .setPodReference(PodReference.newBuilder().setNamespace("shop").setName("p19999"))
                .build();
        StatusRuntimeException unknown =
                assertThrows(StatusRuntimeException.class, () -> server.placement.explain(last));
        assertTrue(String.valueOf(unknown.getStatus().getDescription()).contains("p19999"));
    }
}
