package io.evenkeel.client;

import com.google.rpc.Code;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Sends evaluations on one stream. They are answered in the order in which they were sent.
 *
 * <p>At most 256 requests, and 16 MiB of them, can be under way. The future of a request that is refused as a whole
 * fails with {@link PlacementException}, and the stream goes on. When the stream itself breaks, unanswered requests
 * fail so too, and so do later ones: open another stream. Thread-safe.
 *
 * <pre>{@code
 * try (PlacementClient client = RemotePlacement.connect(target);
 *         EvaluationStream stream = client.evaluationStream()) {
 *     NodeTables tables = new NodeTables(client);
 *     List<CompletableFuture<EvaluateResponse>> asked = new ArrayList<>();
 *     for (int i = 0; i < 100; i++) {
 *         asked.add(stream.evaluate(Query.of(pod).packed().toEvaluate()));
 *     }
 *     PackedAnswers answers = PackedAnswers.of(asked.get(99).join());
 *     PackedVerdicts verdicts = answers.pod(0);
 *     NodeTable table = tables.of(answers);
 *     for (int node = verdicts.nextPassed(0); node >= 0; node = verdicts.nextPassed(node + 1)) {
 *         System.out.println(table.name(node) + ", score " + verdicts.score(node));
 *     }
 * }
 * }</pre>
 */
public final class EvaluationStream implements AutoCloseable {
    private final Pipeline<EvaluateStreamRequest, EvaluateStreamResponse> pipeline;
    private final Duration grace;
    private final AtomicLong tags = new AtomicLong();

    EvaluationStream(Pipeline<EvaluateStreamRequest, EvaluateStreamResponse> pipeline, Duration grace) {
        this.pipeline = pipeline;
        this.grace = grace;
    }

    /**
     * Sends a request. Waits where too many requests are under way. So do not call this from dependent stages of this
     * stream's futures: completing those is what makes room.
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request) {
        long tag = tags.incrementAndGet();
        return pipeline.send(message(tag, request), answer -> responseTo(tag, answer));
    }

    /** Sends a request if there is room now. Never waits. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request) {
        long tag = tags.incrementAndGet();
        return Optional.ofNullable(pipeline.trySend(message(tag, request), answer -> responseTo(tag, answer)));
    }

    private static EvaluateStreamRequest message(long tag, EvaluateRequest request) {
        return EvaluateStreamRequest.newBuilder()
                .setRequest(request)
                .setTag(tag)
                .build();
    }

    private static EvaluateResponse responseTo(long tag, EvaluateStreamResponse answer) {
        if (answer.getTag() != tag) {
            throw new PlacementException(
                    Code.INTERNAL, "the answer must have the tag of its request, " + tag + ", was " + answer.getTag());
        }
        return switch (answer.getResultCase()) {
            case RESPONSE -> answer.getResponse();
            case ERROR -> throw PlacementException.of(answer.getError());
            case RESULT_NOT_SET -> throw new PlacementException(Code.INTERNAL, "the answer must have a result");
        };
    }

    /** Waits for the requests under way, at most for the client's deadline, and ends the stream. */
    @Override
    public void close() {
        pipeline.close(grace);
    }
}
