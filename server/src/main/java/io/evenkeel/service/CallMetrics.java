package io.evenkeel.service;

import io.grpc.ForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Times each call from when it begins to when its status is sent: {@code evenkeel.server.calls}, by method and status. A stream is one call. */
final class CallMetrics implements ServerInterceptor {
    private final MeterRegistry registry;
    private final Map<String, Map<Status.Code, Timer>> timers = new ConcurrentHashMap<>();

    CallMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        String method = call.getMethodDescriptor().getFullMethodName();
        long begin = System.nanoTime();
        return next.startCall(
                new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        timer(method, status.getCode()).record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
                        super.close(status, trailers);
                    }
                },
                headers);
    }

    private Timer timer(String method, Status.Code code) {
        return timers.computeIfAbsent(method, of -> new ConcurrentHashMap<>())
                .computeIfAbsent(
                        code,
                        of -> Timer.builder("evenkeel.server.calls")
                                .description("Calls, from their beginning to their status")
                                .tag("method", method)
                                .tag("status", code.name())
                                .publishPercentiles(0.5, 0.99)
                                .register(registry));
    }
}
