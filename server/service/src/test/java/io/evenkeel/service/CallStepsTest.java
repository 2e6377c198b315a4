package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.fail;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.ErrorReason;
import io.grpc.Context;
import io.grpc.Metadata;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class CallStepsTest {
    private final RefusalMetrics refusals = new RefusalMetrics(new SimpleMeterRegistry());
    private final WorkerPool pool = new WorkerPool("requests", 1, 4, 1_000, refusals);
    private final List<Throwable> failures = new CopyOnWriteArrayList<>();
    private final CallSteps steps = new CallSteps(failures::add);

    @AfterEach
    void close() {
        pool.close();
    }

    /** For instance a StackOverflowError of a parser. */
    @Test
    void stepThatEndsWithAnError_isReported_andTheStepsBehindItAreRun() throws InterruptedException {
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
                failures::add);
        steps.run(() -> {
            throw ofWaiting;
        });
        steps.run(behind::countDown);
        begun.countDown();
        behind.await();
        assertEquals(List.of(ofPool, ofWaiting), failures);
    }

    /** For instance the next large message of a stream, while the one before it is being read. */
    @Test
    void stepThatWaitsForAnother_takesTheTurnOfItsConnection() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch all = new CountDownLatch(3);
        List<String> done = new CopyOnWriteArrayList<>();
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        try (OpenCalls calls = new OpenCalls(TransportLimits.DEFAULT, refusals, meters)) {
            Context ofCall = calls.newServerStreamTracer("evenkeel.v1.Placement/EvaluateStream", new Metadata())
                    .filterContext(Context.ROOT);
            ofCall.run(() -> {
                CallSteps stream = new CallSteps(failures::add);
                stream.runOn(pool, () -> await(begun), true, failures::add);
                stream.runOn(pool, () -> finish("the stream's", done, all), true, failures::add);
            });
            // The pool has one thread, so these wait as well.
            pool.later(() -> finish("another's 1", done, all), failures::add);
            pool.later(() -> finish("another's 2", done, all), failures::add);
            begun.countDown();
            all.await();
        }
        assertEquals(List.of("another's 1", "the stream's", "another's 2"), done);
        assertEquals(List.of(), failures);
    }

    private static void finish(String name, List<String> done, CountDownLatch all) {
        done.add(name);
        all.countDown();
    }

    /** For instance a query that arrives while its token is reviewed. */
    @Test
    void stepThatWaitsForOtherWork_isRunByTheThreadsOfItsOwnPool() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        BlockingQueue<String> threads = new LinkedBlockingQueue<>();
        try (WorkerPool other = new WorkerPool("other work", 1, 4, 1_000, refusals)) {
            steps.runOn(other, () -> await(begun), false, failures::add);
            steps.run(
                    () -> pool.execute(() -> threads.add(Thread.currentThread().getName()), failures::add));
            begun.countDown();
            assertEquals("evenkeel-requests-1", threads.take());
        }
        assertEquals(List.of(), failures);
    }

    @Test
    void stepWhosePoolIsClosed_failsBecauseTheServerStops_andTheStepsBehindItAreRun() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch behind = new CountDownLatch(1);
        WorkerPool closed = new WorkerPool("other work", 1, 4, 1_000, refusals);
        closed.close();
        steps.runOn(pool, () -> await(begun), true, failures::add);
        steps.runOn(closed, () -> fail("it was to be refused"), false, failures::add);
        steps.run(behind::countDown);
        begun.countDown();
        behind.await();
        assertEquals(1, failures.size());
        RequestException refused = assertInstanceOf(RequestException.class, failures.get(0));
        assertEquals(ErrorReason.ERROR_REASON_STOPPING, refused.reason());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
