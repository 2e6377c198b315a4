package io.evenkeel.service;

import io.grpc.ForwardingServerCall;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;

/**
 * Adapts a call for the service: the service sees its own method and types, while the call below has the method whose
 * requests {@link RequestParsing} reads.
 */
final class TypedServerCall<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
    private final MethodDescriptor<Q, A> method;

    @SuppressWarnings("unchecked") // Only the method's description knows the type of requests.
    TypedServerCall(ServerCall<?, A> call, MethodDescriptor<Q, A> method) {
        super((ServerCall<Q, A>) call);
        this.method = method;
    }

    @Override
    public MethodDescriptor<Q, A> getMethodDescriptor() {
        return method;
    }
}
