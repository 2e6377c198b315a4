package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Implements {@link PlacementClient} over any transport. An instance is a client, or a view of a client with settings
 * of its own.
 */
final class TransportClient implements PlacementClient {
    /** The longest deadline, 100 years. Much longer ones do not fit into nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final Transport transport;
    private final Duration deadline;
    private final OwnWrites writes;
    private final boolean owner;

    TransportClient(Transport transport, Duration deadline) {
        this(transport, positive(deadline), OwnWrites.IGNORED, true);
    }

    private TransportClient(Transport transport, Duration deadline, OwnWrites writes, boolean owner) {
        this.transport = transport;
        this.deadline = deadline;
        this.writes = writes;
        this.owner = owner;
    }

    private static Duration positive(Duration deadline) {
        if (deadline.isNegative() || deadline.isZero()) {
            throw new IllegalArgumentException("deadline must be more than zero, was " + deadline);
        }
        return deadline.compareTo(LONGEST) > 0 ? LONGEST : deadline;
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request) {
        A answer = transport.call(method, writes.demandedBy(request), deadline);
        writes.note(answer);
        return answer;
    }

    @Override
    public <A extends MessageLite> A call(ProtocolMethod<?, A> method, EncodedQuery query) {
        return transport.callEncoded(method, query.encode(writes.newest()), deadline);
    }

    @Override
    public AsyncPlacement async() {
        return new AsyncPlacement() {
            @Override
            public <Q extends MessageLite, A extends MessageLite> CompletableFuture<A> call(
                    ProtocolMethod<Q, A> method, Q request) {
                CallFuture<A> future = new CallFuture<>(writes);
                future.cancelledBy(transport.start(method, writes.demandedBy(request), deadline, future));
                return future;
            }
        };
    }

    @Override
    public EvaluationStream evaluationStream() {
        return new EvaluationStream(new Pipeline<>(transport, ProtocolMethod.EVALUATE_STREAM, writes), deadline);
    }

    @Override
    public ClusterFeed feed(FeedOptions options) {
        return new ClusterFeed(new Pipeline<>(transport, ProtocolMethod.SYNC, writes), options, deadline);
    }

    @Override
    public PlacementClient within(Duration deadline) {
        return new TransportClient(transport, positive(deadline), writes, false);
    }

    @Override
    public PlacementClient readingOwnWrites(Revisions writes) {
        return new TransportClient(transport, deadline, new OwnWrites(writes), false);
    }

    @Override
    public void close() {
        if (owner) {
            transport.close(deadline);
        }
    }
}
