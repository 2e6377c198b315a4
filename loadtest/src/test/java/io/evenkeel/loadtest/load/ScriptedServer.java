package io.evenkeel.loadtest.load;

import io.evenkeel.v1.ClusterStateGrpc;
import io.evenkeel.v1.GetStatusRequest;
import io.evenkeel.v1.GetStatusResponse;
import io.evenkeel.v1.PlacementGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;

/** A server that says it is ready, and answers queries as a test wants. */
final class ScriptedServer implements AutoCloseable {
    private final Server server;

    private ScriptedServer(Server server) {
        this.server = server;
    }

    static ScriptedServer start(PlacementGrpc.PlacementImplBase queries) throws IOException {
        ClusterStateGrpc.ClusterStateImplBase state = new ClusterStateGrpc.ClusterStateImplBase() {
            @Override
            public void getStatus(GetStatusRequest request, StreamObserver<GetStatusResponse> answers) {
                answers.onNext(GetStatusResponse.newBuilder().setReady(true).build());
                answers.onCompleted();
            }
        };
        return new ScriptedServer(Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .directExecutor()
                .addService(queries)
                .addService(state)
                .build()
                .start());
    }

    String target() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
