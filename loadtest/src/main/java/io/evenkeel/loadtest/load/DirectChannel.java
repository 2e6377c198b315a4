package io.evenkeel.loadtest.load;

import io.evenkeel.client.remote.RemotePlacement;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import java.util.concurrent.TimeUnit;

/** A channel for measurements: responses are handled on the network thread, and calls are not retried. */
public final class DirectChannel implements AutoCloseable {
    private final ManagedChannel channel;

    /** @param target the server's host and port, or its socket */
    public DirectChannel(String target) {
        this(RemotePlacement.builder(target));
    }

    /** @param settings settings with the server's address and credentials; other settings are overwritten */
    DirectChannel(RemotePlacement.Builder settings) {
        channel = settings.channel(channel -> channel.directExecutor().disableRetry())
                .openChannel();
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
