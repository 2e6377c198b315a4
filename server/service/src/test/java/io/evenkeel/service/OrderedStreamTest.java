package io.evenkeel.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.evenkeel.placement.call.Call;
import io.grpc.Context;
import io.grpc.stub.ServerCallStreamObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class OrderedStreamTest {
    private static final long SHORT_NANOS = 20_000;
    private static final long LONG_NANOS = 200_000;

    private final WorkerPool pool = new WorkerPool("messages", 1, 1, 1, new RefusalMetrics(new SimpleMeterRegistry()));
    private final StreamedAnswers call = new StreamedAnswers();
    private final List<Runnable> afterFailure = new ArrayList<>();
    private long now = Long.MAX_VALUE - LONG_NANOS;
    private final OrderedStream<Integer, Integer> stream = open();

    private OrderedStream<Integer, Integer> open() {
        return OrderedStream.open(
                call,
                pool,
                new OrderedStream.Service<Integer, Integer>() {
                    @Override
                    public void handle(Integer message, Call<Integer> one) {
                        one.answer(message);
                    }

                    @Override
                    public void ended(@Nullable Throwable failure, Runnable end) {
                        if (failure == null) {
                            end.run();
                        } else {
                            afterFailure.add(end);
                        }
                    }
                },
                () -> now);
    }

    @Test
    void nextMessage_isAskedForAtOnce_whileNothingWaits() {
        assertEquals(1, call.asked);
        for (int message = 1; message <= 5; message++) {
            now += LONG_NANOS;
            call.nothingWaits = true;
            stream.onNext(message);
            assertEquals(1 + message, call.asked);
        }
        assertEquals(List.of(1, 2, 3, 4, 5), call.answers);
    }

    @Test
    void answersThatHaveWaitedLong_areSentBeforeMoreMessagesAreAskedFor() {
        stream.onNext(1);
        assertEquals(2, call.asked, "nothing waited before");
        call.nothingWaits = false;
        now += LONG_NANOS;
        stream.onNext(2);
        assertEquals(2, call.asked, "the first answer has waited");
        call.ready();
        assertEquals(3, call.asked);
        call.ready();
        assertEquals(3, call.asked, "asked for once");
        stream.onNext(3);
        assertEquals(4, call.asked, "no answer waits");
    }

    @Test
    void answersThatHaveNotWaitedLong_goOutTogether() {
        stream.onNext(1);
        call.nothingWaits = false;
        now += SHORT_NANOS;
        stream.onNext(2);
        assertEquals(3, call.asked, "for another while the first answer waits");
        now += SHORT_NANOS;
        stream.onNext(3);
        assertEquals(4, call.asked);
        now += SHORT_NANOS;
        stream.onNext(4);
        assertEquals(4, call.asked, "the first answer has waited, whenever the last was given");
        call.ready();
        assertEquals(5, call.asked);
    }

    @Test
    void streamWithNoMoreMessages_endsAfterItsLastAnswer() {
        stream.onNext(1);
        call.nothingWaits = false;
        now += LONG_NANOS;
        stream.onNext(2);
        assertEquals(2, call.asked);
        stream.onCompleted();
        assertEquals(List.of("completed"), call.ends);
        call.ready();
        assertEquals(2, call.asked);
    }

    @Test
    void loneAnswerThatNoOneReads_endsTheStream() {
        assertFalse(stream.endIfUnread(LONG_NANOS, Duration.ofMinutes(1)));
        now += 2 * LONG_NANOS;
        assertFalse(stream.endIfUnread(LONG_NANOS, Duration.ofMinutes(1)), "there is nothing to read");
        stream.onNext(1);
        call.nothingWaits = false;
        assertFalse(stream.endIfUnread(LONG_NANOS, Duration.ofMinutes(1)), "it may still be read");
        now += 2 * LONG_NANOS;
        assertTrue(stream.endIfUnread(LONG_NANOS, Duration.ofMinutes(1)));
        afterFailure.forEach(Runnable::run);
        assertEquals(1, call.ends.size());
    }

    /** Otherwise a feeder that reconnects at once would find its own snapshot still in progress. */
    @Test
    void failure_reachesTheOtherSide_onlyOnceTheStreamHoldsNothing() {
        stream.end(new IllegalStateException("no more"));
        assertEquals(List.of(), call.ends);
        afterFailure.forEach(Runnable::run);
        assertEquals(1, call.ends.size(), () -> "ends: " + call.ends);
    }

    /** Otherwise a message that arrives while another thread answers the previous one would have no deadline. */
    @Test
    void messages_areHandledInTheContextOfTheCall_whicheverThreadHandlesThem() throws Exception {
        Context.Key<String> key = Context.key("of the call");
        List<String> contexts = new ArrayList<>();
        Queue<Call<Integer>> underWay = new ArrayDeque<>();
        StreamedAnswers answered = new StreamedAnswers();
        OrderedStream.Service<Integer, Integer> service = new OrderedStream.Service<>() {
            @Override
            public void handle(Integer message, Call<Integer> one) {
                contexts.add(String.valueOf(key.get()));
                underWay.add(one);
            }

            @Override
            public void ended(@Nullable Throwable failure, Runnable end) {
                end.run();
            }
        };
        OrderedStream<Integer, Integer> inContext =
                Context.ROOT.withValue(key, "there").call(() -> OrderedStream.open(answered, pool, service));
        inContext.onNext(1);
        answered.whenAsked = () -> inContext.onNext(2);
        Thread worker = new Thread(() -> underWay.remove().answer(1));
        worker.start();
        worker.join();
        assertEquals(List.of("there", "there"), contexts);
    }

    /** Records its calls. */
    private static final class StreamedAnswers extends ServerCallStreamObserver<Integer> {
        private final List<Integer> answers = new ArrayList<>();
        private final List<String> ends = new ArrayList<>();
        private boolean nothingWaits = true;
        private int asked;
        private Runnable whenAsked = () -> {};
        private @Nullable Runnable onReady;
        /** Called when everything has been sent. */
        void ready() {
            nothingWaits = true;
            if (onReady != null) {
                onReady.run();
            }
        }

        @Override
        public boolean isReady() {
            return nothingWaits;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {
            onReady = handler;
        }

        @Override
        public void setOnReadyThreshold(int bytes) {
            assertEquals(1, bytes, "ready is who has nothing waiting");
        }

        @Override
        public void request(int messages) {
            asked += messages;
            whenAsked.run();
        }

        @Override
        public void onNext(Integer answer) {
            answers.add(answer);
        }

        @Override
        public void onError(Throwable error) {
            ends.add(error.toString());
        }

        @Override
        public void onCompleted() {
            ends.add("completed");
        }

        @Override
        public void disableAutoRequest() {}

        @Override
        public void disableAutoInboundFlowControl() {}

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setMessageCompression(boolean enable) {}

        @Override
        public void setCompression(String compression) {}
    }
}
