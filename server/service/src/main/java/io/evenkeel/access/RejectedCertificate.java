package io.evenkeel.access;

import io.grpc.netty.shaded.io.netty.channel.ChannelFuture;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.OpenSslServerSessionContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.security.SecureRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection when its client certificate is no longer accepted. A client with a newer certificate can show it
 * only on another connection, and would keep this one as long as it is open. Its open calls have time to end: netty
 * announces the end to the client, and closes the connection after the last call, or after 30 seconds. Confined to the
 * event loop of the connection.
 */
final class RejectedCertificate extends ChannelHandlerAdapter {
    private static final long SECONDS_BETWEEN_LOOKS = 1;
    private static final int SESSION_CONTEXT_BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final AccessControl control;
    private @Nullable Caller caller;
    private @Nullable Future<?> looks;

    /** @param control decides which certificates are accepted */
    RejectedCertificate(AccessControl control) {
        this.control = control;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        looks = context.executor()
                .scheduleWithFixedDelay(
                        () -> look(context), SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS, TimeUnit.SECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (looks != null) {
            looks.cancel(false);
        }
    }

    private void look(ChannelHandlerContext context) {
        SslHandler tls = context.pipeline().get(SslHandler.class);
        if (tls == null || !tls.handshakeFuture().isSuccess()) {
            return;
        }
        if (caller == null) {
            caller = AccessControl.caller(tls.engine().getSession());
        }
        if (!control.accepts(caller)) {
            handlerRemoved(context);
            endSessions(tls.engine().getSession().getSessionContext());
            // Through gRPC, which waits for open calls.
            ChannelFuture unused = context.channel().close();
        }
    }

    /** Ends the TLS sessions: a client that resumed one would be known by the certificate with which it began. */
    private static void endSessions(SSLSessionContext sessions) {
        if (sessions instanceof OpenSslServerSessionContext resumable) {
            byte[] next = new byte[SESSION_CONTEXT_BYTES];
            RANDOM.nextBytes(next);
            boolean unused = resumable.setSessionIdContext(next);
        }
    }
}
