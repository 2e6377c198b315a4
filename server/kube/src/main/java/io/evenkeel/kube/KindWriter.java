package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.Change;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.ObjectKinds;
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
 * Writes one kind of objects to an instance, as a feeder of Sync. Objects of a list are kept and gathered, up to a
 * bound of their bytes; events are gathered until {@link #send}. Where all that was gathered is refused, the stream has
 * ended, and the next snapshot begins another one.
 *
 * <p>Safe for use by several threads: the client's thread may deliver objects while the thread of a feed closes the
 * writer. Nothing is applied after that: whatever would, throws an {@link IllegalStateException}. That objects come
 * between the begin and the end of a snapshot, and events after it, is up to the callers. {@link FedObjects} and who is
 * told of refusals are called while the writer is locked, and may hold it up.
 */
final class KindWriter implements AutoCloseable {
    /** The kept objects are sent once they have so many bytes. */
    private static final int MOST_BYTES = 256 << 10;

    private final ObjectKind kind;
    private final ClusterStateHandler state;
    private final String feeder;
    private final int mostObjects;
    private final Consumer<Refusal> refused;
    private final FedObjects objects;
    private final KindChanges changes;
    private final KeptObjects kept = new KeptObjects();
    private @Nullable SyncSession session;

    /** The last loss of a stream; null where there was none. Written by any thread, without the lock. */
    private volatile @Nullable Loss loss;

    /** Told where another feeder has taken the kind over. */
    private volatile Consumer<RequestException> whenTakenOver = why -> {};

    /** Whether there was no room for something since the last snapshot began. */
    private boolean lacking;

    private boolean stopped;

    /** A stream from which another feeder has taken the kind over: it takes nothing more. */
    private record Loss(SyncSession of, RequestException why) {}

    /**
     * @param feeder how the feed names itself
     * @param mostObjects how many objects or events are sent at a time
     * @param refused told of each object that was refused; everything else is applied
     * @param objects told of each object
     */
    KindWriter(
            ObjectKind kind,
            ClusterStateHandler state,
            String feeder,
            int mostObjects,
            Consumer<Refusal> refused,
            FedObjects objects) {
        this.kind = kind;
        this.state = state;
        this.feeder = feeder;
        this.mostObjects = mostObjects;
        this.refused = refused;
        this.objects = objects;
        this.changes = state.changes(kind, mostObjects);
    }

    /**
     * Has {@code action} called where another feeder takes the kind over. It may be called in any thread, and must not
     * block.
     */
    void whenTakenOver(Consumer<RequestException> action) {
        whenTakenOver = action;
    }

    /**
     * Requires that no other feeder has taken the kind over since the last snapshot began.
     *
     * @throws RequestException where one has; the next snapshot begins another stream
     */
    synchronized void requireNotTakenOver() {
        SyncSession unused = requireSession();
        Loss last = lossOfStream();
        if (last != null) {
            throw last.why();
        }
    }

    /** The loss of the stream that is open; null where it was not taken over. */
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

    /** Begins a snapshot, in place of one that is under way. */
    synchronized void beginSnapshot() {
        if (stopped) {
            throw new IllegalStateException("the feed was closed");
        }
        drop();
        lacking = false;
        if (lossOfStream() != null) {
            endStream("another feeder has taken over");
        }
        if (session == null) {
            session = begun();
        }
        handle(SyncRequest.newBuilder()
                .setBeginSnapshot(BeginSnapshot.newBuilder()
                        .addKinds(ObjectKinds.inMessages(kind))
                        .setFeeder(feeder))
                .build());
        objects.listBegins(kind);
    }

    /** Says whether the API server answers. */
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
        sendIf(changes.count() == mostObjects || kept.size() >= MOST_BYTES);
    }

    /**
     * Adds an event, whose bytes must not change until {@link #send}; returns the object's version. It is 0 where there
     * is none, and where the object is refused.
     */
    synchronized long event(Change change, byte[] bytes, int from, int to) {
        if (change == Change.DELETED) {
            objects.deleted(kind, bytes, from, to);
        } else {
            objects.put(kind, bytes, from, to);
        }
        sendIf(changes.areListed());
        long version = add(change, bytes, from, to);
        sendIf(changes.count() == mostObjects);
        return version;
    }

    /** Adds that the watch has got to this version. */
    synchronized void bookmark(long version) {
        sendIf(changes.areListed());
        changes.addBookmark(version);
        sendIf(changes.count() == mostObjects);
    }

    private long add(Change change, byte[] bytes, int from, int to) {
        try {
            return changes.add(change, bytes, from, to);
        } catch (InvalidProtocolBufferException e) {
            requireSession().countRefused(kind);
            refused.accept(Refusal.newBuilder()
                    .setError(ItemErrors.of(
                            ErrorReason.ERROR_REASON_INVALID_FIELD,
                            "an object of kind " + kind + " is not protobuf: " + e.getMessage()))
                    .build());
            return 0;
        }
    }

    private void sendIf(boolean due) {
        if (due) {
            send();
        }
    }

    /** How many bytes of listed objects are kept. Only a test asks, since nothing else shows that they are bounded. */
    synchronized int keptBytes() {
        return kept.size();
    }

    /** Applies what was added, and returns when it is applied. */
    synchronized void send() {
        try {
            if (changes.count() > 0) {
                handle(session -> session.handle(changes)).forEach(this::refuse);
            }
        } finally {
            // Where all that was kept is malformed, there is nothing to apply.
            drop();
        }
    }

    private void refuse(Refusal refusal) {
        lacking |= refusal.getError().getReason() == ErrorReason.ERROR_REASON_STATE_FULL;
        refused.accept(refusal);
    }

    /** Whether an object was refused for lack of room, and no complete snapshot has come since. */
    synchronized boolean isLacking() {
        return lacking;
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
                                .setKind(ObjectKinds.inMessages(kind))
                                .setResourceVersion(Long.toString(version))))
                .build());
        objects.listEnds(kind);
    }

    private void handle(SyncRequest bound) {
        SyncResponse unused = handle(session -> session.handle(bound));
    }

    /** Hands something to the stream. Where that refuses it as a whole, it ends. */
    private <T> T handle(Function<SyncSession, T> step) {
        try {
            return step.apply(requireSession());
        } catch (RequestException e) {
            endStream("it was refused: " + e.getMessage());
            throw e;
        }
    }

    private SyncSession requireSession() {
        SyncSession open = session;
        if (open == null) {
            throw new IllegalStateException("a snapshot must begin first");
        }
        return open;
    }

    /** Ends the stream: another feeder may feed the kind. What was added and not sent is dropped. */
    @Override
    public synchronized void close() {
        stopped = true;
        endStream("it was stopped");
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
