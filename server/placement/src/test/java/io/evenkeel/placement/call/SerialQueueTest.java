package io.evenkeel.placement.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SerialQueueTest {
    private final Told told = new Told();
    private final Queue<Call<Integer>> underWay = new ArrayDeque<>();
    private final SerialQueue<Integer, Integer> later = new SerialQueue<>((message, call) -> underWay.add(call), told);

    /** Records answers and ends. */
    private static final class Told implements SerialQueue.Outlet<Integer> {
        private final List<Integer> answers = new ArrayList<>();
        private final List<String> ends = new ArrayList<>();
        private final CountDownLatch over = new CountDownLatch(1);

        @Override
        public void answered(Integer answer) {
            assertTrue(ends.isEmpty(), "after the end");
            answers.add(answer);
        }

        @Override
        public void ended(@Nullable Throwable failure) {
            ends.add(failure == null ? "well" : String.valueOf(failure.getMessage()));
            over.countDown();
        }
    }

    @Test
    void messages_areHandledOneByOne() {
        later.add(1);
        later.add(2);
        later.finish();
        assertEquals(1, underWay.size());
        underWay.remove().answer(10);
        assertEquals(1, underWay.size());
        assertEquals(List.of(), told.ends);
        underWay.remove().answer(20);
        assertEquals(List.of(10, 20), told.answers);
        assertEquals(List.of("well"), told.ends);
    }

    @Test
    void messageThatFails_endsTheStream_andThoseBehindItAreForgotten() {
        SerialQueue<Integer, Integer> messages = new SerialQueue<>(
                (message, call) -> {
                    if (message == 2) {
                        throw new IllegalStateException("no second");
                    }
                    call.answer(message);
                },
                told);
        IntStream.rangeClosed(1, 3).forEach(messages::add);
        messages.finish();
        assertEquals(List.of(1), told.answers);
        assertEquals(List.of("no second"), told.ends);
        assertFalse(messages.end(new IllegalStateException("too late")));
        assertEquals(1, told.ends.size());
    }

    @Test
    void messageThatFailsWithAnError_endsTheStream_andTheThreadGetsTheError() {
        SerialQueue<Integer, Integer> messages = new SerialQueue<>(
                (message, call) -> {
                    throw new StackOverflowError("too deep");
                },
                told);
        assertThrows(StackOverflowError.class, () -> messages.add(1));
        assertEquals(List.of("too deep"), told.ends);
        messages.add(2);
        messages.finish();
        assertEquals(List.of("too deep"), told.ends);
    }

    @Test
    void answerThatCannotBeDelivered_becauseOfAnError_endsTheStream() {
        List<String> ends = new ArrayList<>();
        SerialQueue<Integer, Integer> messages =
                new SerialQueue<>((message, call) -> underWay.add(call), new SerialQueue.Outlet<>() {
                    @Override
                    public void answered(Integer answer) {
                        throw new OutOfMemoryError("no room");
                    }

                    @Override
                    public void ended(@Nullable Throwable failure) {
                        ends.add(String.valueOf(failure));
                    }
                });
        messages.add(1);
        Call<Integer> call = underWay.remove();
        assertThrows(OutOfMemoryError.class, () -> call.answer(10));
        assertEquals(List.of("java.lang.OutOfMemoryError: no room"), ends);
    }

    @Test
    void streamThatIsEnded_givesTheMessageInProgressUp_andWaitsForNoWork() {
        later.add(1);
        later.add(2);
        List<String> givenUp = new ArrayList<>();
        Call<Integer> call = underWay.remove();
        call.onStop(() -> givenUp.add("once"));
        assertFalse(call.isStopped());
        assertTrue(later.end(new IllegalStateException("gone")));
        assertFalse(later.end(new IllegalStateException("again")));
        assertTrue(call.isStopped());
        assertEquals(List.of("once"), givenUp);
        assertEquals(List.of("gone"), told.ends, "even if the message is still being worked on");
        call.onStop(() -> givenUp.add("at once"));
        assertEquals(List.of("once", "at once"), givenUp);
        call.answer(10);
        assertEquals(List.of(), told.answers, "the caller is gone");
        assertEquals(List.of("gone"), told.ends);
        assertTrue(underWay.isEmpty());
    }

    @Test
    void streamThatIsEnded_whileItsMessageIsBeingHandled_endsAfterThat() {
        List<SerialQueue<Integer, Integer>> self = new ArrayList<>();
        SerialQueue<Integer, Integer> messages = new SerialQueue<>(
                (message, call) -> {
                    underWay.add(call);
                    self.get(0).end(new IllegalStateException("gone"));
                    assertEquals(List.of(), told.ends);
                },
                told);
        self.add(messages);
        messages.add(1);
        assertEquals(List.of("gone"), told.ends);
        underWay.remove().answer(10);
        assertEquals(List.of(), told.answers);
        assertEquals(List.of("gone"), told.ends);
    }

    @Test
    void streamThatIsEnded_whileAnAnswerIsDelivered_endsAfterThat() {
        List<SerialQueue<Integer, Integer>> self = new ArrayList<>();
        List<String> events = new ArrayList<>();
        SerialQueue<Integer, Integer> messages =
                new SerialQueue<>((message, call) -> underWay.add(call), new SerialQueue.Outlet<>() {
                    @Override
                    public void answered(Integer answer) {
                        self.get(0).end(new IllegalStateException("gone"));
                        events.add("answered");
                    }

                    @Override
                    public void ended(@Nullable Throwable failure) {
                        events.add("ended");
                    }
                });
        self.add(messages);
        messages.add(1);
        underWay.remove().answer(10);
        assertEquals(List.of("answered", "ended"), events);
    }

    @Test
    void streamAtRest_endsAtOnce() {
        later.add(1);
        underWay.remove().answer(10);
        later.end(new IllegalStateException("gone"));
        assertEquals(List.of("gone"), told.ends);
        later.add(2);
        assertTrue(underWay.isEmpty());
    }

    @Test
    void answersKeepTheirOrder_whoeverGivesThem_andHoweverManyWait() throws Exception {
        int count = 100_000;
        ExecutorService worker = Executors.newSingleThreadExecutor();
        try {
            SerialQueue<Integer, Integer> messages = new SerialQueue<>(
                    (message, call) -> {
                        if (message % 3 == 0) {
                            worker.execute(() -> call.answer(message));
                        } else {
                            call.answer(message);
                        }
                    },
                    told);
            for (int i = 0; i < count; i++) {
                messages.add(i);
            }
            messages.finish();
            told.over.await();
        } finally {
            worker.shutdownNow();
        }
        assertEquals(IntStream.range(0, count).boxed().toList(), told.answers);
        assertEquals(List.of("well"), told.ends);
    }
}
