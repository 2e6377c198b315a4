package io.evenkeel.client;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Sends evaluations on one stream. They are answered in the order in which they were sent; each response has the
 * {@code request_id} of its request.
 *
 * <p>At most 256 requests, and 16 MiB of them, can be under way. An error of a whole request is in
 * {@code EvaluateResponse.error}, and the stream goes on. When the stream itself breaks, unanswered requests fail with
 * {@link PlacementException}, and so do later ones: open another stream. Thread-safe.
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
    private final Pipeline<EvaluateRequest, EvaluateResponse> pipeline;
    private final Duration grace;

    EvaluationStream(Pipeline<EvaluateRequest, EvaluateResponse> pipeline, Duration grace) {
        this.pipeline = pipeline;
        this.grace = grace;
    }

    /**
     * Sends a request. Waits where too many requests are under way. So do not call this from dependent stages of this
     * stream's futures: completing those is what makes room.
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request) {
        return pipeline.send(request);
    }

    /** Sends a request if there is room now. Never waits. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request) {
        return Optional.ofNullable(pipeline.trySend(request));
    }

    /** Waits for the requests under way, at most for the client's deadline, and ends the stream. */
    @Override
    public void close() {
        pipeline.close(grace);
    }
}
