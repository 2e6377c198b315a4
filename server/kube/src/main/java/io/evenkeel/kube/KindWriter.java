package io.evenkeel.kube;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.WireCursor;
import io.evenkeel.placement.ClusterStateHandler;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.placement.change.SyncSession;
import io.evenkeel.placement.change.SyncStep;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.ClusterEvent;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.KindVersion;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes one kind of objects to an instance, as a feeder of Sync. Objects and events are gathered to messages of
 * bounded size. Where a message is refused as a whole, the stream has ended, and the next snapshot begins another one.
 * Not safe for use by several threads at the same time.
 */
final class KindWriter implements AutoCloseable {
    /** A message is sent once it has so many bytes; it has one object more at most. */
    private static final int MOST_BYTES = 256 << 10;

    private final ObjectKind kind;
    private final ClusterStateHandler state;
    private final String feeder;
    private final int mostObjects;
    private final Consumer<Refusal> refused;
    private final FedObjects objects;
    private final SyncMessage message;
    private @Nullable SyncSession session;
    private boolean stopped;

    /**
     * @param feeder how the feed names itself
     * @param mostObjects how many objects a message may have
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
        this.message = new SyncMessage(ObjectKinds.inMessages(kind).getNumber());
    }

    /** Begins a snapshot, in place of one that is under way. */
    synchronized void beginSnapshot() {
        if (stopped) {
            throw new IllegalStateException("the feed was closed");
        }
        message.clear();
        if (session == null) {
            session = state.sync();
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
        sendIf(message.hasEvents());
        message.addObject(bytes, from, to);
        sendIf(isFull());
    }

    /** Adds an event. */
    synchronized void event(ClusterEvent.Type type, byte[] bytes, int from, int to) {
        switch (type) {
            case TYPE_ADDED, TYPE_MODIFIED -> objects.put(kind, bytes, from, to);
            case TYPE_DELETED -> objects.deleted(kind, bytes, from, to);
            default -> {}
        }
        sendIf(!message.hasEvents());
        message.addEvent(type, bytes, from, to);
        sendIf(isFull());
    }

    private boolean isFull() {
        return message.length() >= MOST_BYTES || message.count() == mostObjects;
    }

    private void sendIf(boolean due) {
        if (due) {
            send();
        }
    }

    /** Applies what was added, and returns when it is applied. */
    synchronized void send() {
        if (message.isEmpty()) {
            return;
        }
        message.complete();
        try {
            SyncStep step;
            try {
                step = state.readSync(message.bytes(), 0, message.length());
            } catch (InvalidProtocolBufferException e) {
                sendSingly(message.bytes(), message.length());
                return;
            }
            handle(step);
        } finally {
            message.clear();
        }
    }

    /**
     * Sends each object in a message of its own, since a message with one that is no protobuf is refused as a whole.
     */
    private void sendSingly(byte[] bytes, int length) {
        WireCursor wire = new WireCursor(bytes, 0, length);
        try {
            while (wire.next()) {
                int tag = wire.tag();
                int outer = wire.enter();
                while (wire.next()) {
                    wire.readBytes();
                    byte[] single = SyncMessage.single(tag, wire.tag(), bytes, wire.from(), wire.position());
                    sendSingle(single);
                }
                wire.leave(outer);
            }
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message that was written here cannot be read", e);
        }
    }

    private void sendSingle(byte[] bytes) {
        SyncStep step;
        try {
            step = state.readSync(bytes);
        } catch (InvalidProtocolBufferException e) {
            requireSession().countRefused(kind);
            refused.accept(Refusal.newBuilder()
                    .setError(ItemErrors.of(
                            ErrorReason.ERROR_REASON_INVALID_FIELD,
                            "an object of kind " + kind + " is not protobuf: " + e.getMessage()))
                    .build());
            return;
        }
        handle(step);
    }

    /** Ends the snapshot. */
    synchronized void endSnapshot(String resourceVersion) {
        send();
        handle(SyncRequest.newBuilder()
                .setEndSnapshot(EndSnapshot.newBuilder()
                        .addKinds(KindVersion.newBuilder()
                                .setKind(ObjectKinds.inMessages(kind))
                                .setResourceVersion(resourceVersion)))
                .build());
        objects.listEnds(kind);
    }

    private void handle(SyncRequest request) {
        try {
            handle(state.readSync(request.toByteArray()));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a message that was written here cannot be read", e);
        }
    }

    /** Applies a message, and tells what was refused of it. A message that is refused as a whole ends the stream. */
    private void handle(SyncStep step) {
        try {
            requireSession().handle(step).getRefusalsList().forEach(refused);
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
        message.clear();
        SyncSession open = session;
        session = null;
        if (open != null) {
            open.close(why);
        }
    }
}
