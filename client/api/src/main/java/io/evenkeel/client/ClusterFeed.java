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
 * and which objects were refused and why. Messages are acknowledged in order. At most 256 messages, and 16 MiB of them,
 * can wait for acknowledgement; one that is larger waits alone. Sending waits for room, so do not send from dependent
 * stages of these futures. When the session breaks, messages without acknowledgement fail with
 * {@link PlacementException}, and so do later ones: open another session and send a snapshot. Thread-safe: messages of
 * several threads are applied in the order in which they were sent.
 */
public final class ClusterFeed implements AutoCloseable {
    private final Pipeline<SyncRequest, SyncResponse> pipeline;
    private final FeedOptions options;
    private final Duration grace;

    ClusterFeed(Pipeline<SyncRequest, SyncResponse> pipeline, FeedOptions options, Duration grace) {
        this.pipeline = pipeline;
        this.options = options;
        this.grace = grace;
    }

    /** Begins a snapshot of all kinds. Objects that it does not contain are removed when it ends. */
    public CompletableFuture<SyncResponse> beginSnapshot() {
        return beginSnapshot(Set.of());
    }

    /**
     * Begins a snapshot of these kinds, or of all where there are none. Others are left alone by it; a snapshot of
     * others may be under way.
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

    /** Ends the snapshot of every kind that is under way in this feed. */
    public CompletableFuture<SyncResponse> endSnapshot() {
        return endSnapshot(Map.of());
    }

    /**
     * Ends the snapshot of these kinds.
     *
     * @param versions by kind the resourceVersion of its list, or "" where that is not known; empty for every kind that
     *     is under way in this feed
     */
    public CompletableFuture<SyncResponse> endSnapshot(Map<ObjectKind, String> versions) {
        EndSnapshot.Builder end = EndSnapshot.newBuilder();
        versions.forEach((kind, version) -> end.addKindsBuilder().setKind(kind).setResourceVersion(version));
        return send(SyncRequest.newBuilder().setEndSnapshot(end).build());
    }

    /**
     * Tells that the feed of a kind has got to this resourceVersion, though nothing has changed: what a bookmark of a
     * watch says.
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
     * Sends a whole snapshot in messages of a good size, and waits until it is applied. Only the objects of messages
     * that wait for acknowledgement are in memory, however many there are.
     *
     * @throws PlacementException where the session broke; the snapshot then removes nothing
     */
    public SnapshotResult snapshot(Iterator<ClusterObject> objects) {
        return snapshot(Set.of(), objects);
    }

    /** As {@link #snapshot(Iterator)}, of these kinds; of all where there are none. */
    public SnapshotResult snapshot(Set<ObjectKind> kinds, Iterator<ClusterObject> objects) {
        return new SnapshotSender(this, kinds).send(objects);
    }

    private CompletableFuture<SyncResponse> send(SyncRequest message) {
        return pipeline.send(message, Function.identity());
    }

    /**
     * Waits for outstanding acknowledgements, at most for the client's deadline, and ends the session. A snapshot that
     * was not ended removes nothing.
     */
    @Override
    public void close() {
        pipeline.close(grace);
    }
}
