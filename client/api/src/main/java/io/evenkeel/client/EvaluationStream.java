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
 * Sends Evaluate requests on one stream. They are answered in order.
 *
 * <p>At most 256 requests and 16 MiB can be under way; a larger request is sent alone. If a whole request is rejected,
 * its future fails with {@link PlacementException}, and the stream stays open. When the stream itself breaks, for
 * example because of malformed pod bytes, unanswered and later requests fail too; open another stream. Thread-safe.
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
    /** Means no timeout. */
    private static final com.google.protobuf.Duration UNLIMITED = com.google.protobuf.Duration.getDefaultInstance();

    private final MessageStream<EvaluateStreamRequest, EvaluateStreamResponse> stream;
    private final OwnWrites writes;
    private final CarriedChanges changes;
    private final Duration grace;
    private final AtomicLong tags = new AtomicLong();

    EvaluationStream(
            MessageStream<EvaluateStreamRequest, EvaluateStreamResponse> stream,
            OwnWrites writes,
            CarriedChanges changes,
            Duration grace) {
        this.stream = stream;
        this.writes = writes;
        this.changes = changes;
        this.grace = grace;
    }

    /**
     * Sends a request. Blocks while too many requests are under way, so do not call this from dependent stages of this
     * stream's futures, whose completion makes room.
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request) {
        return send(message(request, UNLIMITED));
    }

    /**
     * Sends a request with a timeout, so that it does not block the requests behind it for too long. A request that
     * times out fails with UNAVAILABLE if it was waiting for the required state, otherwise with DEADLINE_EXCEEDED.
     *
     * @param timeout more than zero, counted from when the server has read the request
     */
    public CompletableFuture<EvaluateResponse> evaluate(EvaluateRequest request, Duration timeout) {
        return send(message(request, limit(timeout)));
    }

    /** Same as {@link #evaluate(EvaluateRequest)}, with encoded pods. */
    public CompletableFuture<EvaluateResponse> evaluate(EncodedQuery query) {
        return send(message(query, UNLIMITED));
    }

    /** Same as {@link #evaluate(EvaluateRequest, Duration)}, with encoded pods. */
    public CompletableFuture<EvaluateResponse> evaluate(EncodedQuery query, Duration timeout) {
        return send(message(query, limit(timeout)));
    }

    /** Sends a request if there is room now. Never blocks. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request) {
        return trySend(message(request, UNLIMITED));
    }

    /** Same as {@link #evaluate(EvaluateRequest, Duration)}, if there is room now. Never blocks. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EvaluateRequest request, Duration timeout) {
        return trySend(message(request, limit(timeout)));
    }

    /** Same as {@link #tryEvaluate(EvaluateRequest)}, with encoded pods. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EncodedQuery query) {
        return trySend(message(query, UNLIMITED));
    }

    /** Same as {@link #tryEvaluate(EvaluateRequest, Duration)}, with encoded pods. */
    public Optional<CompletableFuture<EvaluateResponse>> tryEvaluate(EncodedQuery query, Duration timeout) {
        return trySend(message(query, limit(timeout)));
    }

    /** A message, and how its answer is read. */
    private record Outgoing(
            Payload<EvaluateStreamRequest> payload, Function<EvaluateStreamResponse, EvaluateResponse> reading) {}

    private CompletableFuture<EvaluateResponse> send(Outgoing message) {
        return stream.send(message.payload, message.reading);
    }

    private Optional<CompletableFuture<EvaluateResponse>> trySend(Outgoing message) {
        return Optional.ofNullable(stream.trySend(message.payload, message.reading));
    }

    private Outgoing message(EncodedQuery query, com.google.protobuf.Duration timeout) {
        String named = changes.asked(query.options());
        EvaluateStreamRequest.Builder message = begun(timeout);
        return new Outgoing(
                Payload.encoded(query.encodeMessage(writes.newest(), named, message.build())),
                reading(message.getTag(), named));
    }

    private Outgoing message(EvaluateRequest request, com.google.protobuf.Duration timeout) {
        EvaluateRequest asked = changes.asked(writes.demandedBy(request));
        EvaluateStreamRequest.Builder message = begun(timeout).setRequest(asked);
        return new Outgoing(Payload.of(message.build()), reading(message.getTag(), asked.getKnownNodeTableToken()));
    }

    /** A message without its request. */
    private EvaluateStreamRequest.Builder begun(com.google.protobuf.Duration timeout) {
        EvaluateStreamRequest.Builder message =
                EvaluateStreamRequest.newBuilder().setTag(tags.incrementAndGet());
        return timeout.equals(UNLIMITED) ? message : message.setTimeout(timeout);
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
                    "the response must have the tag of its request, " + tag + ", was " + answer.getTag());
        }
        return switch (answer.getResultCase()) {
            case RESPONSE -> answer.getResponse();
            case ERROR -> throw PlacementException.of(answer.getError());
            case RESULT_NOT_SET ->
                throw new PlacementException(ErrorCode.INTERNAL, "invalid server response: it has no result");
        };
    }

    private static com.google.protobuf.Duration limit(Duration timeout) {
        Duration checked = Deadlines.positive("timeout", timeout);
        return com.google.protobuf.Duration.newBuilder()
                .setSeconds(checked.getSeconds())
                .setNanos(checked.getNano())
                .build();
    }

    /** Waits for open requests, at most for the client's deadline, and ends the stream. */
    @Override
    public void close() {
        stream.close(grace);
    }
}
