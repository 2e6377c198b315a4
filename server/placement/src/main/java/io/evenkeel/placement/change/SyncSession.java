package io.evenkeel.placement.change;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.SpreadEngine;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;

/**
 * Handles the messages of one stream of {@code Sync}. Call {@link #handle} with the messages in order, and
 * {@link #close} when the stream ends in any way. After an error it takes no more messages. Threads may call it in
 * turn: its methods are synchronized.
 */
public final class SyncSession implements AutoCloseable {
    private final EngineAccess access;
    private final Feeder feeder;
    private final Limits limits;
    private final boolean load;
    private boolean inSnapshot;

    /** How many objects the end of the snapshot has removed so far. */
    private int removed;

    /** @param load whether it loads files */
    public SyncSession(EngineAccess access, Feeder feeder, Limits limits, boolean load) {
        this.access = access;
        this.feeder = feeder;
        this.limits = limits;
        this.load = load;
    }

    /** Handles a message that is not in bytes; see {@link #handle(SyncStep)}. */
    public SyncResponse handle(SyncRequest request) {
        try {
            return handle(SyncStep.read(request.toByteArray(), limits.events()));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
    }

    /**
     * Makes the changes of a message, and returns its acknowledgement.
     *
     * @throws RequestException where the whole message is refused; the stream must end then
     */
    public synchronized SyncResponse handle(SyncStep request) {
        try {
            ChangeList changes = request.changes();
            return switch (request.step()) {
                case BEGIN_SNAPSHOT -> begin(request.bounds().getBeginSnapshot());
                case OBJECTS -> {
                    Limits.admit(changes.count(), limits.events(), "objects.objects");
                    requireSnapshot("objects");
                    yield acknowledgement(feeder.apply(changes, this::requireOwnSnapshot, applied -> {}));
                }
                case END_SNAPSHOT -> end(request.bounds().getEndSnapshot());
                case EVENTS -> {
                    Limits.admit(changes.count(), limits.events(), "events.events");
                    yield acknowledgement(feeder.apply(changes, this::requireOwnOrEnded, applied -> {}));
                }
                case STEP_NOT_SET -> throw RequestException.invalid("step", "must be set");
            };
        } finally {
            access.readiness().tell();
        }
    }

    private SyncResponse begin(BeginSnapshot begun) {
        if (begun.getKindsCount() > 0) {
            throw RequestException.notServed("beginSnapshot.kinds");
        }
        if (!begun.getFeeder().isEmpty()) {
            throw RequestException.notServed("beginSnapshot.feeder");
        }
        if (begun.getTakeover()) {
            throw RequestException.notServed("beginSnapshot.takeover");
        }
        long revision = access.engine().write(writer -> {
            if (inSnapshot) {
                requireOwnSnapshot();
            }
            // This comes first, since it may refuse the snapshot.
            access.readiness().beginSnapshot(this, load);
            writer.beginSnapshot(ObjectKind.ALL);
        });
        inSnapshot = true;
        return SyncResponse.newBuilder().setRevision(access.revision(revision)).build();
    }

    private SyncResponse end(EndSnapshot ended) {
        requireSnapshot("endSnapshot");
        if (ended.getKindsCount() > 0) {
            throw RequestException.notServed("endSnapshot.kinds");
        }
        removed = 0;
        long revision;
        do {
            // Other threads may read and write between two sweeps.
            revision = access.engine().write(this::sweep);
        } while (inSnapshot);
        return SyncResponse.newBuilder()
                .setRevision(access.revision(revision))
                .setRemovedCount(removed)
                .build();
    }

    private void sweep(ClusterWriter writer) {
        requireOwnSnapshot();
        removed += writer.sweepSnapshot(ObjectKind.ALL);
        if (!writer.isSnapshotUnderWay(ObjectKind.ALL)) {
            access.readiness().endSnapshot();
            inSnapshot = false;
        }
    }

    private SyncResponse acknowledgement(Feeder.Outcome outcome) {
        return SyncResponse.newBuilder()
                .setRevision(access.revision(outcome.revision()))
                .addAllRefusals(outcome.refusals())
                .setAppliedCount(outcome.applied())
                .build();
    }

    private void requireSnapshot(String step) {
        if (!inSnapshot) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED, step + " must follow beginSnapshot in the same stream");
        }
    }

    /**
     * Refuses where another stream owns the snapshot. To be called within a write of the engine, so that the owner
     * cannot change.
     */
    private void requireOwnSnapshot() {
        if (!access.readiness().isOwner(this)) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_FEED_TAKEN_OVER,
                    "another stream began a snapshot: this one's was abandoned, and removed "
                            + (removed == 0 ? "nothing" : removed + " objects"));
        }
    }

    private void requireOwnOrEnded() {
        if (inSnapshot) {
            requireOwnSnapshot();
        } else if (!access.readiness().hasBegun()) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                    "events must follow a snapshot: no cluster has been fed yet");
        }
    }

    /** Abandons the snapshot of this stream if it is under way: nothing more is removed. */
    @Override
    public synchronized void close() {
        if (inSnapshot) {
            inSnapshot = false;
            SpreadEngine engine = access.engine();
            engine.write(writer -> {
                if (access.readiness().isOwner(this)) {
                    writer.abandonSnapshot(ObjectKind.ALL);
                    access.readiness().abandonSnapshot();
                }
            });
            access.readiness().tell();
        }
    }
}
