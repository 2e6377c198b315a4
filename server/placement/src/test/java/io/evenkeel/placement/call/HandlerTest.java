package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.EngineOptions;
import io.evenkeel.engine.model.NodeObject;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class HandlerTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    private final SpreadEngine engine = new SpreadEngine(EngineOptions.defaults());
    private final RecentQueries recent = new RecentQueries(() -> 0);
    private final EngineAccess access = access(1);
    private final HandPool pool = new HandPool();
    private final Asker asker = new Asker(pool);
    private int prepared;

    /** A request whose answer is its text. */
    private record Asked(Freshness freshness, String text) implements Request {
        @Override
        public String session() {
            return "";
        }

        @Override
        public ByteString source() {
            return ByteString.copyFromUtf8(text);
        }
    }

    /** Answers requests whose text is "long" on the pool. */
    private class TextHandler extends Handler<Asked, String> {
        TextHandler(EngineAccess access) {
            super(access, (session, identity) -> {
                throw new AssertionError("no request names a session");
            });
        }

        @Override
        public Asked read(byte[] request, StopSignal stop) {
            return new Asked(Freshness.getDefaultInstance(), new String(request, StandardCharsets.UTF_8));
        }

        @Override
        public Prepared<String> prepare(Asked request) {
            prepared++;
            return new Prepared<>() {
                @Override
                public boolean isShort() {
                    return !request.text.equals("long");
                }

                @Override
                public String answer(StopSignal stop) {
                    return request.text;
                }
            };
        }
    }

    private final TextHandler handler = new TextHandler(access);

    @BeforeEach
    void begin() {
        timer.setRemoveOnCancelPolicy(true);
        advance(7);
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

        private final List<Object> callers = new ArrayList<>();
        private final List<Integer> sizes = new ArrayList<>();

        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            later(caller, 0, task, refused);
        }

        @Override
        public void later(Object of, int bytes, Runnable task, Consumer<Throwable> refused) {
            callers.add(of);
            sizes.add(bytes);
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

        void work() {
            tasks.remove().run();
        }
    }

    /** Records its answer or failure. */
    private static final class Asker implements Call<String> {
        private final TaskPool pool;
        private @Nullable String answer;
        private @Nullable Throwable failure;
        private Runnable onCancel = () -> {};
        private boolean isCancelled;
        private Duration patience = LONG;

        Asker(TaskPool pool) {
            this.pool = pool;
        }

        void goAway() {
            isCancelled = true;
            onCancel.run();
        }

        @Override
        public void answer(String told) {
            assertNull(answer, "answered twice");
            answer = told;
        }

        @Override
        public void fail(Throwable why) {
            assertNull(failure, "failed twice");
            failure = why;
        }

        @Override
        public boolean isStopped() {
            return isCancelled;
        }

        @Override
        public Object identity() {
            return "anyone";
        }

        @Override
        public void onStop(Runnable action) {
            onCancel = action;
        }

        @Override
        public Duration patience() {
            return patience;
        }

        @Override
        public TaskPool pool() {
            return pool;
        }
    }

    private static Revision revision(String instance, long counter) {
        return Revision.newBuilder().setInstance(instance).setCounter(counter).build();
    }

    private static Freshness demand(String instance, long counter) {
        return Freshness.newBuilder().setRevision(revision(instance, counter)).build();
    }

    private void run(Freshness demanded, String text) {
        handler.handle(new Asked(demanded, text), asker);
    }

    private EngineAccess access(int waitingCalls) {
        Feeds feeds = new Feeds(Duration.ofSeconds(30), System::nanoTime);
        Limits limits = Limits.builder().waitingCalls(waitingCalls).build();
        return new EngineAccess("here", "", engine, feeds, timer, limits, recent);
    }

    private void advance(long counter) {
        while (engine.revision() < counter) {
            String name = "n" + engine.revision();
            NodeObject node = new NodeObject(name, name, 0, Map.of(), List.of(), false);
            engine.write(writer -> writer.apply(Change.ADDED, node));
        }
    }

    @Test
    void shortRequest_isAnsweredAtOnce() {
        run(Freshness.getDefaultInstance(), "answer");
        assertEquals("answer", asker.answer);
        assertTrue(pool.tasks.isEmpty());
    }

    @Test
    void longRequest_isAnsweredByThePool() {
        run(demand("here", 7), "long");
        assertNull(asker.answer);
        pool.work();
        assertEquals("long", asker.answer);
        assertEquals(1, prepared);
    }

    @Test
    void request_endsTheRestOfFeeds() throws Exception {
        assertFalse(access.waiting().isAwaited());
        run(demand("here", 8), "answer");
        assertTrue(access.waiting().isAwaited());
        // Otherwise this would take an hour.
        recent.await(Duration.ofHours(1).toNanos());
        advance(8);
        assertFalse(access.waiting().isAwaited());
    }

    @Test
    void request_isRejected_ifItIsInvalid_orThePoolIsFull() {
        RequestException invalid = RequestException.invalid("pods", "must not be empty");
        new TextHandler(access) {
            @Override
            public Prepared<String> prepare(Asked request) {
                throw invalid;
            }
        }.handle(new Asked(Freshness.getDefaultInstance(), ""), asker);
        assertSame(invalid, asker.failure);
        pool.full = RequestException.tooBusy("no more");
        Asker other = new Asker(pool);
        handler.handle(new Asked(Freshness.getDefaultInstance(), "long"), other);
        assertSame(pool.full, other.failure);
    }

    @Test
    void workThatIsNotAQuery_isDoneAtOnce_orByThePool() {
        asker.answerWith(true, () -> "short");
        assertEquals("short", asker.answer);
        Asker other = new Asker(pool);
        other.answerWith(false, () -> "long");
        assertNull(other.answer);
        pool.work();
        assertEquals("long", other.answer);
    }

    @Test
    void request_isTakenIn_onceTheRevisionIsReached_byThePool() {
        run(demand("here", 9), "answer");
        advance(8);
        assertTrue(pool.tasks.isEmpty());
        advance(9);
        assertEquals(0, prepared, "the writer's thread must not prepare requests");
        pool.work();
        assertEquals("answer", asker.answer);
    }

    @Test
    void requestThatHasWaited_isReadAgain_byThePoolForItsSize() {
        handler.handle(new Asked(demand("here", 8), "pods"), asker);
        advance(8);
        assertEquals(List.of(4), pool.sizes);
        assertEquals(0, prepared, "the parsed request must not be kept");
        pool.work();
        assertEquals("pods", asker.answer);
    }

    @Test
    void requestThatHasWaited_isBookedForItsCaller_notForTheWriter() {
        run(demand("here", 8), "answer");
        pool.caller = "writer";
        advance(8);
        assertEquals(List.of("asker"), pool.callers);
    }

    @Test
    void oneCaller_takesAtMostHalfOfTheRoomToWait() {
        TextHandler ofRoomy = new TextHandler(access(4));
        List<Asker> askers = new ArrayList<>();
        for (String caller : List.of("a", "a", "a", "b", "b", "c")) {
            pool.caller = caller;
            Asker next = new Asker(pool);
            askers.add(next);
            ofRoomy.handle(new Asked(demand("here", 8), "answer"), next);
        }
        assertEquals(
                "the server already has 2 calls of this connection waiting for a newer state; try again later",
                assertInstanceOf(RequestException.class, askers.get(2).failure).getMessage());
        assertEquals(
                "the server already has 4 calls waiting for a newer state; try again later",
                assertInstanceOf(RequestException.class, askers.get(5).failure).getMessage());
        askers.get(0).goAway();
        advance(8);
        pool.caller = "a";
        for (int i = 0; i < 2; i++) {
            Asker again = new Asker(pool);
            ofRoomy.handle(new Asked(demand("here", 9), "answer"), again);
            assertNull(again.failure, "calls that no longer wait take no room");
        }
    }

    @Test
    void callerThatGoesAway_waitsForNoRevision() {
        run(demand("here", 8), "answer");
        asker.goAway();
        assertInstanceOf(CancellationException.class, asker.failure);
        Asker other = new Asker(pool);
        handler.handle(new Asked(demand("here", 8), "answer"), other);
        assertNull(other.failure, "another call can wait");
        advance(8);
        pool.work();
        assertEquals("answer", other.answer);
        assertTrue(pool.tasks.isEmpty());
        assertEquals(1, prepared);
    }

    @Test
    void callerThatGoesAway_leavesNoWorkToThePool() {
        run(demand("here", 7), "long");
        Asker other = new Asker(pool);
        new TextHandler(access) {
            @Override
            public Prepared<String> prepare(Asked request) {
                return new Prepared<>() {
                    @Override
                    public boolean isShort() {
                        return false;
                    }

                    @Override
                    public String answer(StopSignal stop) {
                        assertFalse(stop.isStopped());
                        other.goAway();
                        stop.check();
                        return "answer";
                    }
                };
            }
        }.handle(new Asked(demand("here", 7), "long"), other);
        asker.goAway();
        pool.work();
        assertNull(asker.answer);
        assertInstanceOf(CancellationException.class, asker.failure);
        pool.work();
        assertNull(other.answer);
        assertInstanceOf(CancellationException.class, other.failure);
    }

    @Test
    void revisionOfAnotherInstance_isRejected() {
        run(demand("elsewhere", 1), "answer");
        assertEquals(
                ErrorReason.ERROR_REASON_OTHER_INSTANCE,
                assertInstanceOf(RequestException.class, asker.failure).reason());
        assertEquals(0, prepared);
    }

    @Test
    void revisionThatIsNotReachedInTime_isRejected_withTheOneReached() throws Exception {
        asker.patience = Duration.ZERO;
        run(demand("here", 8), "answer");
        // The timer has one thread, so the wait has ended before this.
        timer.submit(() -> {}).get();
        RequestException late = assertInstanceOf(RequestException.class, asker.failure);
        assertEquals(ErrorReason.ERROR_REASON_NOT_REACHED_IN_TIME, late.reason());
        assertEquals(revision("here", 7), late.reached());
    }

    /** For example a StackOverflowError. */
    @Test
    void error_endsTheCall_andTheThreadToo() {
        StackOverflowError error = new StackOverflowError();
        TextHandler broken = new TextHandler(access) {
            @Override
            public Prepared<String> prepare(Asked request) {
                throw error;
            }
        };
        Asked now = new Asked(Freshness.getDefaultInstance(), "answer");
        assertSame(error, assertThrows(StackOverflowError.class, () -> broken.handle(now, asker)));
        assertSame(error, asker.failure);
        Asker later = new Asker(pool);
        broken.handle(new Asked(demand("here", 8), "answer"), later);
        advance(8);
        assertThrows(StackOverflowError.class, pool::work);
        assertSame(error, later.failure);
    }
}
