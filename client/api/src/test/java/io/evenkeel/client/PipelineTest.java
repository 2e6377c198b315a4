package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class PipelineTest {
    /** Answers each message in the thread that sends the next message, while it sends. */
    private static final class LateAnswers implements Transport {
        @Override
        @SuppressWarnings("unchecked") // The tests open only this method.
        public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
                ProtocolMethod<Q, A> method, Answers<A> answers) {
            return new Exchange<>() {
                private long sent;

                @Override
                public void send(Payload<Q> message) {
                    if (sent++ > 0) {
                        answers.answered((A) EvaluateStreamResponse.newBuilder()
                                .setTag(sent - 1)
                                .build());
                    }
                }

                @Override
                public void finish() {
                    answers.answered(
                            (A) EvaluateStreamResponse.newBuilder().setTag(sent).build());
                    answers.ended(null);
                }

                @Override
                public void cancel(String reason) {
                    answers.ended(null);
                }
            };
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> A call(
                ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> Runnable start(
                ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close(Duration grace) {}
    }

    private static Payload<EvaluateStreamRequest> message(long tag) {
        return Payload.of(EvaluateStreamRequest.newBuilder().setTag(tag).build());
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whatHangsOnAnAnswer_mayWaitForAnotherThreadThatSends() throws Exception {
        Pipeline<EvaluateStreamRequest, EvaluateStreamResponse> pipeline =
                new Pipeline<>(new LateAnswers(), ProtocolMethod.EVALUATE_STREAM, OwnWrites.IGNORED);
        CompletableFuture<Void> hanging = pipeline.send(message(1), Function.identity())
                .thenAccept(first -> {
                    assertEquals(1, first.getTag());
                    CompletableFuture.runAsync(() -> {
                                CompletableFuture<EvaluateStreamResponse> unused =
                                        pipeline.send(message(3), Function.identity());
                            })
                            .join();
                });
        CompletableFuture<EvaluateStreamResponse> second = pipeline.send(message(2), Function.identity());
        hanging.get();
        assertEquals(2, second.get().getTag());
        CompletableFuture<EvaluateStreamResponse> fourth = pipeline.send(message(4), Function.identity());
        pipeline.close(Duration.ofSeconds(10));
        assertEquals(4, fourth.get().getTag());
    }
}
