package io.evenkeel.client;

import com.google.protobuf.MessageLite;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Implements {@link PlacementClient} over any transport. An instance is a client, or a view of one with different
 * settings.
 */
final class TransportClient implements PlacementClient {
    private static final Set<ProtocolMethod<?, ?>> QUERIES =
            Set.of(ProtocolMethod.FILTER, ProtocolMethod.SCORE, ProtocolMethod.EVALUATE);

    private final Transport transport;
    private final Duration deadline;
    private final OwnWrites writes;
    private final NodeTables tables;
    private final CarriedChanges changes;
    private final boolean owner;

    TransportClient(Transport transport, Duration deadline) {
        this.transport = transport;
        this.deadline = Deadlines.positive("deadline", deadline);
        this.writes = OwnWrites.IGNORED;
        this.tables = new NodeTables(this);
        this.changes = new CarriedChanges(tables);
        this.owner = true;
    }

    /** A view of the client {@code whole}. */
    private TransportClient(TransportClient whole, Duration deadline, OwnWrites writes) {
        this.transport = whole.transport;
        this.deadline = deadline;
        this.writes = writes;
        this.tables = whole.tables;
        this.changes = whole.changes;
        this.owner = false;
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> A call(ProtocolMethod<Q, A> method, Q request) {
        Q asked = changes.asked(writes.demandedBy(request));
        return call(method, Payload.of(asked), changes.taker(asked));
    }

    @Override
    public <A extends MessageLite> A call(ProtocolMethod<?, A> method, EncodedQuery query) {
        requireQuery(method);
        String named = changes.asked(query.options());
        return call(method, Payload.encoded(query.encode(writes.newest(), named)), changes.taker(named));
    }

    private <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Consumer<MessageLite> taker) {
        A answer = transport.call(method, request, deadline);
        writes.note(answer);
        taker.accept(answer);
        return answer;
    }

    /** Other methods have other request types and would misread the bytes. */
    private static void requireQuery(ProtocolMethod<?, ?> method) {
        if (!QUERIES.contains(method)) {
            throw new IllegalArgumentException("method must be Filter, Score or Evaluate, was " + method.fullName());
        }
    }

    @Override
    public AsyncPlacement async() {
        return new AsyncPlacement() {
            @Override
            public <Q extends MessageLite, A extends MessageLite> CompletableFuture<A> call(
                    ProtocolMethod<Q, A> method, Q request) {
                Q asked = changes.asked(writes.demandedBy(request));
                return start(method, Payload.of(asked), changes.taker(asked));
            }

            @Override
            public <A extends MessageLite> CompletableFuture<A> call(ProtocolMethod<?, A> method, EncodedQuery query) {
                requireQuery(method);
                String named = changes.asked(query.options());
                return start(method, Payload.encoded(query.encode(writes.newest(), named)), changes.taker(named));
            }
        };
    }

    private <Q extends MessageLite, A extends MessageLite> CompletableFuture<A> start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Consumer<MessageLite> taker) {
        CallFuture<A> future = new CallFuture<>(answer -> {
            writes.note(answer);
            taker.accept(answer);
        });
        future.cancelledBy(transport.start(method, request, deadline, future));
        return future;
    }

    @Override
    public EvaluationStream evaluationStream() {
        return new EvaluationStream(
                new Pipeline<>(transport, ProtocolMethod.EVALUATE_STREAM, writes), writes, changes, deadline);
    }

    @Override
    public PodWatch watchUnblocked() {
        return new PodWatch(transport);
    }

    @Override
    public NodeTables nodeTables() {
        return tables;
    }

    @Override
    public ClusterFeed feed(FeedOptions options) {
        return new ClusterFeed(new Pipeline<>(transport, ProtocolMethod.SYNC, writes), options, deadline);
    }

    @Override
    public SchedulerStream schedulerStream(FeedOptions options) {
        return new SchedulerStream(
                new Pipeline<>(transport, ProtocolMethod.SYNC_AND_EVALUATE, writes),
                options,
                writes,
                changes,
                deadline);
    }

    @Override
    public PlacementClient within(Duration deadline) {
        return new TransportClient(this, Deadlines.positive("deadline", deadline), writes);
    }

    @Override
    public PlacementClient readingOwnWrites(Revisions writes) {
        return new TransportClient(this, deadline, new OwnWrites(writes));
    }

    @Override
    public void close() {
        if (owner) {
            transport.close(deadline);
        }
    }
}
