package io.evenkeel.loadtest.local;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.text.Progress;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.v1.ClusterObject;
import java.util.Iterator;

/** Sends a generated cluster to a server. */
public final class ClusterFill {
    private ClusterFill() {}

    /**
     * Sends the cluster as a snapshot, which replaces the server's cluster. Objects are generated while they are sent.
     * Shows progress on {@code screen}.
     */
    public static SnapshotResult send(ClusterGenerator generator, PlacementClient client, Screen screen) {
        Progress progress = new Progress(screen, "objects sent", generator.objectCount());
        Iterator<ClusterObject> objects = generator.objects();
        try (ClusterFeed feed = client.feed()) {
            return feed.snapshot(new Iterator<>() {
                @Override
                public boolean hasNext() {
                    return objects.hasNext();
                }

                @Override
                public ClusterObject next() {
                    progress.step();
                    return objects.next();
                }
            });
        } finally {
            progress.end();
        }
    }
}
