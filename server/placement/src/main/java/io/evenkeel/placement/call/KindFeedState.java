package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The state of the feed of one kind of object: which stream feeds it, how far that has got, and whether queries can be
 * answered.
 *
 * <pre>
 *     NONE ── apply ──► APPLIED
 *      │  ◄── expect ──   │
 *      └───────┬──────────┘
 *            begin
 *              ▼     ─── end ───►
 *           LISTING                LIVE
 *            │   ▲   ◄── begin ──
 *          close begin
 *            ▼   │
 *           ABORTED
 *
 *   phase     ready                   reported version
 *   NONE      no                      none
 *   APPLIED   yes                     none
 *   LISTING   if it was LIVE before   none
 *   LIVE      yes                     the list's, then the last event's
 *   ABORTED   if it was LIVE before   none
 *
 *   begin    a stream starts a snapshot, and owns the kind from now on. During a snapshot, a new one starts
 *   end      the snapshot is complete, and the objects that it did not contain are removed
 *   close    the owner has ended, and the kind has no owner. If it was LIVE, it stays LIVE
 *   apply    a unary call has changed the state of any kind, and no snapshots are expected
 *   expect   a feed has started that will list every kind
 * </pre>
 *
 * <p>The reported version identifies the state exactly, and the state includes every event up to the held version,
 * perhaps through a bookmark. In LIVE no version is reported while the state may differ from the feed's:
 *
 * <ul>
 *   <li>after an object was rejected for lack of room, until a snapshot without rejected objects;
 *   <li>after a change that contradicts the API server's order;
 *   <li>after a list older than the known state, until the feed catches up: events that are already known change
 *       nothing;
 *   <li>after a change that another stream or a unary call has made, until the feed has passed its version or, if that
 *       can never explain the change, until the next snapshot ({@link #needsSnapshot}).
 * </ul>
 *
 * <p>Changes only within writes of the engine, which are serialized. Any thread may read it. What changes with every
 * event becomes visible at the end of the write ({@link #publish}).
 */
public final class KindFeedState {
    /** See the diagram of {@link KindFeedState}. */
    public enum Phase {
        NONE,
        APPLIED,
        LISTING,
        LIVE,
        ABORTED
    }

    /** The stream that feeds the kind, the name of its feeder, and when it started. */
    record Owner(FeedStream stream, String feeder, long since) {}

    /**
     * What was received so far. Times are nanoseconds of the instance's clock, or null if there was no such message.
     *
     * @param eventAt time of the last event of the feed
     * @param bookmarkAt time of the last bookmark
     * @param heardAt time of the last event, bookmark or end of a snapshot
     * @param applied objects and events that changed the state, from any source
     * @param unchanged those that did not change it
     */
    public record Received(
            @Nullable Long eventAt,
            @Nullable Long bookmarkAt,
            @Nullable Long heardAt,
            long applied,
            long unchanged,
            long bookmarks) {}

    static final String LISTING_FIRST = "the first snapshot is in progress";
    static final String ABORTED_FIRST = "the first snapshot was aborted; waiting for a complete one";
    private static final long NEVER = Long.MAX_VALUE;

    private final ObjectKind kind;

    // Read by any thread.
    private volatile Phase phase = Phase.NONE;
    private volatile @Nullable Owner owner;

    /** True once a snapshot was complete. */
    private volatile boolean wasLive;

    /** True if the state lacks objects of the feed for lack of room. */
    private volatile boolean full;

    private volatile long version;

    /** True if the state may differ from the feed's, apart from a lack of room. */
    private volatile boolean differs;

    private volatile boolean needsSnapshot;
    private volatile Received received = new Received(null, null, null, 0, 0, 0);
    private final LongAdder refused = new LongAdder();

    // Accessed only within writes.

    /** The greatest version of the complete list and of the events after it; 0 if there was none. */
    private long last;

    /** The greatest version of any object or event so far. */
    private long newest;

    /** The greatest versions of objects, of events and of bookmarks since the last snapshot started. */
    private long listed;

    private long changed;
    private long bookmarked;

    /** No version is reported while {@link #last} is below this. */
    private long exactFrom;

    /** True if something was rejected for lack of room since the last snapshot started. */
    private boolean lacking;

    // What was received; the flags since the last publication.
    private boolean unpublished;
    private boolean heardEvent;
    private boolean heardBookmark;
    private boolean justEnded;
    private long applied;
    private long unchanged;
    private long bookmarks;

    KindFeedState(ObjectKind kind) {
        this.kind = kind;
    }

    /** Transition: a stream starts a snapshot, which it may do. */
    void begin(FeedStream stream, String feeder, long now) {
        Owner before = owner;
        // First, so that a previous owner never takes the new snapshot for its own.
        owner = new Owner(stream, feeder, before != null && before.stream == stream ? before.since : now);
        phase = Phase.LISTING;
        listed = 0;
        changed = 0;
        bookmarked = 0;
        exactFrom = 0;
        lacking = false;
        unpublished = true;
    }

    /**
     * Records an applied change of an object.
     *
     * @param source the stream that sent the change; null for a unary call
     * @param ofList whether it is an object of a snapshot, and not an event
     * @param at the object's version; 0 if unknown
     * @param effective whether the state has changed
     */
    public void applied(@Nullable FeedStream source, boolean ofList, long at, boolean effective) {
        if (effective) {
            applied++;
        } else {
            unchanged++;
        }
        unpublished = true;
        if (!isFedBy(source)) {
            eventFromElsewhere(at, effective);
            return;
        }
        newest = Math.max(newest, at);
        if (ofList) {
            listed = Math.max(listed, at);
        } else {
            event(at, effective);
        }
    }

    private void event(long at, boolean effective) {
        heardEvent = true;
        if (phase != Phase.LIVE) {
            changed = Math.max(changed, at);
        } else if (at > last) {
            last = at;
        } else if (effective) {
            // Without a version, the change is covered by the next event. With a version, it is too late.
            exactFrom = at == 0 ? Math.max(exactFrom, last + 1) : NEVER;
        }
    }

    /**
     * If the event is ahead of the feed, the feed's earlier events are still to come, even if this one changed nothing.
     * No version is reported until the feed has caught up.
     */
    private void eventFromElsewhere(long at, boolean effective) {
        boolean live = phase == Phase.LIVE;
        if (live && at > last) {
            exactFrom = Math.max(exactFrom, at);
        } else if (effective || !live && at > 0) {
            exactFrom = NEVER;
        }
    }

    /** Records that the source has reached a version. Only the owner's bookmarks count. */
    public void bookmark(@Nullable FeedStream source, long at) {
        if (isFedBy(source)) {
            bookmarked = Math.max(bookmarked, at);
            bookmarks++;
            heardBookmark = true;
            unpublished = true;
        }
    }

    /** Records that an object or event was rejected for lack of room. */
    public void rejectedForRoom(@Nullable FeedStream source) {
        countRefused(1);
        if (isFedBy(source)) {
            lacking = true;
            full = true;
            unpublished = true;
        }
    }

    /**
     * Prepares the end of the snapshot, before the objects that it did not list are removed.
     *
     * @param list the version of the list; 0 if unknown
     */
    void beginEnd(long list, ClusterWriter writer) {
        writer.setVersions(kind, 0, Math.min(writer.heldVersion(kind), reachedBySnapshot(list)));
    }

    /** Transition: the snapshot is complete. */
    void end(long list) {
        // First, so that the kind always appears ready from here on.
        wasLive = true;
        phase = Phase.LIVE;
        last = reachedBySnapshot(list);
        exactFrom = Math.max(exactFrom, newest);
        newest = Math.max(newest, last);
        full = lacking;
        justEnded = true;
        unpublished = true;
    }

    private long reachedBySnapshot(long list) {
        return Math.max(list > 0 ? list : listed, changed);
    }

    /** Transition: the owner has ended. */
    void close() {
        if (phase == Phase.LISTING) {
            phase = Phase.ABORTED;
        }
        owner = null;
    }

    /** Transition: a unary call has changed the state of any kind. */
    void apply() {
        if (phase == Phase.NONE) {
            phase = Phase.APPLIED;
        }
    }

    /** Transition: a list of the kind will come, so events alone are not enough. */
    void expectSnapshot() {
        if (phase == Phase.APPLIED) {
            phase = Phase.NONE;
        }
    }

    /** Publishes all changes so far to the engine and to other threads, if there are any. */
    void publish(ClusterWriter writer, long now) {
        if (!unpublished) {
            return;
        }
        Received before = received;
        received = new Received(
                heardEvent ? (Long) now : before.eventAt,
                heardBookmark ? (Long) now : before.bookmarkAt,
                heardEvent || heardBookmark || justEnded ? (Long) now : before.heardAt,
                applied,
                unchanged,
                bookmarks);
        boolean live = phase == Phase.LIVE;
        differs = live && last < exactFrom;
        // If the feed itself has been at this version, for example before a backup was restored, it will be again.
        needsSnapshot = full || differs && exactFrom > newest;
        version = live && !full && !differs ? last : 0;
        long reached = live ? Math.max(last, bookmarked) : 0;
        // A complete list may be older than the state before it.
        long held = justEnded ? reached : Math.max(reached, writer.heldVersion(kind));
        writer.setVersions(kind, version, full ? 0 : held);
        unpublished = false;
        heardEvent = false;
        heardBookmark = false;
        justEnded = false;
    }

    /** Counts objects or events that were rejected. Thread-safe. */
    public void countRefused(long objects) {
        refused.add(objects);
    }

    public ObjectKind kind() {
        return kind;
    }

    public Phase phase() {
        return phase;
    }

    /** True while a snapshot is in progress. */
    public boolean isListing() {
        return phase == Phase.LISTING;
    }

    @Nullable
    Owner owner() {
        return owner;
    }

    /** True if this stream feeds the kind. */
    public boolean isFedBy(@Nullable FeedStream stream) {
        Owner now = owner;
        return now != null && now.stream == stream;
    }

    /** True if a snapshot was started, or events have given the kind a state. */
    public boolean hasBegun() {
        return phase != Phase.NONE;
    }

    /** True if there is a state of the kind, with which queries can be answered. */
    public boolean isReady() {
        return wasLive || phase == Phase.APPLIED;
    }

    /** Why there is no state of the kind, in one line; null if there is one. */
    public @Nullable String obstacle() {
        Phase now = phase;
        if (wasLive || now == Phase.APPLIED) {
            return null;
        }
        return now == Phase.LISTING ? LISTING_FIRST : now == Phase.ABORTED ? ABORTED_FIRST : "not received yet";
    }

    /** The name of the feeder of the kind, even while its source is unreachable; empty if there is none. */
    public String feeder() {
        Owner now = owner;
        return now == null ? "" : now.feeder;
    }

    /**
     * The time since which the kind is fed, on the instance's clock; null if no stream feeds it, or if the source of
     * the stream is unreachable.
     */
    public @Nullable Long since() {
        Owner now = owner;
        return now == null || !now.stream.isSourceReached() ? null : (Long) now.stream.laterOf(now.since);
    }

    /** The resource version that identifies the state; 0 if there is none. */
    public long version() {
        return version;
    }

    /** Why no version is reported, in one line; null if one is. */
    public @Nullable String versionObstacle() {
        if (version != 0) {
            return null;
        }
        return switch (phase) {
            case NONE, APPLIED -> "no snapshot has been received";
            case LISTING -> "a snapshot is in progress";
            case ABORTED -> "the last snapshot was aborted";
            case LIVE ->
                full
                        ? "objects were rejected for lack of room"
                        : differs
                                ? "the state contains changes that its feed has not sent"
                                : "its feed sends no versions";
        };
    }

    /** True if the state lacks objects of the feed for lack of room. */
    boolean isFull() {
        return full;
    }

    /** True if only a snapshot, and no event, can make the state that of the feed again. */
    public boolean needsSnapshot() {
        return needsSnapshot;
    }

    public Received received() {
        return received;
    }

    /** The number of objects and events that were rejected. */
    public long refused() {
        return refused.sum();
    }
}
