package io.evenkeel.service;

import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
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
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Times each call from when it begins to when its status is sent: {@code evenkeel.server.calls}, by method and status.
 * A stream is one call. One that the caller cancelled, or whose deadline passed before it was answered, counts as
 * CANCELLED.
 */
final class CallMetrics implements ServerInterceptor {
    private final MeterRegistry registry;
    private final Map<String, Map<Status.Code, Timer>> timers = new ConcurrentHashMap<>();

    CallMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Call timed = new Call(call.getMethodDescriptor().getFullMethodName());
        ServerCall.Listener<Q> listener = next.startCall(
                new ForwardingServerCall.SimpleForwardingServerCall<>(call) {
                    @Override
                    public void close(Status status, Metadata trailers) {
                        timed.end(status.getCode());
                        super.close(status, trailers);
                    }
                },
                headers);
        return new ForwardingServerCallListener.SimpleForwardingServerCallListener<>(listener) {
            @Override
            public void onCancel() {
                timed.end(Status.Code.CANCELLED);
                super.onCancel();
            }
        };
    }

    /** A call under way. It ends once: with its status, or when the caller cancels it or listens no longer. */
    private final class Call {
        private final String method;
        private final long begin = System.nanoTime();
        private final AtomicBoolean ended = new AtomicBoolean();

        Call(String method) {
            this.method = method;
        }

        void end(Status.Code code) {
            if (ended.compareAndSet(false, true)) {
                timer(method, code).record(System.nanoTime() - begin, TimeUnit.NANOSECONDS);
            }
        }
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
