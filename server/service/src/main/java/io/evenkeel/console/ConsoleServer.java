package io.evenkeel.console;

import io.evenkeel.operations.HttpServer;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Serves the console over HTTP or HTTPS. Its questions are gRPC calls, so they need the same rights as others. */
public final class ConsoleServer implements AutoCloseable {
    private final HttpServer server;
    private final ManagedChannel channel;

    private ConsoleServer(HttpServer server, ManagedChannel channel) {
        this.server = server;
        this.channel = channel;
    }

    /**
     * Starts the server.
     *
     * @param tls null for plaintext
     * @param channel answers the questions; closed with the server, also if this fails
     * @param guarded whether callers must authenticate
     * @throws IOException if it cannot listen on the address
     */
    public static ConsoleServer start(
            InetSocketAddress listen, @Nullable SSLContext tls, ManagedChannel channel, boolean guarded)
            throws IOException {
        try {
            return new ConsoleServer(
                    HttpServer.start("evenkeel-console", listen, tls, new ConsolePages(channel, guarded)), channel);
        } catch (IOException | RuntimeException e) {
            channel.shutdownNow();
            throw e;
        }
    }

    /** The port that it listens on. */
    public int port() {
        return server.port();
    }

    @Override
    public void close() {
        try {
            server.close();
        } finally {
            channel.shutdownNow();
        }
    }
}
