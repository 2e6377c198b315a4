package io.evenkeel.service;

import io.evenkeel.access.Right;
import io.evenkeel.placement.call.RequestException;
import io.grpc.Attributes;
import io.grpc.ForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the connections that callers use. gRPC cannot refuse a connection, so calls on connections beyond the limit
 * are refused. A connection counts from its first call that is let in: those of callers who are not let in keep nobody
 * out. Calls that everyone may make count nowhere, and are few on each connection. Safe for use by several threads.
 */
final class Connections extends ServerTransportFilter implements ServerInterceptor {
    /** The connection of a call. Addresses will not do: all callers of a Unix domain socket have the same. */
    static final Attributes.Key<Object> CONNECTION = Attributes.Key.create("evenkeel-connection");

    /** A probe needs one, and a client that watches health one for each service. */
    private static final int MOST_OPEN_TO_ALL = 16;

    private final int most;
    private final Runnable refused;
    private int counted;

    /** What is known of a connection. */
    private static final class Use {
        private volatile boolean counts;
        private boolean ended;
        private int openToAll;
    }

    /**
     * @param most how many connections may count
     * @param refused run for each call that is refused
     */
    Connections(int most, Runnable refused) {
        this.most = most;
        this.refused = refused;
    }

    @Override
    public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(CONNECTION, new Use()).build();
    }

    @Override
    public void transportTerminated(@Nullable Attributes attributes) {
        // Null where the connection ended before it was ready.
        if (attributes != null && attributes.get(CONNECTION) instanceof Use use) {
            end(use);
        }
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!(call.getAttributes().get(CONNECTION) instanceof Use use)) {
            throw new IllegalStateException("a call on a connection that no filter saw");
        }
        if (Right.of(call.getMethodDescriptor()) == null) {
            return openToAll(use, call, headers, next);
        }
        return use.counts || count(use)
                ? next.startCall(call, headers)
                : refuse(call, "the server has " + most + " connections already: connect again later");
    }

    private <Q, A> ServerCall.Listener<Q> openToAll(
            Use use, ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        if (!begin(use)) {
            return refuse(call, "the connection has " + MOST_OPEN_TO_ALL + " such calls open already");
        }
        return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(next.startCall(call, headers)) {
            @Override
            public void onComplete() {
                ended(use);
                super.onComplete();
            }

            @Override
            public void onCancel() {
                ended(use);
                super.onCancel();
            }
        };
    }

    private <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, String why) {
        refused.run();
        StatusErrors.close(call, RequestException.tooBusy(why));
        return new ServerCall.Listener<>() {};
    }

    /** Counts a connection that is not counted yet; returns whether it may be used. */
    private synchronized boolean count(Use use) {
        if (!use.counts && !use.ended) {
            if (counted >= most) {
                return false;
            }
            use.counts = true;
            counted++;
        }
        return true;
    }

    private synchronized void end(Use use) {
        use.ended = true;
        if (use.counts) {
            use.counts = false;
            counted--;
        }
    }

    private synchronized boolean begin(Use use) {
        if (use.openToAll >= MOST_OPEN_TO_ALL) {
            return false;
        }
        use.openToAll++;
        return true;
    }

    private synchronized void ended(Use use) {
        use.openToAll--;
    }
}
