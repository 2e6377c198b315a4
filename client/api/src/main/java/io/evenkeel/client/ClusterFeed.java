package io.evenkeel.client;

import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.ClusterObject;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.Events;
import io.evenkeel.v1.ObjectKind;
import io.evenkeel.v1.Objects;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A session that feeds a cluster to the server: {@link #beginSnapshot}, {@link #objects} and {@link #endSnapshot}, or
 * {@link #snapshot} for all three, and then {@link #events}.
 *
 * <p>Each method sends a message and returns a future, which completes with the acknowledgement: the revision reached,
 * and which objects were rejected and why. Messages are acknowledged in order. At most 256 messages and 16 MiB can be
 * unacknowledged; a larger message is sent alone. Sending blocks until there is room, so do not send from dependent
 * stages of these futures. When the session breaks, unacknowledged and later messages fail with
 * {@link PlacementException}; open another session and send a snapshot. Thread-safe: messages are applied in the order
 * in which they were sent.
 */
public final class ClusterFeed implements AutoCloseable {
    private final MessageStream<SyncRequest, SyncResponse> stream;
    private final FeedOptions options;
    private final Duration grace;

    ClusterFeed(MessageStream<SyncRequest, SyncResponse> stream, FeedOptions options, Duration grace) {
        this.stream = stream;
        this.options = options;
        this.grace = grace;
    }

    /**
     * Begins a snapshot of all kinds but PodDisruptionBudgets. Objects that it does not contain are removed when it
     * ends.
     */
    public CompletableFuture<SyncResponse> beginSnapshot() {
        return beginSnapshot(Set.of());
    }

    /**
     * Begins a snapshot of these kinds; if the set is empty, as {@link #beginSnapshot()}. It does not affect other
     * kinds, which may have their own snapshot under way.
     */
    public CompletableFuture<SyncResponse> beginSnapshot(Set<ObjectKind> kinds) {
        return send(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .addAllKinds(kinds)
                        .setFeeder(options.name())
                        .setTakeover(options.takeover()))
                .build());
    }

    /** Sends some objects of the snapshot. Messages of 64 to 256 KiB are the fastest. */
    public CompletableFuture<SyncResponse> objects(Iterable<ClusterObject> objects) {
        return send(SyncRequest.newBuilder()
                .setObjects(Objects.newBuilder().addAllObjects(objects))
                .build());
    }

    /** Ends all snapshots that are under way in this feed. */
    public CompletableFuture<SyncResponse> endSnapshot() {
        return endSnapshot(Map.of());
    }

    /**
     * Ends the snapshot of these kinds.
     *
     * @param versions the resourceVersion of each kind's list, or "" if unknown; empty to end all snapshots that are
     *     under way in this feed
     */
    public CompletableFuture<SyncResponse> endSnapshot(Map<ObjectKind, String> versions) {
        EndSnapshot.Builder end = EndSnapshot.newBuilder();
        versions.forEach((kind, version) -> end.addKindsBuilder().setKind(kind).setResourceVersion(version));
        return send(SyncRequest.newBuilder().setEndSnapshot(end).build());
    }

    /**
     * Reports that the feed of a kind has reached this resourceVersion without a change, like a bookmark of a watch.
     */
    public CompletableFuture<SyncResponse> bookmark(ObjectKind kind, String resourceVersion) {
        return events(List.of(ClusterObjects.bookmark(kind, resourceVersion)));
    }

    /** Sends events, in order. */
    public CompletableFuture<SyncResponse> events(Iterable<ClusterEvent> events) {
        return send(SyncRequest.newBuilder()
                .setEvents(Events.newBuilder().addAllEvents(events))
                .build());
    }

    /**
     * Sends a whole snapshot in messages of a suitable size, and waits until it is applied. Only the objects of
     * unacknowledged messages are kept in memory.
     *
     * @throws PlacementException if the session broke; the snapshot then removes nothing
     */
    public SnapshotResult snapshot(Iterator<ClusterObject> objects) {
        return snapshot(Set.of(), objects);
    }

    /** Same as {@link #snapshot(Iterator)}, for these kinds; if the set is empty, as {@link #beginSnapshot()}. */
    public SnapshotResult snapshot(Set<ObjectKind> kinds, Iterator<ClusterObject> objects) {
        return new SnapshotSender(this, kinds).send(objects);
    }

    private CompletableFuture<SyncResponse> send(SyncRequest message) {
        return stream.send(Payload.of(message), Function.identity());
    }

    /**
     * Waits for outstanding acknowledgements, at most for the client's deadline, and ends the session. An unfinished
     * snapshot removes nothing.
     */
    @Override
    public void close() {
        stream.close(grace);
    }
}
