package io.evenkeel.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.v1.ApplyRequest;
import io.evenkeel.v1.ChangeSessionRequest;
import io.evenkeel.v1.ChangeSessionResponse;
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
            ChangeSessionRequest request = ChangeSessionRequest.newBuilder()
                    .setSession(opening.get().getSession())
                    .addOperations(SessionOperation.newBuilder().setFork(Fork.getDefaultInstance()))
                    .build();
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch goesOn = new CountDownLatch(1);
            CompletableFuture<ChangeSessionResponse> first = CompletableFuture.supplyAsync(() -> {
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

            AtomicInteger checks = new AtomicInteger();
            FutureCall<ChangeSessionResponse> stopped = change(instance, request, () -> checks.incrementAndGet() > 1);
            assertThrows(StoppedException.class, stopped::get);
            assertFalse(first.isDone());

            goesOn.countDown();
            assertEquals(1, first.get(30, TimeUnit.SECONDS).getResultsCount());
            assertEquals(1, change(instance, request, StopSignal.NEVER).get().getResultsCount());
        }
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
