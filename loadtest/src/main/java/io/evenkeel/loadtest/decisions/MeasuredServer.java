package io.evenkeel.loadtest.decisions;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.local.ServerUnderTest;
import io.evenkeel.v1.ClusterObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;

/** A new server in a separate JVM, which holds one generated cluster and has answered nothing about it yet. */
final class MeasuredServer implements AutoCloseable {
    private static final Duration DEADLINE = Duration.ofMinutes(5);

    private final ServerUnderTest server;
    private final PlacementClient client;

    MeasuredServer(Iterator<ClusterObject> cluster) throws IOException {
        server = ServerUnderTest.serve(List.of(), line -> {});
        client = RemotePlacement.connect(server.target());
        try {
            ClusterFill.send(cluster, client.within(DEADLINE));
        } catch (RuntimeException failed) {
            close();
            throw failed;
        }
    }

    PlacementClient client() {
        return client.within(DEADLINE);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
