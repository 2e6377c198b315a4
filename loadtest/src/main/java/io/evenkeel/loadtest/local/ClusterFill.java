package io.evenkeel.loadtest.local;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.text.Progress;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.v1.ClusterObject;
import java.util.Iterator;

/** Sends generated clusters to servers. */
public final class ClusterFill {
    private ClusterFill() {}

    /**
     * Sends the whole of it as a snapshot, which takes the place of what the server held; made up as it is sent. Says
     * on {@code screen} how far it is.
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
