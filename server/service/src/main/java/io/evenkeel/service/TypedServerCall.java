package io.evenkeel.service;

import io.grpc.Attributes;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.ServerCall;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Adapts a call for the service: the service sees its own method and types, while the call below has the method whose
 * requests {@link RequestParsing} reads.
 */
final class TypedServerCall<Q, A> extends ServerCall<Q, A> {
    private final ServerCall<?, A> call;
    private final MethodDescriptor<Q, A> method;

    TypedServerCall(ServerCall<?, A> call, MethodDescriptor<Q, A> method) {
        this.call = call;
        this.method = method;
    }

    @Override
    public MethodDescriptor<Q, A> getMethodDescriptor() {
        return method;
    }

    @Override
    public void request(int messages) {
        call.request(messages);
    }

    @Override
    public void sendHeaders(Metadata headers) {
        call.sendHeaders(headers);
    }

    @Override
    public void sendMessage(A message) {
        call.sendMessage(message);
    }

    @Override
    public boolean isReady() {
        return call.isReady();
    }

    @Override
    public void close(Status status, Metadata trailers) {
        call.close(status, trailers);
    }

    @Override
    public boolean isCancelled() {
        return call.isCancelled();
    }

    @Override
    public void setMessageCompression(boolean enabled) {
        call.setMessageCompression(enabled);
    }

    @Override
    public void setCompression(String compressor) {
        call.setCompression(compressor);
    }

    @Override
    public void setOnReadyThreshold(int bytes) {
        call.setOnReadyThreshold(bytes);
    }

    @Override
    public SecurityLevel getSecurityLevel() {
        return call.getSecurityLevel();
    }

    @Override
    public Attributes getAttributes() {
        return call.getAttributes();
    }

    @Override
    public @Nullable String getAuthority() {
        return call.getAuthority();
    }
}
