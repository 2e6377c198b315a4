package io.evenkeel.service;

import io.grpc.ForwardingServerCall;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;

/**
 * Presents a call to the service with the service's method and types. The underlying call has the method whose requests
 * {@link RequestParsing} reads.
 */
final class TypedServerCall<Q, A> extends ForwardingServerCall.SimpleForwardingServerCall<Q, A> {
    private final MethodDescriptor<Q, A> method;

    @SuppressWarnings("unchecked") // Only the method descriptor knows the type of requests.
    TypedServerCall(ServerCall<?, A> call, MethodDescriptor<Q, A> method) {
        super((ServerCall<Q, A>) call);
        this.method = method;
    }

    @Override
    public MethodDescriptor<Q, A> getMethodDescriptor() {
        return method;
    }
}
