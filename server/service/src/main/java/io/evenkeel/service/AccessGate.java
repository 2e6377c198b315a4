package io.evenkeel.service;

import io.evenkeel.access.AccessControl;
import io.evenkeel.access.Admission;
import io.evenkeel.access.Caller;
import io.evenkeel.access.Right;
import io.evenkeel.placement.call.RequestException;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.SSLSession;

/** Rejects unauthorized calls when their headers arrive, before any message is read. */
final class AccessGate implements ServerInterceptor {
    private static final Attributes.Key<Caller> CALLER = Attributes.Key.create("evenkeel-caller");

    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /**
     * gRPC's log of all frames and their headers. It stays off, because headers contain secrets. Kept in a field,
     * because the log manager holds loggers weakly.
     */
    private static final Logger FRAMES = Logger.getLogger("io.grpc.netty.shaded.io.grpc.netty.NettyServerHandler");

    private final AccessControl control;
    private final RefusalMetrics refusals;
    private final WorkerPools pools;

    AccessGate(AccessControl control, RefusalMetrics refusals, WorkerPools pools) {
        this.control = control;
        this.refusals = refusals;
        this.pools = pools;
        FRAMES.setLevel(Level.INFO);
    }

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        Set<Right> rights = Right.neededFor(call.getMethodDescriptor());
        if (rights.isEmpty()) {
            return next.startCall(call, headers);
        }
        Caller known = call.getAttributes().get(CALLER);
        Admission admission =
                control.admission(known == null ? Caller.UNKNOWN : known, headers.get(AUTHORIZATION), rights);
        return admission.mustAsk()
                ? new AskedCall<>(call, headers, next, admission)
                : judged(call, headers, next, admission);
    }

    private <Q, A> ServerCall.Listener<Q> judged(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, Admission admission) {
        RequestException refused = admission.judge();
        if (refused != null) {
            return refuse(call, refused);
        }
        OpenCall open = OpenCall.current();
        if (open != null) {
            open.isAdmittedBy(admission);
        }
        // Later interceptors and services need no secrets.
        headers.discardAll(AUTHORIZATION);
        return next.startCall(call, headers);
    }

    private <Q, A> ServerCall.Listener<Q> refuse(ServerCall<Q, A> call, RequestException refused) {
        refusals.count(RefusalMetrics.Why.ACCESS);
        return turnAway(call, refused);
    }

    /** Rejects a call. */
    private static <Q> ServerCall.Listener<Q> turnAway(ServerCall<Q, ?> call, RequestException refused) {
        StatusErrors.close(call, refused);
        return new ServerCall.Listener<>() {};
    }

    /**
     * A call that begins once Kubernetes has reviewed its token. Until then no message arrives, because none is
     * requested, and other events wait.
     */
    private final class AskedCall<Q, A> extends ServerCall.Listener<Q> {
        private final CallSteps steps;
        private ServerCall.Listener<Q> begun = new ServerCall.Listener<>() {};

        AskedCall(ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, Admission admission) {
            steps = new CallSteps(failure -> StatusErrors.close(call, failure));
            steps.runOn(
                    pools.tokens(!Connections.counts(call)),
                    () -> begun = answered(call, headers, next, admission),
                    false,
                    refused -> begun = turnAway(call, refused));
        }

        private ServerCall.Listener<Q> answered(
                ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next, Admission admission) {
            if (call.isCancelled()) {
                return begun;
            }
            try {
                admission.ask();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return turnAway(call, RequestException.stopping("call again"));
            }
            return judged(call, headers, next, admission);
        }

        @Override
        public void onMessage(Q message) {
            steps.run(() -> begun.onMessage(message));
        }

        @Override
        public void onHalfClose() {
            steps.run(() -> begun.onHalfClose());
        }

        @Override
        public void onCancel() {
            steps.run(() -> begun.onCancel());
        }

        @Override
        public void onComplete() {
            steps.run(() -> begun.onComplete());
        }

        @Override
        public void onReady() {
            steps.run(() -> begun.onReady());
        }
    }

    /** Records the caller of each connection of a listener. */
    static ServerTransportFilter callers(Listener listener) {
        return new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes attributes) {
                SSLSession session = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
                Caller caller;
                if (listener instanceof Listener.Unix unix) {
                    caller = AccessControl.callerThrough(unix.path());
                } else {
                    caller = session == null ? Caller.UNKNOWN : AccessControl.caller(session);
                }
                return attributes.toBuilder().set(CALLER, caller).build();
            }
        };
    }
}
