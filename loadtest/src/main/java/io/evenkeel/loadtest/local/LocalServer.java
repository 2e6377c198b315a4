package io.evenkeel.loadtest.local;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.service.EvenkeelServer;
import io.evenkeel.service.ServerOptions;
import java.io.IOException;

/** Runs a server in this process, on a free loopback port, with a client connected to that port. */
public final class LocalServer implements AutoCloseable {
    private final EvenkeelServer server;
    private final PlacementClient client;

    private LocalServer(EvenkeelServer server) {
        this.server = server;
        client = RemotePlacement.connect(target());
    }

    /**
     * Starts a server with default settings.
     *
     * @throws IOException if it cannot listen
     */
    public static LocalServer start() throws IOException {
        return new LocalServer(EvenkeelServer.start(ServerOptions.onLoopback(0)));
    }

    /** The server's host and port. */
    public String target() {
        return "127.0.0.1:" + server.port();
    }

    public PlacementClient client() {
        return client;
    }

    /** Waits until the server is stopped. */
    public void awaitTermination() throws InterruptedException {
        server.awaitTermination();
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
