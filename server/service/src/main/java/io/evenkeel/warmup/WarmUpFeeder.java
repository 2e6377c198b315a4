package io.evenkeel.warmup;

import io.evenkeel.client.ClusterFeed;
import io.evenkeel.client.PlacementClient;
import io.evenkeel.client.remote.RemotePlacement;
import io.evenkeel.v1.SyncResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Feeds a {@link SmallCluster} to a server over a separate connection: a snapshot first, then changes. Closing it
 * completes the feed. Not thread-safe.
 */
final class WarmUpFeeder implements AutoCloseable {
    private static final long LATE_SECONDS = 10;

    private final PlacementClient client;
    private final ClusterFeed feed;
    private int changes;

    /** @throws java.util.concurrent.CompletionException if the server does not accept the snapshot in time */
    WarmUpFeeder(String target) {
        client = RemotePlacement.builder(target).executor(Runnable::run).build();
        feed = client.feed();
        try {
            taken(feed.beginSnapshot());
            taken(feed.objects(SmallCluster.objects()));
            taken(feed.endSnapshot(SmallCluster.versions()));
        } catch (RuntimeException e) {
            client.close();
            throw e;
        }
    }

    private static void taken(CompletableFuture<SyncResponse> step) {
        step.orTimeout(LATE_SECONDS, TimeUnit.SECONDS).join();
    }

    /** Sends the next change. */
    CompletableFuture<SyncResponse> change() {
        return feed.events(List.of(SmallCluster.change(changes++)));
    }

    @Override
    public void close() {
        feed.close();
        client.close();
    }
}
