package io.evenkeel.loadtest.load;

import io.evenkeel.v1.PlacementGrpc;
import io.grpc.BindableService;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import java.io.IOException;

/** A server whose answers a test defines. */
public final class ScriptedPlacementServer implements AutoCloseable {
    private final Server server;

    private ScriptedPlacementServer(Server server) {
        this.server = server;
    }

    /** Starts a server that handles queries with {@code queries}, and reports that it is ready. */
    static ScriptedPlacementServer start(PlacementGrpc.PlacementImplBase queries) throws IOException {
        return of(queries, new ScriptedState((request, answers) -> {}));
    }

    public static ScriptedPlacementServer of(BindableService... services) throws IOException {
        ServerBuilder<?> server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .directExecutor();
        for (BindableService service : services) {
            server.addService(service);
        }
        return new ScriptedPlacementServer(server.build().start());
    }

    public String target() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
