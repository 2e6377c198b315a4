package io.evenkeel.loadtest.load;

import io.grpc.Channel;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.util.concurrent.TimeUnit;

/** A connection for measurements: responses are handled in the network's own thread, and no call is retried. */
public final class DirectChannel implements AutoCloseable {
    private static final int MOST_BYTES = 64 << 20;

    private final ManagedChannel channel;

    /** @param target the server's host and port */
    public DirectChannel(String target) {
        ManagedChannelBuilder<?> builder = Grpc.newChannelBuilder(target, InsecureChannelCredentials.create());
        if (builder instanceof NettyChannelBuilder netty) {
            // gRPC sets it, and Netty warns of each connection through a socket, which does not know it.
            netty.withOption(ChannelOption.SO_KEEPALIVE, null);
        }
        channel = builder.directExecutor()
                .disableRetry()
                .maxInboundMessageSize(MOST_BYTES)
                .build();
    }

    public Channel channel() {
        return channel;
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
