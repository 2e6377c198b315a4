package io.evenkeel.placement;

import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.object;
import static io.evenkeel.placement.Messages.pod;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.lock.StoppedException;
import io.evenkeel.v1.ListSpreadRequest;
import io.evenkeel.v1.ListSpreadResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Calls that list the same state share one table. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ListSpreadTurnTest {
    @Test
    void callThatIsStopped_waitsNoLonger_forTheTableThatAnotherMakes() throws Exception {
        try (Instance instance = new Instance(InstanceOptions.standard())) {
            instance.clusterState().apply(apply(List.of(object(pod("a", "node")))));
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch goesOn = new CountDownLatch(1);
            CompletableFuture<ListSpreadResponse> first = CompletableFuture.supplyAsync(() -> list(instance, () -> {
                        if (isCounting()) {
                            begun.countDown();
                            awaitLatch(goesOn);
                        }
                        return false;
                    })
                    .join());
            begun.await();

            AtomicInteger checks = new AtomicInteger();
            FutureCall<ListSpreadResponse> stopped = list(instance, () -> checks.incrementAndGet() > 1);
            assertThrows(StoppedException.class, stopped::get);
            assertFalse(first.isDone());

            goesOn.countDown();
            assertEquals(0, first.get(30, TimeUnit.SECONDS).getWorkloadsCount());
        }
    }

    private static boolean isCounting() {
        return StackWalker.getInstance()
                .walk(frames -> frames.anyMatch(frame -> frame.getClassName().contains(".engine.skew.")));
    }

    private static FutureCall<ListSpreadResponse> list(Instance instance, StopSignal stop) {
        FutureCall<ListSpreadResponse> call = new FutureCall<>(Duration.ofSeconds(30), stop);
        instance.placement().listSpread().handleMessage(ListSpreadRequest.getDefaultInstance(), call);
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
