package io.evenkeel.access;

import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSslServerSessionContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection when its client certificate is no longer accepted. A client with a newer certificate can show it
 * only on another connection, and would keep this one as long as it is open. gRPC announces the end to the client, and
 * closes the connection after the last call. Calls that are still open after 30 seconds, for example watches of the
 * server's health, which need no certificate, end with it. Confined to the event loop of the connection.
 */
final class RejectedCertificate extends ChannelHandlerAdapter {
    private static final System.Logger LOG = System.getLogger(RejectedCertificate.class.getName());
    private static final long SECONDS_BETWEEN_LOOKS = 1;
    private static final long SECONDS_FOR_OPEN_CALLS = 30;
    private static final int SESSION_CONTEXT_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final AccessControl control;
    private @Nullable Caller caller;

    /** The looks, and later the end. */
    private @Nullable Future<?> next;

    /** @param control decides which certificates are accepted */
    RejectedCertificate(AccessControl control) {
        this.control = control;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        next = context.executor()
                .scheduleWithFixedDelay(
                        () -> look(context), SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS, TimeUnit.SECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (next != null) {
            next.cancel(false);
        }
    }

    private void look(ChannelHandlerContext context) {
        try {
            SslHandler tls = context.pipeline().get(SslHandler.class);
            if (tls != null && tls.handshakeFuture().isSuccess()) {
                judge(context, tls.engine().getSession());
            }
        } catch (RuntimeException e) {
            // An exception would end the looks, and the certificate would be accepted for ever.
            LOG.log(System.Logger.Level.ERROR, "failed to check the client certificate of a connection", e);
        }
    }

    private void judge(ChannelHandlerContext context, SSLSession session) {
        if (caller == null) {
            caller = AccessControl.caller(session);
        }
        if (caller.equals(Caller.UNKNOWN)) {
            // It has no certificate, and never will.
            handlerRemoved(context);
        } else if (!control.accepts(caller)) {
            handlerRemoved(context);
            endSessions(session.getSessionContext());
            Channel connection = context.channel();
            // Through gRPC, which waits for open calls without limit.
            ChannelFuture unused = connection.close();
            next = context.executor()
                    .schedule(
                            () -> connection.unsafe().close(connection.newPromise()),
                            SECONDS_FOR_OPEN_CALLS,
                            TimeUnit.SECONDS);
        }
    }

    /**
     * Ends the TLS sessions: a client that resumed one would be known by the certificate with which it began. The JDK's
     * TLS, which is used if there is no native library for the platform, keeps them until they expire.
     */
    private static void endSessions(SSLSessionContext sessions) {
        if (sessions instanceof OpenSslServerSessionContext resumable) {
            byte[] context = new byte[SESSION_CONTEXT_BYTES];
            RANDOM.nextBytes(context);
            boolean unused = resumable.setSessionIdContext(context);
        }
    }
}
