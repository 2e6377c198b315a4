package io.evenkeel.client.remote;

import com.google.protobuf.MessageLite;
import io.evenkeel.client.ErrorCode;
import io.evenkeel.client.Payload;
import io.evenkeel.client.PlacementException;
import io.evenkeel.client.ProtocolMethod;
import io.evenkeel.client.Transport;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Carries calls over a gRPC channel. */
final class RemoteTransport implements Transport {
    /**
     * How many responses are requested from gRPC at a time. The number of sent messages already limits how many can
     * arrive.
     */
    private static final int ANSWERS_AHEAD = 256;

    private static final long BETWEEN_CONNECTS_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long MAX_CONNECT_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String CLOSED = "the client was closed";

    private final Channel channel;
    /** Closed with this transport; null if the caller owns the channel. */
    private final @Nullable ManagedChannel owned;

    /** How often a unary call is made at most if its response is cut off. */
    private final int maxCalls;

    private final Map<ClientCall<?, ?>, Stream<?>> streams = new ConcurrentHashMap<>();
    private final AtomicLong connectedAt = new AtomicLong(System.nanoTime() - BETWEEN_CONNECTS_NANOS);
    private volatile boolean closed;

    /** A transport over the caller's channel, which decides what is retried. */
    RemoteTransport(Channel channel) {
        this.channel = channel;
        owned = null;
        maxCalls = 1;
    }

