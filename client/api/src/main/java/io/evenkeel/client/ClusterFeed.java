package io.evenkeel.client;

import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;

/**
 * A session that feeds the cluster: {@link #beginSnapshot}, {@link #objects}, {@link #endSnapshot}, then
 * {@link #events}; or {@link #snapshot} for the first three.
 *
 * <p>Each message is acknowledged, in order, by the future that sending it gave: the revision reached, and what was
 * refused and why. At most 256 messages and 16 MiB of them are without acknowledgement; sending waits for room, so
 * don't send from what hangs on these futures. When the session breaks, what was not acknowledged fails with
 * {@link PlacementException}, and so does what is sent later: open another and send a snapshot. Messages of several
 * threads are applied in the order in which they were sent.
 */
public final class ClusterFeed implements AutoCloseable {
    private final Pipeline<SyncRequest, SyncResponse> pipeline;
    private final Duration grace;

    ClusterFeed(Pipeline<SyncRequest, SyncResponse> pipeline, Duration grace) {
        this.pipeline = pipeline;
        this.grace = grace;
    }

    /** Begins a snapshot: what it does not name is removed at its end. */
    public CompletableFuture<SyncResponse> beginSnapshot() {
        return pipeline.send(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.getDefaultInstance())
                .build());
    }

    /** Some of the snapshot's objects. A message of 64 to 256 KiB goes furthest. */
    public CompletableFuture<SyncResponse> objects(Iterable<ClusterObject> objects) {
        return pipeline.send(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(objects))
                .build());
    }

    /** Ends the snapshot. */
    public CompletableFuture<SyncResponse> endSnapshot() {
        return pipeline.send(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.getDefaultInstance())
                .build());
    }

    /** What changed, in order. */
    public CompletableFuture<SyncResponse> events(Iterable<ClusterEvent> events) {
        return pipeline.send(SyncRequest.newBuilder()
                .setEvents(Events.newBuilder().addAllEvents(events))
                .build());
    }

    /**
     * Sends a whole snapshot, in messages of a good size, and waits until it is applied. Not more than one window of
     * objects is held, however many there are.
     *
     * @throws PlacementException where the session broke; the snapshot then removes nothing
     */
    public SnapshotResult snapshot(Iterator<ClusterObject> objects) {
        return new SnapshotSender(this).send(objects);
    }

    /**
     * Waits for what is not acknowledged, at most for the client's deadline, and ends the session. A snapshot that was
     * not ended removes nothing.
     */
    @Override
    public void close() {
        pipeline.close(grace);
    }
}
