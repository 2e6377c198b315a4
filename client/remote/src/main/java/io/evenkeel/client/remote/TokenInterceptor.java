package io.evenkeel.client.remote;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors.CheckedForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusException;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends a bearer token with each call. A call without a valid token fails. */
final class TokenInterceptor implements ClientInterceptor {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final Pattern VISIBLE = Pattern.compile("[!-~]+");

    private final Supplier<String> token;

    TokenInterceptor(Supplier<String> token) {
        this.token = token;
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
        // An exception of checkedStart ends the call like a response.
        return new CheckedForwardingClientCall<>(next.newCall(method, options)) {
            @Override
            protected void checkedStart(Listener<A> answers, Metadata headers) throws StatusException {
                headers.put(AUTHORIZATION, "Bearer " + current());
                delegate().start(answers, headers);
            }
        };
    }

    private String current() throws StatusException {
        @Nullable String given;
        try {
            given = token.get();
        } catch (RuntimeException failed) {
            throw without("failed to get the bearer token: " + failed, failed);
        }
        // gRPC would omit the header and log the token.
        if (given == null || !VISIBLE.matcher(given).matches()) {
            throw without(
                    "invalid bearer token: it must contain only visible ASCII characters and no line break", null);
        }
        return given;
    }

    private static StatusException without(String description, @Nullable Throwable cause) {
        return Status.UNAUTHENTICATED
                .withDescription(description)
                .withCause(cause)
                .asException();
    }
}
