package io.evenkeel.placement.change;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.FeedStream;
import io.evenkeel.placement.call.Feeds;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.RequestException;
import io.evenkeel.v1.BeginSnapshot;
import io.evenkeel.v1.EndSnapshot;
import io.evenkeel.v1.ErrorReason;
import io.evenkeel.v1.ItemError;
import io.evenkeel.v1.Refusal;
import io.evenkeel.v1.SyncRequest;
import io.evenkeel.v1.SyncResponse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Handles the steps of one {@code Sync} or {@code SyncAndEvaluate} stream. Call {@link #handle} with the messages in
 * order, and {@link #close()} when the stream ends for any reason. It accepts no messages after an error. Methods are
 * synchronized, so several threads may call it in turn.
 */
public final class SyncSession implements AutoCloseable {
    private static final int MAX_NAME_CHARACTERS = 253;

    private final EngineAccess access;
    private final Feeder feeder;
    private final Feeds feeds;
    private final Limits limits;
    private final TemplateCache templates;
    private final FeedStream stream;

    /** Whether it has started a snapshot, and so may feed something. */
    private boolean fed;

    /** The number of objects that the end of the snapshot has removed so far. */
    private int removed;

    public SyncSession(EngineAccess access, Feeder feeder, Limits limits, TemplateCache templates) {
        this.access = access;
        this.feeder = feeder;
        this.feeds = access.feeds();
        this.limits = limits;
        this.templates = templates;
        this.stream = feeds.open();
    }

    /**
     * Calls {@code action} when another stream takes over a kind from this one, which must then end. The action may run
     * in any thread, and must not block.
     */
    public void whenTakenOver(Consumer<RequestException> action) {
        stream.whenLost(action);
    }

    /**
     * Sets whether the stream's source is currently reachable. While it is not, the status reports no feeder for the
     * stream's kinds, but the stream keeps them.
     */
    public void sourceIs(boolean reached) {
        stream.sourceIs(reached);
    }

    /** Counts an object or event of the kind that the feeder cannot read as rejected. */
    public void countRefused(ObjectKind kind) {
        feeds.of(kind).countRefused(1);
    }

    /** Handles a parsed message; see {@link #handle(SyncStep)}. */
    public SyncResponse handle(SyncRequest request) {
        try {
            return handle(SyncStep.read(request.toByteArray(), limits.events(), templates));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
    }

    /**
     * Applies the changes, and returns the rejected ones.
     *
     * @throws RequestException if all are rejected; the stream must then end
     */
    public List<Refusal> handle(KindChanges changes) {
        boolean listed = changes.areListed();
        try {
            return handle(changes.take(), listed).refusals();
        } finally {
            notifyListeners();
        }
    }

    private synchronized Feeder.Outcome handle(ChangeList changes, boolean listed) {
        stream.move();
        return listed ? applyObjects(changes) : applyEvents(changes);
    }

    /**
     * Applies the changes of a message, and returns its acknowledgement.
     *
     * @throws RequestException if the whole message is rejected; the stream must then end
     */
    public SyncResponse handle(SyncStep request) {
        List<FeedStream> losers = new ArrayList<>();
        try {
            return handle(request, losers);
        } finally {
            // Without this object's lock, because it may need the locks of the other streams.
            losers.forEach(FeedStream::reportLoss);
            notifyListeners();
        }
    }

    /** Notifies those who wait for versions, and listeners of changes of the state. */
    private void notifyListeners() {
        // First, so that calls do not wait for listeners, which may write a log.
        access.waiting().advanceVersions();
        feeds.notifyListeners();
    }

    private synchronized SyncResponse handle(SyncStep request, List<FeedStream> losers) {
        stream.move();
        ChangeList changes = request.changes();
        return switch (request.step()) {
            case BEGIN_SNAPSHOT -> begin(request.bounds().getBeginSnapshot(), losers);
            case OBJECTS -> response(applyObjects(changes));
            case END_SNAPSHOT -> end(request.bounds().getEndSnapshot());
            case EVENTS -> response(applyEvents(changes));
            case STEP_NOT_SET -> throw RequestException.invalid("step", "must be set");
        };
    }

    private static ItemError notInTheSnapshot(ObjectKind kind) {
        return ItemErrors.of(
                ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                "objects must be of a kind that this stream is sending a snapshot of, was " + kind);
    }

    private static ItemError withoutASnapshot(ObjectKind kind) {
        return ItemErrors.of(
                ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                "events must follow a snapshot of their kind; none of " + kind + " was started");
    }

    private SyncResponse begin(BeginSnapshot message, List<FeedStream> losers) {
        Set<ObjectKind> kinds = message.getKindsCount() == 0
                ? ObjectKind.OF_PLACEMENT
                : ObjectKinds.of(message.getKindsValueList(), "beginSnapshot.kinds");
        String name = message.getFeeder();
        if (name.length() > MAX_NAME_CHARACTERS) {
            throw RequestException.invalid(
                    "beginSnapshot.feeder",
                    "must have at most " + MAX_NAME_CHARACTERS + " characters, had " + name.length());
        }
        fed = true;
        long revision = access.engine().write(writer -> {
            stream.move();
            // This comes first because it may reject the snapshot.
            losers.addAll(feeds.begin(stream, kinds, name, message.getTakeover(), writer));
            writer.beginSnapshot(kinds);
        });
        return SyncResponse.newBuilder().setRevision(access.revision(revision)).build();
    }

    private SyncResponse end(EndSnapshot message) {
        Set<ObjectKind> underWay = requireInProgress("endSnapshot");
        Map<ObjectKind, Long> named = ObjectKinds.ofVersions(message.getKindsList(), true, "endSnapshot.kinds");
        if (!underWay.containsAll(named.keySet())) {
            named.keySet().removeAll(underWay);
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                    "endSnapshot must follow beginSnapshot in the same stream; no snapshot of " + named.keySet()
                            + " is in progress");
        }
        Map<ObjectKind, Long> ending = new EnumMap<>(ObjectKind.class);
        if (named.isEmpty()) {
            underWay.forEach(kind -> ending.put(kind, 0L));
        } else {
            ending.putAll(named);
        }
        removed = 0;
        boolean[] swept = new boolean[1];
        long revision;
        do {
            // Other threads can read and write between two sweeps.
            revision = access.engine().write(writer -> swept[0] = sweep(writer, ending));
        } while (!swept[0]);
        return SyncResponse.newBuilder()
                .setRevision(access.revision(revision))
                .setRemovedCount(removed)
                .build();
    }

    /**
     * Removes some of the objects that the snapshot did not list; returns true if none remain.
     *
     * @param ending the kinds whose snapshot ends, each with its list's version, or 0
     */
    private boolean sweep(ClusterWriter writer, Map<ObjectKind, Long> ending) {
        stream.move();
        feeds.beginEnd(ending, writer);
        removed += writer.sweepSnapshot(ending);
        if (writer.isSnapshotInProgress(ending.keySet())) {
            return false;
        }
        feeds.end(ending, writer);
        return true;
    }

    private Feeder.Outcome applyObjects(ChangeList changes) {
        Limits.admit(changes.count(), limits.events(), "objects.objects");
        Set<ObjectKind> underWay = requireInProgress("objects");
        changes.refuseUnless(underWay::contains, SyncSession::notInTheSnapshot);
        return feeder.apply(changes, stream, true);
    }

    private Feeder.Outcome applyEvents(ChangeList changes) {
        Limits.admit(changes.count(), limits.events(), "events.events");
        if (!feeds.haveBegun()) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                    "events must follow a snapshot; no cluster state has been received yet");
        }
        changes.refuseUnless(kind -> feeds.of(kind).hasBegun(), SyncSession::withoutASnapshot);
        return feeder.apply(changes, stream, false);
    }

    private SyncResponse response(Feeder.Outcome outcome) {
        SyncResponse.Builder response = SyncResponse.newBuilder()
                .setRevision(access.revision(outcome.revision()))
                .setAppliedCount(outcome.applied());
        if (!outcome.refusals().isEmpty()) {
            response.addAllRefusals(outcome.refusals());
        }
        return response.build();
    }

    /** The kinds that this stream is sending a snapshot of. There must be at least one. */
    private Set<ObjectKind> requireInProgress(String step) {
        Set<ObjectKind> underWay = feeds.listing(stream);
        if (underWay.isEmpty()) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED, step + " must follow beginSnapshot in the same stream");
        }
        return underWay;
    }

    @Override
    public void close() {
        close("its feeder has closed it");
    }

    /**
     * Ends the stream, and aborts its unfinished snapshots, so that nothing more is removed.
     *
     * @param why why the stream has ended
     */
    public synchronized void close(String why) {
        if (fed) {
            fed = false;
            access.engine().write(writer -> writer.abandonSnapshot(feeds.close(stream, why)));
            feeds.notifyListeners();
        }
    }
}
