package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * Implements {@link PlacementClient} over any transport. An instance is a client, or a view of a client with settings
 * of its own.
 */
final class TransportClient implements PlacementClient {
    private final Transport transport;
    private final Duration deadline;
    private final OwnWrites writes;
    private final boolean owner;

    TransportClient(Transport transport, Duration deadline) {
        this(transport, Deadlines.positive("deadline", deadline), OwnWrites.IGNORED, true);
    }

    private TransportClient(Transport transport, Duration deadline, OwnWrites writes, boolean owner) {
        this.transport = transport;
        this.deadline = deadline;
        this.writes = writes;
        this.owner = owner;
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

            @Override
            public <A extends MessageLite> CompletableFuture<A> call(ProtocolMethod<?, A> method, EncodedQuery query) {
                CallFuture<A> future = new CallFuture<>(writes);
                future.cancelledBy(transport.startEncoded(method, query.encode(writes.newest()), deadline, future));
                return future;
            }
        };
    }

    @Override
    public EvaluationStream evaluationStream() {
        return new EvaluationStream(
                new Pipeline<>(transport, ProtocolMethod.EVALUATE_STREAM, writes), writes, deadline);
    }

    @Override
    public ClusterFeed feed(FeedOptions options) {
        return new ClusterFeed(new Pipeline<>(transport, ProtocolMethod.SYNC, writes), options, deadline);
    }

    @Override
    public PlacementClient within(Duration deadline) {
        return new TransportClient(transport, Deadlines.positive("deadline", deadline), writes, false);
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
