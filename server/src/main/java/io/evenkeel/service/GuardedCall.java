package io.evenkeel.service;

import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

/** A call that the server may end while its service answers it: what the service still sends then is dropped. Safe for use by several threads. */
final class GuardedCall<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
    private final OpenCall open;
    private volatile boolean ended;
    private boolean closed;

    GuardedCall(ServerCall<Q, A> call, OpenCall open) {
        super(call);
        this.open = open;
    }

    /** Ends the call, unless the service has. */
    synchronized void end(Status status) {
        if (closed) {
            return;
        }
        ended = true;
        close(status, new Metadata());
    }

    /** Whether the server ended it. */
    boolean isEnded() {
        return ended;
    }

    @Override
    public synchronized void sendHeaders(Metadata headers) {
        if (!ended) {
            super.sendHeaders(headers);
        }
    }

    @Override
    public synchronized void sendMessage(A message) {
        if (!ended) {
            super.sendMessage(message);
        }
    }

    @Override
    public synchronized void close(Status status, Metadata trailers) {
        if (!closed) {
            closed = true;
            open.isEnding();
            super.close(status, trailers);
        }
    }

    @Override
    public boolean isCancelled() {
        return ended || super.isCancelled();
    }
}
