package io.evenkeel.loadtest.demo;

import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.SnapshotResult;
import io.evenkeel.loadtest.cluster.ClusterGenerator;
import io.evenkeel.loadtest.cluster.ClusterShape;
import io.evenkeel.loadtest.local.ClusterFill;
import io.evenkeel.loadtest.text.Numbers;
import io.evenkeel.loadtest.text.Screen;
import io.evenkeel.v1.GetStatusResponse;

/** Section 1 of the demo: feeds the generated cluster to the server. */
final class FeedSection {
    private final Screen screen;
    private final Claims claims;
    private final PlacementClient client;

    FeedSection(Screen screen, Claims claims, PlacementClient client) {
        this.screen = screen;
        this.claims = claims;
        this.client = client;
    }

    void show(ClusterGenerator generator) {
        ClusterShape shape = generator.shape();
        screen.heading("1. A generated cluster is sent through Sync (seed " + shape.seed() + ")");
        screen.line("  " + generator.words());
        long start = System.nanoTime();
        SnapshotResult result = ClusterFill.send(generator, client, screen);
        long nanos = System.nanoTime() - start;
        GetStatusResponse status = client.status();
        screen.line("  %s objects in %s, generated and sent in this process; %s pods counted"
                .formatted(
                        Numbers.grouped(result.sent()),
                        Numbers.seconds(nanos),
                        Numbers.grouped(status.getCountedPodCount())));
        claims.equal("objects rejected", 0L, result.refused());
        claims.equal("nodes", (long) shape.nodes(), status.getNodeCount());
        claims.equal("pods", (long) shape.pods(), status.getPodCount());
    }
}
