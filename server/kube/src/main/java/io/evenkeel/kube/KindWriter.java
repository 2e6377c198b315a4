package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.KindMessages;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.KindChanges;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes one kind of objects to an instance, as a Sync feeder. Listed objects are copied and batched up to a number of
 * bytes; events are batched until {@link #send}. If a whole batch is rejected, the stream ends, and the next snapshot
 * opens another one.
 *
 * <p>Thread-safe: the client's thread may deliver objects while the feed thread closes the writer. After that nothing
 * is applied; methods that would do so throw an {@link IllegalStateException}. Callers must pass objects between the
 * begin and the end of a snapshot, and events after it. {@link FedObjects} and the consumer of refusals are called with
 * the lock held, so they can block the writer.
 */
final class KindWriter implements AutoCloseable {
    /** Kept objects are sent once they reach this many bytes. */
    private static final int MAX_BYTES = 256 << 10;

    private final ObjectKind kind;
    private final ClusterStateHandler state;
    private final String feeder;
    private final int maxObjects;
    private final Consumer<Refusal> refused;
    private final FedObjects objects;
    private final KindChanges changes;
    private final KeptObjects kept = new KeptObjects();
    private @Nullable SyncSession session;

    /** The last takeover of a stream; null if there was none. Written by any thread, without the lock. */
    private volatile @Nullable Loss loss;

    /** Called when another feeder takes over the kind. */
    private volatile Consumer<RequestException> whenTakenOver = why -> {};

    private boolean stopped;

    /** A stream whose kind was taken over by another feeder. It accepts nothing anymore. */
    private record Loss(SyncSession of, RequestException why) {}

    /**
     * @param feeder the name of the feed
     * @param maxObjects the maximum number of objects or events in a batch
     * @param refused receives each rejected object; everything else is applied
     * @param objects receives each object
     */
    KindWriter(
            ObjectKind kind,
            ClusterStateHandler state,
            String feeder,
            int maxObjects,
            Consumer<Refusal> refused,
            FedObjects objects) {
        this.kind = kind;
        this.state = state;
        this.feeder = feeder;
        this.maxObjects = maxObjects;
        this.refused = refused;
        this.objects = objects;
        this.changes = state.changes(kind, maxObjects);
    }

    /** Sets an action to run when another feeder takes over the kind. It may run in any thread and must not block. */
    void whenTakenOver(Consumer<RequestException> action) {
        whenTakenOver = action;
    }

    /**
     * Checks that no other feeder has taken over the kind since the last snapshot began.
     *
     * @throws RequestException if one has; the next snapshot opens another stream
     */
    synchronized void requireNotTakenOver() {
        SyncSession unused = requireSession();
        Loss last = lossOfStream();
        if (last != null) {
            throw last.why();
        }
    }

    /** The loss of the open stream; null if it was not taken over. */
    private @Nullable Loss lossOfStream() {
        Loss last = loss;
        return last != null && last.of() == session ? last : null;
    }

    private SyncSession begun() {
        SyncSession begun = state.sync();
        begun.whenTakenOver(why -> {
            loss = new Loss(begun, why);
            whenTakenOver.accept(why);
        });
        return begun;
    }

    /** Begins a snapshot. It replaces one that is under way. */
    synchronized void beginSnapshot() {
        if (stopped) {
            throw new IllegalStateException("the feed was closed");
        }
        drop();
        if (lossOfStream() != null) {
            endStream("another feeder has taken over");
        }
        if (session == null) {
            session = begun();
        }
        handle(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .addKinds(KindMessages.inMessages(kind))
                        .setFeeder(feeder))
                .build());
        objects.listBegins(kind);
    }

    /** Reports whether the API server is reachable. */
    synchronized void sourceIs(boolean reached) {
        if (session != null) {
            session.sourceIs(reached);
        }
    }

    /** Adds an object of the snapshot. */
    synchronized void object(byte[] bytes, int from, int to) {
        objects.put(kind, bytes, from, to);
        sendIf(changes.count() > 0 && !changes.areListed());
        int at = kept.add(bytes, from, to);
        long unused = add(Change.LISTED, kept.bytes(), at, at + (to - from));
        sendIf(changes.count() == maxObjects || kept.size() >= MAX_BYTES);
    }

    /**
     * Adds an event and returns the object's version, or 0 if it has none or the object is rejected. The bytes must not
     * change until {@link #send}.
     */
    synchronized long event(Change change, byte[] bytes, int from, int to) {
        if (change == Change.DELETED) {
            objects.deleted(kind, bytes, from, to);
        } else {
            objects.put(kind, bytes, from, to);
        }
        sendIf(changes.areListed());
        long version = add(change, bytes, from, to);
        sendIf(changes.count() == maxObjects);
        return version;
    }

    /** Records that the watch has reached this version. */
    synchronized void bookmark(long version) {
        sendIf(changes.areListed());
        changes.addBookmark(version);
        sendIf(changes.count() == maxObjects);
    }

    private long add(Change change, byte[] bytes, int from, int to) {
        try {
            return changes.add(change, bytes, from, to);
        } catch (InvalidProtocolBufferException e) {
            requireSession().countRefused(kind);
            refused.accept(Refusal.newBuilder()
                    .setError(ItemErrors.of(
                            ErrorReason.ERROR_REASON_INVALID_FIELD,
                            "object of kind " + kind + " is not valid protobuf: " + e.getMessage()))
                    .build());
            return 0;
        }
    }

    private void sendIf(boolean due) {
        if (due) {
            send();
        }
    }

    /** How many bytes of listed objects are kept. For a test that checks the bound. */
    synchronized int keptBytes() {
        return kept.size();
    }

    /** Applies everything that was added, and returns when that is done. */
    synchronized void send() {
        try {
            if (changes.count() > 0) {
                handle(session -> session.handle(changes)).forEach(refused);
            }
        } finally {
            // If every kept object is malformed, there is nothing to apply.
            drop();
        }
    }

    /** Whether only another snapshot can make the instance's state the same as the API server's. */
    boolean needsSnapshot() {
        return state.feed(kind).needsSnapshot();
    }

    private void drop() {
        changes.clear();
        kept.clear();
    }

    /** Ends the snapshot. */
    synchronized void endSnapshot(long version) {
        send();
        kept.release();
        handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.newBuilder()
                        .addKinds(KindVersion.newBuilder()
                                .setKind(KindMessages.inMessages(kind))
                                .setResourceVersion(Long.toString(version))))
                .build());
        objects.listEnds(kind);
    }

    private void handle(SyncRequest bound) {
        SyncResponse unused = handle(session -> session.handle(bound));
    }

    /** Passes something to the stream, and ends the stream if it rejects the whole batch. */
    private <T> T handle(Function<SyncSession, T> step) {
        try {
            return step.apply(requireSession());
        } catch (RequestException e) {
            endStream("request rejected: " + e.getMessage());
            throw e;
        }
    }

    private SyncSession requireSession() {
        SyncSession open = session;
        if (open == null) {
            throw new IllegalStateException("no snapshot has begun");
        }
        return open;
    }

    /** Ends the stream, so that another feeder can feed the kind. Drops what was not sent. */
    @Override
    public synchronized void close() {
        stopped = true;
        endStream("feed stopped");
    }

    private void endStream(String why) {
        drop();
        SyncSession open = session;
        session = null;
        if (open != null) {
            open.close(why);
        }
    }
}
