package io.evenkeel.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class PipelineTest {
    /** Answers each message in the thread that sends the next message, while it sends. */
    private static final class LateAnswers implements Transport {
        @Override
        @SuppressWarnings("unchecked") // It is asked to open the one method only.
        public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
                ProtocolMethod<Q, A> method, Answers<A> answers) {
            return new Exchange<>() {
                private long sent;

                @Override
                public void send(Q message) {
                    if (sent++ > 0) {
                        answers.answered((A) EvaluateResponse.newBuilder()
                                .setRequestId(sent - 1)
                                .build());
                    }
                }

                @Override
                public void finish() {
                    answers.answered(
                            (A) EvaluateResponse.newBuilder().setRequestId(sent).build());
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
                ProtocolMethod<Q, A> method, Q request, Duration deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <A extends MessageLite> A callEncoded(ProtocolMethod<?, A> method, byte[] request, Duration deadline) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <Q extends MessageLite, A extends MessageLite> Runnable start(
                ProtocolMethod<Q, A> method, Q request, Duration deadline, Answers<A> answers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close(Duration grace) {}
    }

    private static EvaluateRequest message(long id) {
        return EvaluateRequest.newBuilder().setRequestId(id).build();
    }

    @Test
    @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void whatHangsOnAnAnswer_mayWaitForAnotherThreadThatSends() throws Exception {
        Pipeline<EvaluateRequest, EvaluateResponse> pipeline =
                new Pipeline<>(new LateAnswers(), ProtocolMethod.EVALUATE_STREAM, OwnWrites.IGNORED);
        CompletableFuture<Void> hanging = pipeline.send(message(1)).thenAccept(first -> {
            assertEquals(1, first.getRequestId());
            CompletableFuture.runAsync(() -> {
                        CompletableFuture<EvaluateResponse> unused = pipeline.send(message(3));
                    })
                    .join();
        });
        CompletableFuture<EvaluateResponse> second = pipeline.send(message(2));
        hanging.get();
        assertEquals(2, second.get().getRequestId());
        CompletableFuture<EvaluateResponse> fourth = pipeline.send(message(4));
        pipeline.close(Duration.ofSeconds(10));
        assertEquals(4, fourth.get().getRequestId());
    }
}
