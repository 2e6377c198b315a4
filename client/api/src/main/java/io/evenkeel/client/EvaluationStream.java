package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import io.evenkeel.v1.EvaluateRequest;
import io.evenkeel.v1.EvaluateResponse;
import io.evenkeel.v1.EvaluateStreamRequest;
import io.evenkeel.v1.EvaluateStreamResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Sends evaluations on one stream. They are answered in the order in which they were sent.
 *
 * <p>At most 256 requests, and 16 MiB of them, can be under way; one that is larger goes alone. The future of a request
 * that is refused as a whole fails with {@link PlacementException}, and the stream goes on. When the stream itself
 * breaks, also by bytes that are not a pod's, unanswered requests fail so too, and so do later ones: open another
 * stream. Thread-safe.
 *
 * <pre>{@code
 * try (PlacementClient client = RemotePlacement.connect(target);
 *         EvaluationStream stream = client.evaluationStream()) {
 *     List<CompletableFuture<EvaluateResponse>> asked = new ArrayList<>();
 *     for (int i = 0; i < 100; i++) {
 *         asked.add(stream.evaluate(Query.of(pod).packed().toEvaluate()));
 *     }
 *     PackedAnswers answers = PackedAnswers.of(asked.get(99).join());
 *     PackedVerdicts verdicts = answers.pod(0);
 *     NodeTable table = client.nodeTables().of(answers);
 *     for (int node = verdicts.nextPassed(0); node >= 0; node = verdicts.nextPassed(node + 1)) {
 *         System.out.println(table.name(node) + ", score " + verdicts.score(node));
 *     }
 * }
 * }</pre>
 */
public final class EvaluationStream implements AutoCloseable {
    /** The timeout of requests that have none. */
    private static final com.google.protobuf.Duration UNLIMITED = com.google.protobuf.Duration.getDefaultInstance();

    private final Pipeline<EvaluateStreamRequest, EvaluateStreamResponse> pipeline;
    private final OwnWrites writes;
    private final CarriedChanges changes;
    private final Duration grace;
    private final AtomicLong tags = new AtomicLong();

    EvaluationStream(
            Pipeline<EvaluateStreamRequest, EvaluateStreamResponse> pipeline,
            OwnWrites writes,
            CarriedChanges changes,
            Duration grace) {
        this.pipeline = pipeline;
        this.writes = writes;
        this.changes = changes;
        this.grace = grace;
    }

    /**
     * Sends a request. Waits where too many requests are under way. So do not call this from dependent stages of this
     * stream's futures: completing those is what makes room.
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request) {
        return send(request, UNLIMITED);
    }

    /**
     * As {@link #evaluate(EvaluateRequest)}, with a time after which the request is answered by a failure, so that it
     * does not hold up those behind it: UNAVAILABLE where it waited for a state that it demands, otherwise
     * DEADLINE_EXCEEDED.
     *
     * @param timeout more than zero, from when the server has read the request
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request, Duration timeout) {
        return send(request, limit(timeout));
    }

    /** As {@link #evaluate(EvaluateRequest)}, for pods as bytes. */
    public CompletableFuture<EvaluateResponse> evaluate(EncodedQuery query) {
        return send(query, UNLIMITED);
    }

    /** As {@link #evaluate(EvaluateRequest, Duration)}, for pods as bytes. */
    public CompletableFuture<EvaluateResponse> evaluate(EncodedQuery query, Duration timeout) {
        return send(query, limit(timeout));
    }

    /** Sends a request if there is room now. Never waits. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request) {
        return trySend(request, UNLIMITED);
    }

    /** As {@link #tryEvaluate(EvaluateRequest)}, with a time as of {@link #evaluate(EvaluateRequest, Duration)}. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request, Duration timeout) {
        return trySend(request, limit(timeout));
    }

    /** As {@link #tryEvaluate(EvaluateRequest)}, for pods as bytes. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EncodedQuery query) {
        return trySend(query, UNLIMITED);
    }

    /** As {@link #tryEvaluate(EvaluateRequest, Duration)}, for pods as bytes. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EncodedQuery query, Duration timeout) {
        return trySend(query, limit(timeout));
    }

    private CompletableFuture<EvaluateResponse> send(EvaluateRequest request, com.google.protobuf.Duration timeout) {
        EvaluateStreamRequest message = message(request, timeout);
        return pipeline.send(message, reading(message));
    }

    private Optional<CompletableFuture<EvaluateResponse>> trySend(
            EvaluateRequest request, com.google.protobuf.Duration timeout) {
        EvaluateStreamRequest message = message(request, timeout);
        return Optional.ofNullable(pipeline.trySend(message, reading(message)));
    }

    private CompletableFuture<EvaluateResponse> send(EncodedQuery query, com.google.protobuf.Duration timeout) {
        String named = changes.asked(query.options());
        long tag = tags.incrementAndGet();
        byte[] message = query.encodeMessage(writes.newest(), named, tag, timeout);
        return pipeline.sendEncoded(message, reading(tag, named));
    }

    private Optional<CompletableFuture<EvaluateResponse>> trySend(
            EncodedQuery query, com.google.protobuf.Duration timeout) {
        String named = changes.asked(query.options());
        long tag = tags.incrementAndGet();
        byte[] message = query.encodeMessage(writes.newest(), named, tag, timeout);
        return Optional.ofNullable(pipeline.trySendEncoded(message, reading(tag, named)));
    }

    private EvaluateStreamRequest message(EvaluateRequest request, com.google.protobuf.Duration timeout) {
        EvaluateStreamRequest.Builder message = EvaluateStreamRequest.newBuilder()
                .setRequest(changes.asked(writes.demandedBy(request)))
                .setTag(tags.incrementAndGet());
        if (!timeout.equals(UNLIMITED)) {
            message.setTimeout(timeout);
        }
        return message.build();
    }

    private Function<EvaluateStreamResponse, EvaluateResponse> reading(EvaluateStreamRequest message) {
        return reading(message.getTag(), message.getRequest().getKnownNodeTableToken());
    }

    /** @param named the token of the node table that the request named */
    private Function<EvaluateStreamResponse, EvaluateResponse> reading(long tag, String named) {
        Consumer<MessageLite> taker = changes.taker(named);
        return answer -> {
            EvaluateResponse response = responseTo(tag, answer);
            taker.accept(response);
            return response;
        };
    }

    private static EvaluateResponse responseTo(long tag, EvaluateStreamResponse answer) {
        if (answer.getTag() != tag) {
            throw new PlacementException(
                    ErrorCode.INTERNAL,
                    "the answer must have the tag of its request, " + tag + ", was " + answer.getTag());
        }
        return switch (answer.getResultCase()) {
            case RESPONSE -> answer.getResponse();
            case ERROR -> throw PlacementException.of(answer.getError());
            case RESULT_NOT_SET -> throw new PlacementException(ErrorCode.INTERNAL, "the answer must have a result");
        };
    }

    private static com.google.protobuf.Duration limit(Duration timeout) {
        Duration checked = Deadlines.positive("timeout", timeout);
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(checked.getSeconds())
                .setNanos(checked.getNano())
                .build();
    }

    /** Waits for the requests under way, at most for the client's deadline, and ends the stream. */
    @Override
    public void close() {
        pipeline.close(grace);
    }
}
