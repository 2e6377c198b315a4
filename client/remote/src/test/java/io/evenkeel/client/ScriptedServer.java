package io.evenkeel.client;

import io.evenkeel.client.remote.RemotePlacement;
import io.grpc.BindableService;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;

/** A gRPC server on a free loopback port that fails, stalls and answers incorrectly on demand, unlike a real server. */
final class ScriptedServer implements AutoCloseable {
    private final Server server;

    ScriptedServer(BindableService... services) {
        this(0, services);
    }

    ScriptedServer(int port, BindableService... services) {
        var builder = Grpc.newServerBuilderForPort(port, InsecureServerCredentials.create());
        for (BindableService service : services) {
            builder.addService(service);
        }
        try {
            server = builder.build().start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    String target() {
        return InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.getPort();
    }

    int port() {
        return server.getPort();
    }

    PlacementClient connect() {
        return RemotePlacement.connect(target());
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
