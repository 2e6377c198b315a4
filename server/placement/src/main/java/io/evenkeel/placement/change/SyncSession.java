package io.evenkeel.placement.change;

import com.google.protobuf.InvalidProtocolBufferException;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import io.evenkeel.objects.TemplateCache;
import io.evenkeel.placement.call.EngineAccess;
import io.evenkeel.placement.call.ItemErrors;
import io.evenkeel.placement.call.Limits;
import io.evenkeel.placement.call.ObjectKinds;
import io.evenkeel.placement.call.Readiness;
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
 * Handles the messages of one stream of {@code Sync}. Call {@link #handle} with the messages in order, and
 * {@link #close()} when the stream ends in any way. After an error it takes no more messages. Threads may call it in
 * turn: its methods are synchronized.
 */
public final class SyncSession implements AutoCloseable {
    private static final int MOST_IN_A_NAME = 253;

    private final EngineAccess access;
    private final Feeder feeder;
    private final Feeds feeds;
    private final Limits limits;
    private final TemplateCache templates;
    private final FeedStream stream;

    /** Whether it has begun a snapshot, so that it may feed something. */
    private boolean fed;

    /** How many objects the end of the snapshot has removed so far. */
    private int removed;

    public SyncSession(EngineAccess access, Feeder feeder, Feeds feeds, Limits limits, TemplateCache templates) {
        this.access = access;
        this.feeder = feeder;
        this.feeds = feeds;
        this.limits = limits;
        this.templates = templates;
        this.stream = feeds.open();
    }

    /**
     * Calls {@code action} where another stream takes a kind over from this one, which must end then. It may be called
     * in any thread, and must not block.
     */
    public void whenTakenOver(Consumer<RequestException> action) {
        stream.whenLost(action);
    }

    /**
     * Says whether what the stream feeds from is reached now. While it is not, the status tells of nobody who feeds the
     * kinds, but they stay this stream's.
     */
    public void sourceIs(boolean reached) {
        stream.sourceIs(reached);
    }

    /** Counts an object or event of the kind as refused that the feeder has, and that cannot be read. */
    public void countRefused(ObjectKind kind) {
        access.progress().countRefused(kind, 1);
    }

    /** Handles a message that is not in bytes; see {@link #handle(SyncStep)}. */
    public SyncResponse handle(SyncRequest request) {
        try {
            return handle(SyncStep.read(request.toByteArray(), limits.events(), templates));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalArgumentException("a message must be well-formed", e);
        }
    }

    /**
     * Makes the changes, and returns what was refused of them.
     *
     * @throws RequestException where all are refused; the stream must end then
     */
    public List<Refusal> handle(KindChanges changes) {
        boolean listed = changes.areListed();
        try {
            return handle(changes.take(), listed).refusals();
        } finally {
            tell();
        }
    }

    private synchronized Feeder.Outcome handle(ChangeList changes, boolean listed) {
        stream.move();
        return listed ? applyObjects(changes) : applyEvents(changes);
    }

    /**
     * Makes the changes of a message, and returns its acknowledgement.
     *
     * @throws RequestException where the whole message is refused; the stream must end then
     */
    public SyncResponse handle(SyncStep request) {
        List<FeedStream> losers = new ArrayList<>();
        try {
            return handle(request, losers);
        } finally {
            // Without this object's lock, since it may need those of the other streams.
            losers.forEach(FeedStream::tellLoss);
            tell();
        }
    }

    /** Tells others what has become of the state. */
    private void tell() {
        access.readiness().tell();
        access.gate().advanceVersions();
        feeds.tell();
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
                "objects must be of a kind whose snapshot is under way in this stream: none of " + kind + " is");
    }

    private static ItemError withoutASnapshot(ObjectKind kind) {
        return ItemErrors.of(
                ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                "events must follow a snapshot of their kind: none of " + kind + " was begun");
    }

    private SyncResponse begin(BeginSnapshot message, List<FeedStream> losers) {
        Set<ObjectKind> kinds = message.getKindsCount() == 0
                ? ObjectKind.ALL
                : ObjectKinds.of(message.getKindsValueList(), "beginSnapshot.kinds");
        String name = message.getFeeder();
        if (name.length() > MOST_IN_A_NAME) {
            throw RequestException.invalid(
                    "beginSnapshot.feeder",
                    "must have at most " + MOST_IN_A_NAME + " characters, had " + name.length());
        }
        fed = true;
        long revision = access.engine().write(writer -> {
            stream.move();
            // This comes first, since it may refuse the snapshot.
            losers.addAll(feeds.begin(stream, kinds, name, message.getTakeover()));
            access.readiness().beginSnapshot(kinds);
            access.progress().beginSnapshot(kinds);
            access.progress().publish(writer);
            writer.beginSnapshot(kinds);
        });
        return SyncResponse.newBuilder().setRevision(access.revision(revision)).build();
    }

    private SyncResponse end(EndSnapshot message) {
        Set<ObjectKind> underWay = requireUnderWay("endSnapshot");
        Map<ObjectKind, Long> named = ObjectKinds.ofVersions(message.getKindsList(), true, "endSnapshot.kinds");
        if (!underWay.containsAll(named.keySet())) {
            named.keySet().removeAll(underWay);
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                    "endSnapshot must follow beginSnapshot in the same stream: none of " + named.keySet()
                            + " is under way");
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
            // Other threads may read and write between two sweeps.
            revision = access.engine().write(writer -> swept[0] = sweep(writer, ending));
        } while (!swept[0]);
        return SyncResponse.newBuilder()
                .setRevision(access.revision(revision))
                .setRemovedCount(removed)
                .build();
    }

    /**
     * Removes some of what the snapshot did not name; returns whether that was the last of it.
     *
     * @param ending the kinds that end, each with its list's version, or 0
     */
    private boolean sweep(ClusterWriter writer, Map<ObjectKind, Long> ending) {
        stream.move();
        Set<ObjectKind> kinds = ending.keySet();
        access.progress().beginEnd(ending, writer);
        removed += writer.sweepSnapshot(ending);
        if (writer.isSnapshotUnderWay(kinds)) {
            return false;
        }
        feeds.endSnapshot(ending);
        access.readiness().endSnapshot(kinds);
        access.progress().endSnapshot(ending);
        access.progress().publish(writer);
        return true;
    }

    private Feeder.Outcome applyObjects(ChangeList changes) {
        Limits.admit(changes.count(), limits.events(), "objects.objects");
        Set<ObjectKind> underWay = requireUnderWay("objects");
        changes.refuseUnless(underWay::contains, SyncSession::notInTheSnapshot);
        return feeder.apply(changes, stream, true);
    }

    private Feeder.Outcome applyEvents(ChangeList changes) {
        Limits.admit(changes.count(), limits.events(), "events.events");
        Readiness readiness = access.readiness();
        if (!readiness.hasBegun()) {
            throw RequestException.of(
                    ErrorReason.ERROR_REASON_SNAPSHOT_REQUIRED,
                    "events must follow a snapshot: no cluster has been fed yet");
        }
        changes.refuseUnless(readiness::hasBegun, SyncSession::withoutASnapshot);
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

    /** The kinds whose snapshot is under way in this stream, which must be some. */
    private Set<ObjectKind> requireUnderWay(String step) {
        Set<ObjectKind> underWay = feeds.underWay(stream);
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
     * Abandons the snapshots of this stream that are under way: nothing more is removed.
     *
     * @param why the stream has ended, in words
     */
    public synchronized void close(String why) {
        if (fed) {
            fed = false;
            access.engine().write(writer -> {
                Set<ObjectKind> brokenOff = feeds.release(stream, why);
                writer.abandonSnapshot(brokenOff);
                access.readiness().abandonSnapshot(brokenOff);
            });
            access.readiness().tell();
            feeds.tell();
        }
    }
}