    /** @param maxCalls how often a unary call is made at most if its response is cut off */
    RemoteTransport(ManagedChannel owned, int maxCalls) {
        channel = owned;
        this.owned = owned;
        this.maxCalls = maxCalls;
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> A call(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline) {
        if (closed) {
            throw closed();
        }
        CallOptions until = CallOptions.DEFAULT.withDeadlineAfter(deadline);
        for (int made = 1; ; made++) {
            Attempts attempts = new Attempts(this::connectSoon, this::waits);
            try {
                return ClientCalls.blockingUnaryCall(
                        channel, GrpcMethods.of(method), until.withStreamTracerFactory(attempts), request);
            } catch (StatusRuntimeException failed) {
                if (made >= maxCalls || closed || !attempts.isCutOff()) {
                    throw attempts.describe(GrpcFailures.of(failed));
                }
            }
        }
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Runnable start(
            ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
        if (closed) {
            answers.ended(closed());
            return () -> {};
        }
        UnaryCall<Q, A> call = new UnaryCall<>(method, request, deadline, answers);
        call.make();
        return call::cancel;
    }

    @Override
    public <Q extends MessageLite, A extends MessageLite> Exchange<Q> open(
            ProtocolMethod<Q, A> method, Answers<A> answers) {
        ClientCall<Payload<Q>, A> call = channel.newCall(GrpcMethods.of(method), CallOptions.DEFAULT);
        Stream<Q> stream = new Stream<>(call);
        streams.put(call, stream);
        call.start(new Listener<>(call, answers, new Attempts(this::connectSoon, this::waits)), new Metadata());
        call.request(ANSWERS_AHEAD);
        if (closed) {
            stream.cancel(CLOSED);
        }
        return stream;
    }

    /**
     * Reconnects now, because a call needs a connection. gRPC's back-off grows with each failure, so in a rolling
     * restart it could notice too late that a server is back.
     */
    private void connectSoon() {
        long last = connectedAt.get();
        long now = System.nanoTime();
        if (owned != null && now - last >= BETWEEN_CONNECTS_NANOS && connectedAt.compareAndSet(last, now)) {
            owned.resetConnectBackoff();
        }
    }

    private void waits(Attempts call) {
        if (owned != null) {
            connectWhileWaiting(call, BETWEEN_CONNECTS_NANOS);
        }
    }

    /** Reconnects after this time, then after twice the time. In another thread, because gRPC holds a lock here. */
    private void connectWhileWaiting(Attempts call, long nanos) {
        CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(() -> {
            if (call.isWaiting() && !closed) {
                connectSoon();
                connectWhileWaiting(call, Math.min(2 * nanos, MAX_CONNECT_INTERVAL_NANOS));
            }
        });
    }

    private static PlacementException closed() {
        return new PlacementException(ErrorCode.UNAVAILABLE, CLOSED, null);
    }

    @Override
    public void close(Duration grace) {
        closed = true;
        for (Stream<?> stream : streams.values()) {
            stream.cancel(CLOSED);
        }
        if (owned == null) {
            return;
        }
        owned.shutdown();
        try {
            if (!owned.awaitTermination(grace.toNanos(), TimeUnit.NANOSECONDS)) {
                owned.shutdownNow();
            }
        } catch (InterruptedException interrupted) {
            owned.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }

    /** A unary call that is made again if its response is cut off. */
    private final class UnaryCall<Q extends MessageLite, A extends MessageLite> {
        private final ProtocolMethod<Q, A> method;
        private final Payload<Q> request;
        private final CallOptions until;
        private final Answers<A> answers;
        private int made;
        private volatile @Nullable ClientCall<Payload<Q>, A> call;
        private volatile boolean cancelled;

        UnaryCall(ProtocolMethod<Q, A> method, Payload<Q> request, Duration deadline, Answers<A> answers) {
            this.method = method;
            this.request = request;
            until = CallOptions.DEFAULT.withDeadlineAfter(deadline);
            this.answers = answers;
        }

        void make() {
            Attempts attempts = new Attempts(RemoteTransport.this::connectSoon, RemoteTransport.this::waits);
            ClientCall<Payload<Q>, A> next =
                    channel.newCall(GrpcMethods.of(method), until.withStreamTracerFactory(attempts));
            call = next;
            made++;
            next.start(
                    new Listener<>(next, answers, attempts) {
                        @Override
                        public void onClose(Status status, Metadata trailers) {
                            if (made < maxCalls && !cancelled && !closed && attempts.isCutOff()) {
                                make();
                            } else {
                                super.onClose(status, trailers);
                            }
                        }
                    },
                    new Metadata());
            next.request(2);
            next.sendMessage(request);
            next.halfClose();
            if (cancelled) {
                cancel();
            }
        }

        void cancel() {
            cancelled = true;
            ClientCall<Payload<Q>, A> known = call;
            if (known != null) {
                known.cancel("cancelled by the caller", null);
            }
        }
    }

    private class Listener<A> extends ClientCall.Listener<A> {
        private final ClientCall<?, A> call;
        private final Answers<A> answers;
        private final Attempts attempts;

        Listener(ClientCall<?, A> call, Answers<A> answers, Attempts attempts) {
            this.call = call;
            this.answers = answers;
            this.attempts = attempts;
        }

        @Override
        public void onMessage(A answer) {
            answers.answered(answer);
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            streams.remove(call);
            answers.ended(status.isOk() ? null : attempts.describe(GrpcFailures.of(status, trailers)));
        }
    }

    /**
     * The client's side of a stream. Messages sent after a cancellation are dropped. Unanswered messages fail a little
     * later, when the end is delivered.
     */
    private static final class Stream<Q extends MessageLite> implements Exchange<Q> {
        private final ClientCall<Payload<Q>, ?> call;
        private volatile boolean cancelled;

        Stream(ClientCall<Payload<Q>, ?> call) {
            this.call = call;
        }

        @Override
        public void send(Payload<Q> message) {
            unlessCancelled(() -> call.sendMessage(message));
        }

        @Override
        public void finish() {
            unlessCancelled(call::halfClose);
        }

        @Override
        public void cancel(String reason) {
            cancelled = true;
            call.cancel(reason, null);
        }

        private void unlessCancelled(Runnable step) {
            if (cancelled) {
                return;
            }
            try {
                step.run();
            } catch (IllegalStateException wrong) {
                // gRPC also throws this if the call was just cancelled.
                if (!cancelled) {
                    throw wrong;
                }
            }
        }
    }
}
