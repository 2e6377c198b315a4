package io.evenkeel.service;

import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelOutboundBuffer;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Releases the calls of a connection that the server has ended and the client has not. gRPC would keep them as long as
 * the connection is open, so an unauthenticated client could fill the memory with rejected calls. They are reset with
 * NO_ERROR, as in RFC 9113, section 8.1. If a client does not read, gRPC keeps its calls until their ends and resets
 * are sent, so its connection is closed. Confined to the event loop of its connection.
 */
final class EndedCalls extends ChannelHandlerAdapter {
    private static final long MILLIS_BETWEEN_CHECKS = 500;

    /** Short, because unauthenticated callers receive little, and not reading that is soon noticed. */
    private static final Duration STRANGERS_READ_WITHIN = Duration.ofSeconds(5);

    private final UnauthenticatedConnections newcomers;
    private final Duration readWithin;
    private final RefusalMetrics refusals;

    /** The streams that only the server had ended at the last check. The client has until the next one to end them. */
    private Set<Integer> ended = new HashSet<>();

    /** Done when everything that was unsent at an earlier check is sent; null if nothing was. */
    private @Nullable Future<?> sent;

    /** How many checks have found it not done. Counted in checks, so that a pause of this process does not matter. */
    private long unsentChecks;

    private @Nullable Future<?> looks;

    /**
     * @param newcomers the connections of unauthenticated callers
     * @param readWithin how long other callers may leave answers unread
     * @param refusals counts the connection if it is closed
     */
    EndedCalls(UnauthenticatedConnections newcomers, Duration readWithin, RefusalMetrics refusals) {
        this.newcomers = newcomers;
        this.readWithin = readWithin;
        this.refusals = refusals;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        looks = context.executor()
                .scheduleWithFixedDelay(
                        () -> check(context), MILLIS_BETWEEN_CHECKS, MILLIS_BETWEEN_CHECKS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (looks != null) {
            looks.cancel(false);
        }
    }

    private void check(ChannelHandlerContext context) {
        resetEnded(context);
        closeWhereUnread(context);
    }

    private void resetEnded(ChannelHandlerContext context) {
        ChannelHandlerContext http2 = context.pipeline().context(Http2ConnectionHandler.class);
        if (http2 == null) {
            // The handshake is not complete.
            return;
        }
        Http2ConnectionHandler handler = (Http2ConnectionHandler) http2.handler();
        Set<Integer> now = new HashSet<>();
        try {
            handler.connection().forEachActiveStream(stream -> {
                if (stream.state() == Http2Stream.State.HALF_CLOSED_LOCAL) {
                    now.add(stream.id());
                }
                return true;
            });
        } catch (Http2Exception e) {
            throw new IllegalStateException("the visitor of the streams throws nothing", e);
        }
        for (int stream : now) {
            if (ended.contains(stream)) {
                Future<?> unused = handler.resetStream(http2, stream, Http2Error.NO_ERROR.code(), http2.newPromise());
            }
        }
        if (!ended.isEmpty()) {
            http2.flush();
        }
        ended = now;
    }

    private void closeWhereUnread(ChannelHandlerContext context) {
        Channel channel = context.channel();
        if (sent == null || sent.isDone()) {
            ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
            // An empty write completes after everything that is queued before it.
            sent = unsent == null || unsent.isEmpty() ? null : context.writeAndFlush(Unpooled.EMPTY_BUFFER);
            unsentChecks = 0;
            return;
        }
        unsentChecks++;
        Duration within = newcomers.has(channel) ? STRANGERS_READ_WITHIN : readWithin;
        if (unsentChecks * MILLIS_BETWEEN_CHECKS > within.toMillis()) {
            refusals.count(RefusalMetrics.Why.STALLED);
            // Not through gRPC, which would wait for open calls.
            channel.unsafe().close(channel.newPromise());
        }
    }
}
