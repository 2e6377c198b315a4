package io.evenkeel.client;

import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Evaluations on one stream, answered in the order in which they were sent; {@code request_id} comes back as it was
 * given.
 *
 * <p>At most 256 requests and 16 MiB of them are under way. What is wrong with a whole request stands in
 * {@code EvaluateResponse.error}; the stream goes on. When the stream itself breaks, what was not answered fails with
 * {@link PlacementException}, and so does what is sent later: open another. Thread-safe.
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
     * Sends a request, waiting for room where too much is under way: not for what hangs on a future of this stream,
     * which makes that room.
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request) {
        return pipeline.send(request);
    }

    /** Sends a request where there is room at once, and returns in any case. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request) {
        return Optional.ofNullable(pipeline.trySend(request));
    }

    /** Waits for what is under way, at most for the client's deadline, and ends the stream. */
    @Override
    public void close() {
        pipeline.close(grace);
    }
}
