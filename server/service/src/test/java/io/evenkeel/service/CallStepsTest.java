package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class CallStepsTest {
    private final WorkerPool pool = new WorkerPool("requests", 1, 4, () -> {});
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final CallSteps steps = new CallSteps(failures::add);

    @AfterEach
    void close() {
        pool.close();
    }

    /** Such as a StackOverflowError of a parser. */
    @Test
    void stepThatEndsWithAnError_isTold_andTheStepsBehindItAreRun() throws InterruptedException {
        StackOverflowError ofPool = new StackOverflowError("on the pool");
        StackOverflowError ofWaiting = new StackOverflowError("waiting");
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch behind = new CountDownLatch(1);
        steps.runOn(
                pool,
                () -> {
                    await(begun);
                    throw ofPool;
                },
                true,
                () -> {});
        steps.run(() -> {
            throw ofWaiting;
        });
        steps.run(behind::countDown);
        begun.countDown();
        behind.await();
        assertEquals(List.of(ofPool, ofWaiting), failures);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
