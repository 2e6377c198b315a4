package io.evenkeel.service;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.Status;

/** A call without a transport: it discards what is sent and is never cancelled. */
class UncarriedCall<Q, A> extends ServerCall<Q, A> {
    private final MethodDescriptor<Q, A> method;
    private final Attributes connection;

    UncarriedCall(MethodDescriptor<Q, A> method, Attributes connection) {
        this.method = method;
        this.connection = connection;
    }

    @Override
    public Attributes getAttributes() {
        return connection;
    }

    @Override
    public MethodDescriptor<Q, A> getMethodDescriptor() {
        return method;
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(A message) {}

    @Override
    public void close(Status status, Metadata trailers) {}

    @Override
    public boolean isCancelled() {
        return false;
    }
}
