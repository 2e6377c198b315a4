package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
import io.evenkeel.v1.CloseSessionRequest;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.Fork;
import io.evenkeel.v1.Node;
import io.evenkeel.v1.ObjectMeta;
import io.evenkeel.v1.OpenSessionRequest;
import io.evenkeel.v1.OpenSessionResponse;
import io.evenkeel.v1.SessionOperation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that change one session take turns. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class SessionTurnTest {
    @Test
    void callThatIsStopped_waitsNoLonger_andLeavesTheTurnToOthers() throws Exception {
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            ChangeSessionRequest request = forkInNewSession(instance);
            CountDownLatch goesOn = new CountDownLatch(1);
            CompletableFuture<ChangeSessionResponse> first = holdTurn(instance, request, goesOn);

            AtomicInteger checks = new AtomicInteger();
            FutureCall<ChangeSessionResponse> stopped = change(instance, request, () -> checks.incrementAndGet() > 1);
            assertThrows(StoppedException.class, stopped::get);
            assertFalse(first.isDone());

            goesOn.countDown();
            assertEquals(1, first.get(30, TimeUnit.SECONDS).getResultsCount());
            assertEquals(1, change(instance, request, StopSignal.NEVER).get().getResultsCount());
        }
    }

    @Test
    void callThatWaits_isRejectedAtOnce_whenTheSessionIsClosed() throws Exception {
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            ChangeSessionRequest request = forkInNewSession(instance);
            CountDownLatch goesOn = new CountDownLatch(1);
            CompletableFuture<ChangeSessionResponse> first = holdTurn(instance, request, goesOn);
            CountDownLatch waits = new CountDownLatch(1);
            FutureCall<ChangeSessionResponse> waiting = new FutureCall<>(Duration.ofSeconds(30), () -> {
                waits.countDown();
                return false;
            });
            CompletableFuture<Void> asked =
                    CompletableFuture.runAsync(() -> instance.simulation().change(request, waiting));
            waits.await();
            instance.simulation()
                    .close(
                            CloseSessionRequest.newBuilder()
                                    .setSession(request.getSession())
                                    .build(),
                            new FutureCall<>(Duration.ofSeconds(30)));
            Throwable closed =
                    assertThrows(ExecutionException.class, waiting::get).getCause();
            assertInstanceOf(RequestException.class, closed);
            assertTrue(String.valueOf(closed.getMessage()).contains("was closed (session)"), closed::getMessage);
            assertFalse(first.isDone());

            goesOn.countDown();
            // It had not made its operation yet.
            assertThrows(ExecutionException.class, () -> first.get(30, TimeUnit.SECONDS));
            asked.get(30, TimeUnit.SECONDS);
        }
    }

    /** A request to fork a new session. */
    private static ChangeSessionRequest forkInNewSession(Instance instance) throws Exception {
        instance.clusterState()
                .apply(ApplyRequest.newBuilder()
                        .addEvents(ClusterEvent.newBuilder()
                                .setType(ClusterEvent.Type.TYPE_ADDED)
                                .setObject(ClusterObject.newBuilder()
                                        .setNode(Node.newBuilder()
                                                .setMetadata(ObjectMeta.newBuilder()
                                                        .setName("a")
                                                        .setUid("a")))))
                        .build());
        FutureCall<OpenSessionResponse> opening = new FutureCall<>(Duration.ofSeconds(30));
        instance.simulation().open(OpenSessionRequest.getDefaultInstance(), opening);
        return ChangeSessionRequest.newBuilder()
                .setSession(opening.get().getSession())
                .addOperations(SessionOperation.newBuilder().setFork(Fork.getDefaultInstance()))
                .build();
    }

    /** Begins a change, which makes others wait until {@code goesOn}. */
    private static CompletableFuture<ChangeSessionResponse> holdTurn(
            Instance instance, ChangeSessionRequest request, CountDownLatch goesOn) throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<ChangeSessionResponse> holding = CompletableFuture.supplyAsync(() -> {
            AtomicInteger checks = new AtomicInteger();
            return change(instance, request, () -> {
                        // The second check comes before the operation.
                        if (checks.incrementAndGet() == 2) {
                            begun.countDown();
                            awaitLatch(goesOn);
                        }
                        return false;
                    })
                    .join();
        });
        begun.await();
        return holding;
    }

    private static FutureCall<ChangeSessionResponse> change(
            Instance instance, ChangeSessionRequest request, StopSignal stop) {
        FutureCall<ChangeSessionResponse> call = new FutureCall<>(Duration.ofSeconds(30), stop);
        instance.simulation().change(request, call);
        return call;
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
