package io.evenkeel.service;

import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Error;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Exception;
import io.grpc.netty.shaded.io.netty.handler.codec.http2.Http2Stream;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets go of the calls of a connection that the server has ended and the client has not. gRPC would keep them as long
 * as the connection is open: a stranger could fill the memory with calls that were refused. The client is told by a
 * reset without error, as RFC 9113, section 8.1 provides. Belongs to the thread of its connection.
 */
final class EndedCalls extends ChannelHandlerAdapter {
    private static final long MILLIS_BETWEEN_LOOKS = 500;

    /** The streams that the last look found ended by this side only. A client has until the next to end them itself. */
    private Set<Integer> ended = new HashSet<>();

    private @Nullable Future<?> looks;

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
}
