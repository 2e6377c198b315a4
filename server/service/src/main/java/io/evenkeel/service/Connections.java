package io.evenkeel.service;

import io.evenkeel.placement.call.RequestException;
import io.grpc.Attributes;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.net.SocketAddress;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections in use and the open calls over all of them. gRPC cannot reject a connection, so calls on
 * connections beyond the limit are rejected. A connection counts from its first admitted call; before that it is one of
 * the {@link UnauthenticatedConnections}. Health checks, which anyone may make, are limited only on each connection.
 * Calls that change the state are counted separately, so that queries cannot keep them out. Thread-safe.
 */
final class Connections extends ServerTransportFilter implements ServerInterceptor {
    /**
     * The connection of a call. Addresses do not identify it: all callers of a Unix domain socket have the same
     * address.
     */
    static final Attributes.Key<Object> CONNECTION = Attributes.Key.create("evenkeel-connection");

    /** The number of calls that a connection can always have open, so that no other connection can keep it out. */
    private static final int FEW_CALLS = 16;

    private final TransportLimits limits;
    private final UnauthenticatedConnections newcomers;
    private final RefusalMetrics refusals;
    private final Counted queries;
    private final Counted writes;
    private final Counted health;
    private int counted;

    /**
     * A group of calls that are counted together.
     *
     * @param open how many are open over all connections
     * @param most how many may be open, apart from a few on each connection
     * @param bound the reason that rejected callers receive
     */
    private record Counted(AtomicInteger open, int most, String bound) {
        Counted(int most, String bound) {
            this(new AtomicInteger(), most, bound);
        }
    }

    /** The state of a connection. */
    private static final class Use {
        private final @Nullable SocketAddress address;
        private final AtomicInteger health = new AtomicInteger();
        private final AtomicInteger queries = new AtomicInteger();
        private final AtomicInteger writes = new AtomicInteger();
        private volatile boolean counts;
        private boolean ended;

        Use(@Nullable SocketAddress address) {
            this.address = address;
        }
    }

    /**
     * @param newcomers the connections that do not count yet
     * @param refusals counts the rejected calls
     */
    Connections(TransportLimits limits, UnauthenticatedConnections newcomers, RefusalMetrics refusals) {
        this.limits = limits;
        this.newcomers = newcomers;
        this.refusals = refusals;
        queries = new Counted(limits.calls(), "the server already has " + limits.calls() + " open calls");
        writes = new Counted(
                limits.calls(), "the server already has " + limits.calls() + " open calls that change the state");
        // A probe needs one, and a client that watches health one for each service.
        health = new Counted(0, "calls that need no permission are limited on each connection");
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder()
                .set(CONNECTION, new Use(attributes.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR)))
                .build();
    }

    @Override
    public void transportTerminated(@Nullable Attributes attributes) {
        // Null if the connection ended before it was ready.
        if (attributes != null && attributes.get(CONNECTION) instanceof Use use) {
            end(use);
        }
    }

    /** Whether the connection of a call counts, because a call on it was admitted. */
    static boolean counts(ServerCall<?, ?> call) {
        return call.getAttributes().get(CONNECTION) instanceof Use use && use.counts;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!(call.getAttributes().get(CONNECTION) instanceof Use use)) {
            throw new IllegalStateException("call on a connection that passed no transport filter");
        }
        String method = call.getMethodDescriptor().getFullMethodName();
        if (OpenCalls.isHealth(method)) {
            return counted(health, use.health, call, headers, next);
        }
        if (!use.counts && !count(use)) {
            refusals.count(RefusalMetrics.Why.CONNECTIONS);
            return refuse(call, "the server already has " + limits.connections() + " connections: reconnect later");
        }
        return OpenCalls.isWrite(method)
                ? counted(writes, use.writes, call, headers, next)
                : counted(queries, use.queries, call, headers, next);
    }

    /** Admits a call, unless there are too many over all connections and more than a few on its own connection. */
    private <Q, A> ServerCall.Listener<Q> counted(
            Counted all, AtomicInteger own, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        int onConnection = own.incrementAndGet();
        boolean tooMany = all.open.incrementAndGet() > all.most && onConnection > FEW_CALLS;
        Runnable ended = () -> {
            all.open.decrementAndGet();
            own.decrementAndGet();
        };
        if (tooMany) {
            ended.run();
            refusals.count(RefusalMetrics.Why.CALLS);
            return refuse(
                    call, all.bound + ", and this connection has " + (onConnection - 1) + " of them: retry later");
        }
        try {
            return new CountedListener<>(next.startCall(call, headers), ended);
        } catch (RuntimeException | Error e) {
            // gRPC does not report the end of a call that did not start.
            ended.run();
            throw e;
        }
    }

    private static <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, String why) {
        StatusErrors.close(call, RequestException.tooBusy(why));
        return new ServerCall.Listener<>() {};
    }

    /** Counts a connection that does not count yet. Returns whether it can be used. */
    private boolean count(Use use) {
        synchronized (this) {
            if (!use.counts && !use.ended) {
                if (counted >= limits.connections()) {
                    return false;
                }
                use.counts = true;
                counted++;
            }
        }
        newcomers.admitted(use.address);
        return true;
    }

    private synchronized void end(Use use) {
        use.ended = true;
        if (use.counts) {
            use.counts = false;
            counted--;
        }
    }

    /** Runs an action when the call has ended. */
    private static final class CountedListener<Q>
            extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final Runnable ended;

        CountedListener(ServerCall.Listener<Q> call, Runnable ended) {
            super(call);
            this.ended = ended;
        }

        @Override
        public void onComplete() {
            ended.run();
            super.onComplete();
        }

        @Override
        public void onCancel() {
            ended.run();
            super.onCancel();
        }
    }
}
