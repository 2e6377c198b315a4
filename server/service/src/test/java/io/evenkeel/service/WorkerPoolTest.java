package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.StatusCode;
import io.evenkeel.v1.ErrorReason;
import io.grpc.Context;
import io.grpc.Metadata;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class WorkerPoolTest {
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final RefusalMetrics refusals = new RefusalMetrics(meters);
    private final WorkerPool pool = new WorkerPool("questions", 1, 4, 1_000, refusals);
    private final List<String> done = new ArrayList<>();
    private final List<Throwable> refused = new ArrayList<>();

    @AfterEach
    void close() {
        pool.close();
    }

    private double refusals() {
        return meters.get("evenkeel.server.refusals")
                .tag("why", "busy")
                .counter()
                .count();
    }

    /** Makes the only thread wait until the latch opens. */
    private CountDownLatch occupied() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch open = new CountDownLatch(1);
        pool.later(
                () -> {
                    begun.countDown();
                    awaitIn(open);
                },
                refused::add);
        begun.await();
        return open;
    }

    @Test
    void startedPool_hasItsThreads_beforeThereIsWork() {
        try (WorkerPool pool = new WorkerPool("early birds", 2, 1, 1_000, refusals)) {
            assertEquals(0, threads("evenkeel-early-birds-"));
            pool.start();
            assertEquals(2, threads("evenkeel-early-birds-"));
        }
    }

    private static long threads(String names) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(names))
                .count();
    }

    @Test
    void connectionWithMuchToDo_waitsForItself_notOthersForIt() throws InterruptedException {
        CountDownLatch open = occupied();
        CountDownLatch all = new CountDownLatch(4);
        for (String task : List.of("a1", "a2", "b1", "b2")) {
            pool.laterFor(
                    task.substring(0, 1),
                    () -> {
                        done.add(task);
                        all.countDown();
                    },
                    0,
                    refused::add);
        }
        open.countDown();
        all.await();
        assertEquals(List.of("a1", "b1", "a2", "b2"), done);
        assertEquals(List.of(), refused);
    }

    @Test
    void whatIsTooMuch_isRefused_forOneConnectionBeforeAll() throws InterruptedException {
        CountDownLatch open = occupied();
        for (String caller : List.of("a", "a", "a", "b", "b", "c")) {
            pool.laterFor(caller, () -> {}, 0, refused::add);
        }
        open.countDown();
        assertEquals(2, refused.size());
        assertEquals(2, refusals());
        RequestException ofOne = assertInstanceOf(RequestException.class, refused.get(0));
        assertEquals(StatusCode.RESOURCE_EXHAUSTED, ofOne.code());
        assertEquals("the server already has 2 waiting questions of this connection: retry later", ofOne.getMessage());
        assertEquals(
                "the server already has 4 waiting questions: retry later",
                refused.get(1).getMessage());
    }

    @Test
    void inAnOverload_theOldestTasksOfAConnectionAreRefused_andThoseThatMustRunAreNot() throws Exception {
        AtomicLong now = new AtomicLong();
        CountDownLatch all = new CountDownLatch(3);
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch open = new CountDownLatch(1);
        try (WorkerPool loaded = new WorkerPool("questions", 1, 100, 1_000, refusals, new Overload(now::get), null)) {
            loaded.handOver(
                    () -> {
                        begun.countDown();
                        awaitIn(open);
                    },
                    true,
                    refused::add);
            begun.await();
            loaded.handOver(task("stream's", all), true, refused::add);
            for (int i = 0; i < 17; i++) {
                loaded.later(task("early", all), refused::add);
            }
            assertEquals(List.of(), refused, "it can be a burst");
            now.addAndGet(100_000_000);
            for (int i = 0; i < 3; i++) {
                // Each refuses eight.
                loaded.later(task("late " + i, all), refused::add);
            }
            loaded.laterFor("another", task("another's", all), 0, refused::add);
            open.countDown();
            all.await();
        }
        assertEquals(List.of("stream's", "another's", "late 2"), done);
        assertEquals(19, refused.size());
    }

    private static void awaitIn(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A parsed request takes many times its serialized size. */
    @Test
    void parsedRequestsThatWait_haveSoManyBytesTogether_halfOfThemOnOneConnection() throws InterruptedException {
        try (OpenCalls calls = new OpenCalls(TransportLimits.DEFAULT, refusals, meters)) {
            CountDownLatch open = occupied();
            CountDownLatch all = new CountDownLatch(4);
            Runnable task = all::countDown;
            later(calls, "a", 900, task);
            assertEquals(List.of(), refused, "one alone may be larger than half");
            later(calls, "a", 1, task);
            later(calls, "b", 200, task);
            assertEquals(2, refused.size(), "one for its connection, one for all");
            for (Throwable each : refused) {
                assertEquals(
                        "requests of waiting questions are limited to 1000 bytes in total, and half of that on"
                                + " one connection: retry later",
                        each.getMessage());
            }
            assertEquals(2, refusals());
            later(calls, "b", 100, task);
            later(calls, "c", 0, task);
            open.countDown();
            later(calls, "d", 0, task);
            all.await();
            CountDownLatch again = occupied();
            later(calls, "a", 900, () -> {});
            again.countDown();
            assertEquals(2, refused.size(), "what was done takes no room any more");
        }
    }

    /** Adds a task for a call of a connection, with a request of {@code bytes} bytes. */
    private void later(OpenCalls calls, String connection, int bytes, Runnable task) {
        pool.laterFor(connection, task, call(calls, bytes).requestBytes(), refused::add);
    }

    private static OpenCall call(OpenCalls calls, int bytes) {
        OpenCall call = (OpenCall) calls.newServerStreamTracer("test.Echo/Echo", new Metadata());
        call.inboundMessage(0);
        call.inboundWireSize(bytes);
        call.inboundMessageRead(0, bytes, bytes);
        return call;
    }

    /** The writer's thread adds them while it works on the writer's call. */
    @Test
    void tasksThatHaveWaitedForAState_takeNoBytes_ofTheRequestThatBroughtIt() throws Exception {
        try (OpenCalls calls = new OpenCalls(TransportLimits.DEFAULT, refusals, meters)) {
            CountDownLatch open = occupied();
            CountDownLatch all = new CountDownLatch(2);
            Object asker = call(calls, 10).filterContext(Context.ROOT).call(pool::caller);
            Context writer = call(calls, 900).filterContext(Context.ROOT);
            writer.run(() -> pool.later(asker, 10, all::countDown, refused::add));
            writer.run(() -> pool.later(all::countDown, refused::add));
            assertEquals(List.of(), refused, "its own has room alone");
            open.countDown();
            all.await();
        }
    }

    @Test
    void tasksAfterTheEnd_areRejectedWithoutWaiting_becauseTheServerStops() {
        pool.close();
        for (int i = 0; i < 100; i++) {
            pool.later(() -> done.add("late"), refused::add);
            pool.execute(() -> done.add("late"), refused::add);
        }
        assertEquals(200, refused.size());
        for (Throwable each : refused) {
            RequestException stopping = assertInstanceOf(RequestException.class, each);
            assertEquals(ErrorReason.ERROR_REASON_STOPPING, stopping.reason());
            assertEquals("the server is stopping: call again", stopping.getMessage());
        }
        assertEquals(0, refusals(), "nothing was full");
        assertEquals(List.of(), done);
    }

    @Test
    void requestThatIsHandedOver_isAnsweredByTheSameThread_andNothingElse() throws InterruptedException {
        CountDownLatch all = new CountDownLatch(3);
        pool.handOver(
                () -> {
                    pool.execute(
                            () -> {
                                done.add("answered");
                                pool.execute(
                                        () -> {
                                            done.add("another's");
                                            all.countDown();
                                        },
                                        refused::add);
                                all.countDown();
                            },
                            refused::add);
                    done.add("handed over");
                    all.countDown();
                },
                false,
                refused::add);
        all.await();
        assertEquals(List.of("answered", "handed over", "another's"), done);
    }

    @Test
    void tasksOfACaller_takeItsTurn_whoeverAddsThem() throws Exception {
        CountDownLatch open = occupied();
        CountDownLatch all = new CountDownLatch(3);
        Object another;
        try (OpenCalls calls = new OpenCalls(TransportLimits.DEFAULT, refusals, meters)) {
            another = calls.newServerStreamTracer("evenkeel.v1.Placement/Filter", new Metadata())
                    .filterContext(Context.ROOT)
                    .call(pool::caller);
        }
        pool.later(task("writer's 1", all), refused::add);
        pool.later(task("writer's 2", all), refused::add);
        pool.later(another, 0, task("asker's", all), refused::add);
        open.countDown();
        all.await();
        assertEquals(List.of("writer's 1", "asker's", "writer's 2"), done);
    }

    @Test
    void largeRequestThatHasWaited_isReadByThePoolForLargeOnes() throws Exception {
        CountDownLatch all = new CountDownLatch(2);
        List<String> threads = new CopyOnWriteArrayList<>();
        Runnable task = () -> {
            threads.add(Thread.currentThread().getName());
            all.countDown();
        };
        try (WorkerPool usual = new WorkerPool("usual", 1, 4, 1_000, refusals, null, pool)) {
            usual.later("asker", 1 << 20, task, refused::add);
            usual.later("asker", (1 << 20) + 1, task, refused::add);
            all.await();
        }
        assertEquals(Set.of("evenkeel-usual-1", "evenkeel-questions-1"), Set.copyOf(threads));
    }

    private Runnable task(String name, CountDownLatch all) {
        return () -> {
            done.add(name);
            all.countDown();
        };
    }
}
