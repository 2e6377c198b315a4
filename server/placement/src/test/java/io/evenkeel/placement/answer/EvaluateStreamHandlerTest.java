package io.evenkeel.placement.answer;

import static io.evenkeel.placement.Messages.ZONE;
import static io.evenkeel.placement.Messages.apply;
import static io.evenkeel.placement.Messages.hard;
import static io.evenkeel.placement.Messages.web;
import static io.evenkeel.placement.Messages.zones;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.lock.StopSignal;
import io.evenkeel.placement.Instance;
import io.evenkeel.placement.InstanceOptions;
import io.evenkeel.placement.call.Call;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.call.TaskPool;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.Freshness;
import io.evenkeel.v1.Revision;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the timeouts and the rejected messages of a stream. Its pool runs tasks when the test calls for it. */
@Timeout(60)
final class EvaluateStreamHandlerTest {
    private static final Duration MILLISECOND =
            Duration.newBuilder().setNanos(1_000_000).build();
    private static final Duration HOUR = Duration.newBuilder().setSeconds(3_600).build();

    private final Instance instance = new Instance(InstanceOptions.standard());
    private final Revision now =
            instance.clusterState().apply(apply(zones(2, 1))).getRevision();
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private @Nullable RuntimeException full;

    @AfterEach
    void close() {
        instance.close();
    }

    /** A message of the stream, and its answer. */
    private final class Message extends CompletableFuture<EvaluateStreamResponse>
            implements Call<ResponseBytes>, TaskPool {
        private boolean isStopped;

        @Override
        public void answer(ResponseBytes answer) {
            assertTrue(complete(answer.parse(EvaluateStreamResponse.parser())), "answered twice");
        }

        @Override
        public void fail(Throwable why) {
            assertTrue(completeExceptionally(why), "failed after an answer");
        }

        @Override
        public boolean isStopped() {
            return isStopped;
        }

        @Override
        public void onStop(Runnable action) {
            // The test stops it before it waits.
        }

        @Override
        public Object identity() {
            return "anyone";
        }

        @Override
        public java.time.Duration patience() {
            return java.time.Duration.ofMinutes(1);
        }

        @Override
        public TaskPool pool() {
            return this;
        }

        @Override
        public void execute(Runnable task, Consumer<Throwable> refused) {
            if (full == null) {
                tasks.add(task);
            } else {
                refused.accept(full);
            }
        }

        @Override
        public void later(Object caller, int bytes, Runnable task, Consumer<Throwable> refused) {
            execute(task, refused);
        }

        @Override
        public Object caller() {
            return EvaluateStreamHandlerTest.class;
        }
    }

    /** Sends a message whose plan is not compiled yet, so that the pool must answer it. */
    private Message send(Duration timeout, Revision demanded) throws InvalidProtocolBufferException {
        byte[] request = EvaluateStreamRequest.newBuilder()
                .setTag(7)
                .setTimeout(timeout)
                .setRequest(EvaluateRequest.newBuilder()
                        .addPods(web(hard(ZONE)))
                        .setFreshness(Freshness.newBuilder().setRevision(demanded)))
                .build()
                .toByteArray();
        Message message = new Message();
        EvaluateStreamHandler handler = instance.placement().evaluateStream();
        handler.handle(handler.read(request, StopSignal.NEVER), message, size -> null);
        return message;
    }

    private static String reason(EvaluateStreamResponse answer) {
        assertEquals(7, answer.getTag());
        return answer.getError().getReason().name();
    }

    @Test
    void messageWhoseTimeoutPasses_isAnsweredSo_evenIfItStillWaitsForAThread() throws Exception {
        Message message = send(MILLISECOND, now);
        assertEquals(ErrorReason.ERROR_REASON_TIMED_OUT.name(), reason(message.get()));
        tasks.remove().run();
        assertTrue(tasks.isEmpty());
    }

    @Test
    void messageWithATimeout_isRejected_ifThePoolIsFull() throws Exception {
        full = RequestException.tooBusy("no more");
        assertEquals(
                ErrorReason.ERROR_REASON_TOO_BUSY.name(), reason(send(HOUR, now).get()));
    }

    @Test
    void messageWithATimeout_isAnswered_ifAThreadTakesIt() throws Exception {
        Message message = send(HOUR, now);
        assertFalse(message.isDone());
        tasks.remove().run();
        assertEquals(1, message.get().getResponse().getAnswersCount());
    }

    @Test
    void timeoutThatIsInvalid_isRejected_beforeTheMessageWaits() throws Exception {
        Revision later = now.toBuilder().setCounter(now.getCounter() + 1).build();
        EvaluateStreamResponse answer =
                send(Duration.newBuilder().setSeconds(-1).build(), later).get();
        assertEquals(7, answer.getTag());
        assertEquals("timeout", answer.getError().getViolations(0).getField());
    }

    @Test
    void messageOfAStreamThatHasEnded_failsWithoutAnAnswer() throws Exception {
        Message message = send(HOUR, now);
        message.isStopped = true;
        tasks.remove().run();
        assertThrows(CancellationException.class, message::get);
    }
}
