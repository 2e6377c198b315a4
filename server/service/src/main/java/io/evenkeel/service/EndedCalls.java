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
 * Lets go of the calls of a connection that the server has ended and the client has not. gRPC would keep them as long
 * as the connection is open: a stranger could fill the memory with calls that were refused. The client is told by a
 * reset without error, as RFC 9113, section 8.1 provides. Ends and resets wait for a client that does not read, and
 * gRPC keeps their calls until they are sent, so such a connection is closed. Belongs to the thread of its connection.
 */
final class EndedCalls extends ChannelHandlerAdapter {
    private static final long MILLIS_BETWEEN_LOOKS = 500;

    /** Strangers are sent little, so they are soon known not to read. */
    private static final Duration STRANGERS_READ_WITHIN = Duration.ofSeconds(5);

    private final UnauthenticatedConnections newcomers;
    private final Duration readWithin;
    private final RefusalMetrics refusals;

    /** The streams that the last look found ended by this side only. A client has until the next to end them itself. */
    private Set<Integer> ended = new HashSet<>();

    /** Done when all is sent that waited at an earlier look; null where nothing did. */
    private @Nullable Future<?> sent;

    /** How many looks have found that not done. In looks, so that a pause of this process does not count. */
    private long unsentLooks;

    private @Nullable Future<?> looks;

    /**
     * @param newcomers the connections of strangers
     * @param readWithin how long other callers may leave unread what is sent to them
     * @param refusals counts the connection where it is closed
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
                        () -> look(context), MILLIS_BETWEEN_LOOKS, MILLIS_BETWEEN_LOOKS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (looks != null) {
            looks.cancel(false);
        }
    }

    private void look(ChannelHandlerContext context) {
        resetEnded(context);
        closeWhereUnread(context);
    }

    private void resetEnded(ChannelHandlerContext context) {
        ChannelHandlerContext http2 = context.pipeline().context(Http2ConnectionHandler.class);
        if (http2 == null) {
            // Its handshake is not done.
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
            throw new IllegalStateException("looking at streams changes none", e);
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
            // Nothing is sent by it, but it has its turn after all that waits.
            sent = unsent == null || unsent.isEmpty() ? null : context.writeAndFlush(Unpooled.EMPTY_BUFFER);
            unsentLooks = 0;
            return;
        }
        unsentLooks++;
        Duration within = newcomers.has(channel) ? STRANGERS_READ_WITHIN : readWithin;
        if (unsentLooks * MILLIS_BETWEEN_LOOKS > within.toMillis()) {
            refusals.count(RefusalMetrics.Why.STALLED);
            // Not through gRPC, which would wait for what is open on it.
            channel.unsafe().close(channel.newPromise());
        }
    }
}
