package io.evenkeel.loadtest.local;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.v1.ClusterObject;
import java.util.Iterator;

/** Sends a generated cluster to a server. */
public final class ClusterFill {
    private ClusterFill() {}

    /** Sends objects as a snapshot, which replaces the server's cluster. They are generated while they are sent. */
    public static void send(Iterator<ClusterObject> objects, PlacementClient client) {
        try (ClusterFeed feed = client.feed()) {
            SnapshotResult result = feed.snapshot(objects);
            if (result.refused() > 0) {
                throw new IllegalStateException("the server rejected " + result.refusals());
            }
        }
    }
}
