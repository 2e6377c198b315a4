package io.evenkeel.service;

import io.evenkeel.access.AccessControl;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler.Sharable;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The event loops of a server. They are the ones that gRPC would create itself: one that accepts connections, and one
 * for each processor that serves them.
 */
final class Acceptor implements AutoCloseable {
    /** How much an event loop reads from a connection before it serves the next one. Netty's default is a megabyte. */
    private static final int BYTES_IN_TURN = 16 << 10;

    private static final int FIRST_BYTES = 2 << 10;
    private static final int MIN_BYTES = 64;

    private final EventLoopGroup accepting;
    private final EventLoopGroup carrying;
    private final Accepted accepted = new Accepted();
    private final UnauthenticatedConnections newcomers;
    private final AccessControl access;
    private final Duration readWithin;
    private final RefusalMetrics refusals;

    /**
     * @param access ends connections whose certificate it no longer accepts
     * @param readWithin how long admitted callers may leave answers unread
     * @param refusals counts the connections that are closed because their peer does not read
     */
    Acceptor(UnauthenticatedConnections newcomers, AccessControl access, Duration readWithin, RefusalMetrics refusals) {
        IoHandlerFactory handlers = Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        accepting = new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("evenkeel-accept", true), handlers);
        carrying = new MultiThreadIoEventLoopGroup(
                Runtime.getRuntime().availableProcessors(), new DefaultThreadFactory("evenkeel-io", true), handlers);
        this.newcomers = newcomers;
        this.access = access;
        this.readWithin = readWithin;
        this.refusals = refusals;
    }

    /** Makes a server use these event loops. */
    NettyServerBuilder serve(NettyServerBuilder transport, Listener listener) {
        return transport
                .bossEventLoopGroup(accepting)
                .workerEventLoopGroup(carrying)
                .withChildOption(
                        ChannelOption.RECVBUF_ALLOCATOR,
                        new AdaptiveRecvByteBufAllocator(MIN_BYTES, FIRST_BYTES, BYTES_IN_TURN).maxMessagesPerRead(1))
                .channelFactory(() -> {
                    ServerChannel channel = channel(listener);
                    channel.pipeline().addLast(accepted);
                    return channel;
                });
    }

    private static ServerChannel channel(Listener listener) {
        if (listener instanceof Listener.Unix) {
            return new EpollServerDomainSocketChannel();
        }
        return Epoll.isAvailable() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
    }

    @Override
    public void close() {
        Future<?> unused = accepting.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        unused = carrying.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** Handles each connection when it is accepted. */
    @Sharable
    private final class Accepted extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof Channel connection) {
                newcomers.add(connection);
                access.watch(connection);
                connection.pipeline().addLast(new EndedCalls(newcomers, readWithin, refusals));
            }
            context.fireChannelRead(message);
        }
    }
}
