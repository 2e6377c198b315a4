package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.model.KindVersions;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class CallRunnerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private volatile long reached = 7;
    private final FreshnessGate gate = new FreshnessGate(
            "here",
            () -> reached,
            new FreshnessDemands(KindVersions::new, new Feeds(Duration.ofSeconds(30), System::nanoTime)),
            timer,
            Limits.builder().waitingCalls(1).build());
    private final RecentQueries recent = new RecentQueries(() -> 0);
    private final CallRunner runner = new CallRunner(gate, recent, timer);
    private final HandPool pool = new HandPool();
    private final Asker asker = new Asker();
    private int prepared;

    @BeforeEach
    void forgetCancelledTimeouts() {
        timer.setRemoveOnCancelPolicy(true);
    }

    @AfterEach
    void stop() {
        timer.shutdownNow();
    }

    /** Runs tasks when the test calls for it. */
    private static class HandPool implements TaskPool {
        private final Queue<Runnable> tasks = new ArrayDeque<>();
        private @Nullable RuntimeException full;

        /** The caller that this thread works for. */
        private String caller = "asker";

        private final List<String> callers = new ArrayList<>();

        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            later(task, refused);
        }

        @Override
        public void later(Runnable task, Consumer<Throwable> refused) {
            callers.add(caller);
            if (full == null) {
                tasks.add(task);
            } else {
                refused.accept(full);
            }
        }

        @Override
        public Object caller() {
            return caller;
        }

        @Override
        public TaskPool forThisCaller() {
            String asker = caller;
            return new HandPool() {
                @Override
                public void later(Runnable task, Consumer<Throwable> refused) {
                    String other = HandPool.this.caller;
                    HandPool.this.caller = asker;
                    HandPool.this.later(task, refused);
                    HandPool.this.caller = other;
                }
            };
        }

        void work() {
            tasks.remove().run();
        }
    }

    /** Records its answer or failure. */
    private static class Asker implements Recipient<String> {
        private @Nullable String answer;
        private @Nullable Throwable failure;
        private Runnable onCancel = () -> {};
        private boolean isCancelled;

        void goAway() {
            isCancelled = true;
            onCancel.run();
        }

        @Override
        public void answered(String told) {
            assertNull(answer, "answered twice");
            answer = told;
        }

        @Override
        public void failed(Throwable why) {
            assertNull(failure, "failed twice");
            failure = why;
        }

        @Override
        public boolean isCancelled() {
            return isCancelled;
        }

        @Override
        public void onCancel(Runnable action) {
            onCancel = action;
        }
    }

    private static Revision revision(String instance, long counter) {
        return Revision.newBuilder().setInstance(instance).setCounter(counter).build();
    }

    private static Freshness demand(String instance, long counter) {
        return Freshness.newBuilder().setRevision(revision(instance, counter)).build();
    }

    private void run(Freshness demanded, boolean isShort) {
        runner.run(pool, demanded, () -> LONG, () -> prepare(isShort), asker);
    }

    private Prepared<String> prepare(boolean isShort) {
        prepared++;
        return Prepared.of(isShort, () -> "answer");
    }

    private void advance(long counter) {
        reached = counter;
        gate.advance(counter);
    }

    @Test
    void shortRequest_isAnsweredAtOnce() {
        run(Freshness.getDefaultInstance(), true);
        assertEquals("answer", asker.answer);
        assertTrue(pool.tasks.isEmpty());
    }

    @Test
    void longRequest_isAnsweredByThePool() {
        run(demand("here", 7), false);
        assertNull(asker.answer);
        pool.work();
        assertEquals("answer", asker.answer);
        assertEquals(1, prepared);
    }

    @Test
    void request_endsTheRestOfFeeds() throws Exception {
        assertFalse(gate.isAwaited());
        run(demand("here", 8), true);
        assertTrue(gate.isAwaited());
        // Otherwise this would take an hour.
        recent.await(Duration.ofHours(1).toNanos());
        advance(8);
        assertFalse(gate.isAwaited());
    }

    @Test
    void callerThatWaitsOnItsThread_endsTheRestOfFeeds() throws Exception {
        assertEquals("answer", runner.await(demand("here", 7), LONG, () -> prepare(true), () -> false));
        recent.await(Duration.ofHours(1).toNanos());
    }

    @Test
    void request_isRefused_whenItIsNotSound_orThePoolIsFull() {
        RequestException unsound = RequestException.invalid("pods", "must not be empty");
        CallRunner.run(
                pool,
                () -> {
                    throw unsound;
                },
                asker);
        assertSame(unsound, asker.failure);
        pool.full = RequestException.tooBusy("no more");
        Asker other = new Asker();
        CallRunner.run(pool, () -> prepare(false), other);
        assertSame(pool.full, other.failure);
    }

    /** Runs a request of a stream with a time limit. */
    private void runWithin(com.google.protobuf.Duration.Builder most, Recipient<String> told) {
        TimeLimit limit = TimeLimit.of(most.build());
        runner.run(
                pool,
                limit,
                Freshness.getDefaultInstance(),
                () -> LONG,
                () -> prepare(false),
                new AnsweredRefusals<>(told, refused -> refused.reason().name(), limit));
    }

    @Test
    void requestWhoseTimeIsOver_isAnsweredSo_thoughItStillWaitsForAThread() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        Asker waiting = new Asker() {
            @Override
            public void answered(String told) {
                super.answered(told);
                answer.complete(told);
            }
        };
        runWithin(com.google.protobuf.Duration.newBuilder().setNanos(1_000_000), waiting);
        assertEquals(ErrorReason.ERROR_REASON_TIMED_OUT.name(), answer.get());
        pool.work();
        assertEquals(ErrorReason.ERROR_REASON_TIMED_OUT.name(), waiting.answer, "must not be answered twice");
        assertTrue(pool.tasks.isEmpty());
    }

    @Test
    void requestWithALimit_isRefused_whereThePoolIsFull_andNoTimerIsLeft() {
        pool.full = RequestException.tooBusy("no more");
        runWithin(com.google.protobuf.Duration.newBuilder().setSeconds(3_600), asker);
        assertEquals(ErrorReason.ERROR_REASON_TOO_BUSY.name(), asker.answer);
        assertTrue(timer.getQueue().isEmpty());
    }

    @Test
    void limitThatIsNotValid_isRefused_beforeTheRequestWaits() {
        TimeLimit limit = TimeLimit.of(
                com.google.protobuf.Duration.newBuilder().setSeconds(-1).build());
        runner.run(pool, limit, demand("here", 9), () -> LONG, () -> prepare(true), asker);
        RequestException refused = assertInstanceOf(RequestException.class, asker.failure);
        assertEquals("timeout", refused.violations().get(0).getField());
        assertEquals(0, prepared);
    }

    @Test
    void request_isTakenIn_onceTheRevisionIsReached_byThePool() {
        run(demand("here", 9), true);
        advance(8);
        assertTrue(pool.tasks.isEmpty());
        advance(9);
        assertEquals(0, prepared, "the writer's thread must not prepare requests");
        pool.work();
        assertEquals("answer", asker.answer);
    }

    @Test
    void requestThatHasWaited_isReadAgain_byThePoolForItsSize() {
        HandPool large = new HandPool();
        List<Integer> sizes = new ArrayList<>();
        ReadRequest<String> request = new ReadRequest<>() {
            @Override
            public Freshness freshness() {
                return demand("here", 8);
            }

            @Override
            public Prepared<String> prepare() {
                throw new AssertionError("the parsed request must not be kept");
            }

            @Override
            public KeptRequest<String> kept() {
                return new KeptRequest<>(
                        ByteString.copyFromUtf8("pods"),
                        (bytes, isCancelled) -> Prepared.of(
                                true, () -> new String(bytes, StandardCharsets.UTF_8) + isCancelled.getAsBoolean()));
            }
        };
        runner.run(
                pool,
                size -> {
                    sizes.add(size);
                    return large;
                },
                () -> LONG,
                request,
                asker);
        advance(8);
        assertTrue(pool.tasks.isEmpty());
        assertEquals(List.of(4), sizes);
        large.work();
        assertEquals("podsfalse", asker.answer);
    }

    @Test
    void requestThatHasWaited_isBookedForItsCaller_notForTheWriter() {
        run(demand("here", 8), true);
        pool.caller = "writer";
        advance(8);
        assertEquals(List.of("asker"), pool.callers);
    }

    @Test
    void oneCaller_takesAtMostHalfOfTheRoomToWait() {
        FreshnessGate roomy = new FreshnessGate(
                "here",
                () -> reached,
                new FreshnessDemands(KindVersions::new, new Feeds(Duration.ofSeconds(30), System::nanoTime)),
                timer,
                Limits.builder().waitingCalls(4).build());
        CallRunner ofRoomy = new CallRunner(roomy, recent, timer);
        List<Asker> askers = new ArrayList<>();
        for (String caller : List.of("a", "a", "a", "b", "b", "c")) {
            pool.caller = caller;
            Asker next = new Asker();
            askers.add(next);
            ofRoomy.run(pool, demand("here", 8), () -> LONG, () -> prepare(true), next);
        }
        assertEquals(
                "the server already has 2 calls of this connection waiting for a newer state; try again later",
                assertInstanceOf(RequestException.class, askers.get(2).failure).getMessage());
        assertEquals(
                "the server already has 4 calls waiting for a newer state; try again later",
                assertInstanceOf(RequestException.class, askers.get(5).failure).getMessage());
        askers.get(0).goAway();
        roomy.advance(8);
        reached = 8;
        pool.caller = "a";
        for (int i = 0; i < 2; i++) {
            Asker again = new Asker();
            ofRoomy.run(pool, demand("here", 9), () -> LONG, () -> prepare(true), again);
            assertNull(again.failure, "calls that no longer wait take no room");
        }
    }

    @Test
    void callerThatGoesAway_waitsForNoRevision() {
        run(demand("here", 8), true);
        asker.goAway();
        assertInstanceOf(CancellationException.class, asker.failure);
        Asker other = new Asker();
        runner.run(pool, demand("here", 8), () -> LONG, () -> prepare(true), other);
        assertNull(other.failure, "another call can wait");
        advance(8);
        pool.work();
        assertEquals("answer", other.answer);
        assertTrue(pool.tasks.isEmpty());
        assertEquals(1, prepared);
    }

    @Test
    void callerThatGoesAway_leavesNoWorkToThePool() {
        run(demand("here", 7), false);
        Asker other = new Asker();
        CallRunner.run(
                pool,
                () -> new Prepared<>() {
                    @Override
                    public boolean isShort() {
                        return false;
                    }

                    @Override
                    public String answer(BooleanSupplier isCancelled) {
                        assertFalse(isCancelled.getAsBoolean());
                        other.goAway();
                        assertTrue(isCancelled.getAsBoolean());
                        throw new CancellationException("cancelled");
                    }
                },
                other);
        asker.goAway();
        pool.work();
        assertNull(asker.answer);
        assertInstanceOf(CancellationException.class, asker.failure);
        pool.work();
        assertInstanceOf(CancellationException.class, other.failure);
    }

    @Test
    void revisionOfAnotherInstance_orOneThatIsNotReachedInTime_isRefused() {
        run(demand("elsewhere", 1), true);
        assertEquals(
                ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                assertInstanceOf(RequestException.class, asker.failure).reason());
        RequestException late = assertThrows(
                RequestException.class,
                () -> runner.await(demand("here", 8), Duration.ZERO, () -> prepare(true), () -> false));
        assertEquals(ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME, late.reason());
        assertEquals(revision("here", 7), late.reached());
        assertEquals(0, prepared);
    }

    @Test
    void interruptedCaller_givesItsWaitUp() {
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> runner.await(demand("here", 8), LONG, () -> prepare(true), () -> false));
        run(demand("here", 8), true);
        assertNull(asker.failure, "another call can wait");
    }

    @Test
    void callerThatWaitsOnItsThread_getsItsAnswerThere() throws Exception {
        assertEquals("answer", runner.await(demand("here", 7), LONG, () -> prepare(false), () -> false));
        timer.execute(() -> advance(8));
        assertEquals("answer", runner.await(demand("here", 8), LONG, () -> prepare(false), () -> false));
        assertTrue(pool.tasks.isEmpty());
    }

    /** For example a StackOverflowError. */
    @Test
    void error_endsTheCall_andTheThreadToo() {
        StackOverflowError error = new StackOverflowError();
        Supplier<Prepared<String>> broken = () -> {
            throw error;
        };
        assertSame(error, assertThrows(StackOverflowError.class, () -> CallRunner.run(pool, broken, asker)));
        assertSame(error, asker.failure);
        Asker later = new Asker();
        runner.run(pool, demand("here", 8), () -> LONG, broken, later);
        advance(8);
        assertThrows(StackOverflowError.class, pool::work);
        assertSame(error, later.failure);
    }
}
