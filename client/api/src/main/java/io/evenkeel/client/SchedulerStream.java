package io.evenkeel.client;

import io.evenkeel.v1.EvaluateStreamResponse;
import io.evenkeel.v1.SyncAndEvaluateRequest;
import io.evenkeel.v1.SyncAndEvaluateResponse;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;

/**
 * A feed and a stream of evaluations in one, for a scheduler that has its own snapshot of the cluster. Before it asks
 * about a pod, it sends what has changed in its snapshot. The answer then includes exactly the changes that were sent
 * before the question, and nothing else if no other caller feeds the server.
 *
 * <p>Both parts share the limits of one stream: at most 256 messages and 16 MiB can be under way. When the stream
 * breaks, open another one and send a snapshot. Thread-safe.
 *
 * <pre>{@code
 * try (SchedulerStream stream = client.schedulerStream(FeedOptions.named("my-scheduler"))) {
 *     stream.feed().snapshot(objects.iterator());
 *     CompletableFuture<SyncResponse> applied = stream.feed().events(changes);
 *     CompletableFuture<EvaluateResponse> answer = stream.evaluations().evaluate(Query.of(pod).toEvaluate());
 *     applied.join().getRefusalsList().forEach(System.err::println);
 * }
 * }</pre>
 */
public final class SchedulerStream implements AutoCloseable {
    private final MessageStream<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream;
    private final Duration grace;
    private final ClusterFeed feed;
    private final EvaluationStream evaluations;

    SchedulerStream(
            MessageStream<SyncAndEvaluateRequest, SyncAndEvaluateResponse> stream,
            FeedOptions options,
            OwnWrites writes,
            CarriedChanges changes,
            Duration grace) {
        this.stream = stream;
        this.grace = grace;
        feed = new ClusterFeed(stream.as(SchedulerStream::step, SchedulerStream::acknowledgement), options, grace);
        evaluations = new EvaluationStream(
                // The two messages have the same fields.
                stream.as(message -> Payload.encoded(message.bytes()), SchedulerStream::answer),
                writes,
                changes,
                grace);
    }

    private static Payload<SyncAndEvaluateRequest> step(Payload<SyncRequest> payload) {
        SyncAndEvaluateRequest.Builder message = SyncAndEvaluateRequest.newBuilder();
        return Payload.of(message.setSync(payload.message()).build());
    }

    private static SyncResponse acknowledgement(SyncAndEvaluateResponse answer) {
        if (!answer.hasSync()) {
            throw new PlacementException(
                    ErrorCode.INTERNAL, "invalid server response: the answer to a change is not an acknowledgement");
        }
        return answer.getSync();
    }

    private static EvaluateStreamResponse answer(SyncAndEvaluateResponse answer) {
        EvaluateStreamResponse.Builder response =
                EvaluateStreamResponse.newBuilder().setTag(answer.getTag());
        if (answer.hasError()) {
            response.setError(answer.getError());
        } else if (answer.hasResponse()) {
            response.setResponse(answer.getResponse());
        }
        return response.build();
    }

    /** The part that sends changes. Closing it closes the whole stream. */
    public ClusterFeed feed() {
        return feed;
    }

    /** The part that asks. Closing it closes the whole stream. */
    public EvaluationStream evaluations() {
        return evaluations;
    }

    /** Waits for outstanding answers, at most for the client's deadline, and ends the stream. */
    @Override
    public void close() {
        stream.close(grace);
    }
}
