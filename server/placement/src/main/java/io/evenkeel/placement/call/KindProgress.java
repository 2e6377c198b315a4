package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The progress of the feed of one kind of object, in resource versions.
 *
 * <pre>
 *   begin ─► objects, events, bookmarks ─► end ─► events, bookmarks ─► …
 *            nothing is reported                  reported   the greatest version of the list and of its events
 *            held stays unchanged                 held       the same, or a bookmark's if greater
 * </pre>
 *
 * The reported version identifies the state exactly, so no version is reported while the state may differ from it:
 *
 * <ul>
 *   <li>during a snapshot, and after an aborted one;
 *   <li>after an object was rejected for lack of room, until a snapshot without rejected objects;
 *   <li>after a change that contradicts the API server's order;
 *   <li>after a list older than the known state, until the feed catches up: events that are already known change
 *       nothing.
 * </ul>
 *
 * Changes only within writes of the engine.
 */
final class KindProgress {
    private static final long NEVER = Long.MAX_VALUE;

    private final ObjectKind kind;

    /** The greatest version of the complete list and of the events after it; 0 if there was none. */
    private long last;

    /** The greatest version of any object or event so far. */
    private long newest;

    /** The greatest version of a bookmark since the last snapshot started. */
    private long bookmarked;

    /** The greatest versions of objects and of events in the current snapshot. */
    private long listed;

    private long changed;

    private boolean complete;

    /** True if something was rejected for lack of room since the current or last snapshot started. */
    private boolean lacking;

    /** No version is reported while {@link #last} is below this. */
    private long exactFrom;

    private boolean unpublished;
    private boolean justEnded;

    /** True if the state lacks objects for lack of room. Read by any thread. */
    private volatile boolean full;

    // What was received since the last publication.
    private boolean heardEvent;
    private boolean heardBookmark;
    private long applied;
    private long unchanged;
    private long bookmarks;

    // For any thread: times on the instance's clock, and the outcomes of objects and events.
    private volatile @Nullable Long eventAt;
    private volatile @Nullable Long bookmarkAt;
    private volatile @Nullable Long heardAt;
    private final LongAdder appliedInAll = new LongAdder();
    private final LongAdder unchangedInAll = new LongAdder();
    private final LongAdder bookmarksInAll = new LongAdder();
    private final LongAdder refusedInAll = new LongAdder();

    KindProgress(ObjectKind kind) {
        this.kind = kind;
    }

    /** Starts a snapshot. */
    void begin() {
        complete = false;
        lacking = false;
        exactFrom = 0;
        bookmarked = 0;
        listed = 0;
        changed = 0;
        unpublished = true;
    }

    /** Records an object of the current snapshot. */
    void list(long version, boolean changedSomething) {
        count(changedSomething);
        listed = Math.max(listed, version);
        newest = Math.max(newest, version);
    }

    /**
     * Records an applied event of the feed.
     *
     * @param version 0 if unknown
     * @param changedSomething whether the state has changed
     */
    void event(long version, boolean changedSomething) {
        count(changedSomething);
        heardEvent = true;
        unpublished = true;
        newest = Math.max(newest, version);
        if (!complete) {
            changed = Math.max(changed, version);
            return;
        }
        if (version > last) {
            last = version;
        } else if (changedSomething) {
            // Without a version, the change is covered by the next event. With a version, it is too late.
            exactFrom = version == 0 ? Math.max(exactFrom, last + 1) : NEVER;
        }
    }

    void bookmark(long version) {
        bookmarked = Math.max(bookmarked, version);
        bookmarks++;
        heardBookmark = true;
        unpublished = true;
    }

    /** Records that an object or event of the feed was rejected for lack of room. */
    void refuse() {
        lacking = true;
        full = true;
        unpublished = true;
    }

    /**
     * Records an applied event that does not come from the feed. If it is ahead of the feed, the feed's earlier events
     * are still to come, even if this one changed nothing. No version is reported until the feed has caught up.
     */
    void eventFromElsewhere(long version, boolean changedSomething) {
        count(changedSomething);
        if (complete && version > last) {
            exactFrom = Math.max(exactFrom, version);
        } else if (changedSomething || !complete && version > 0) {
            exactFrom = NEVER;
        }
        unpublished = true;
    }

    /**
     * Prepares the end of the snapshot, before the objects that it did not list are removed.
     *
     * @param version the version of the list; 0 if unknown
     */
    void beginEnd(long version, ClusterWriter writer) {
        long held = writer.heldVersion(kind);
        writer.setVersions(kind, 0, Math.min(held, reachedBySnapshot(version)));
    }

    /** Completes the snapshot. */
    void end(long version) {
        last = reachedBySnapshot(version);
        exactFrom = Math.max(exactFrom, newest);
        newest = Math.max(newest, last);
        complete = true;
        full = lacking;
        justEnded = true;
        unpublished = true;
    }

    private long reachedBySnapshot(long version) {
        return Math.max(version > 0 ? version : listed, changed);
    }

    private void count(boolean changedSomething) {
        if (changedSomething) {
            applied++;
        } else {
            unchanged++;
        }
        unpublished = true;
    }

    /** Counts objects that were rejected for any reason. */
    void countRefused(long objects) {
        refusedInAll.add(objects);
    }

    boolean isUnpublished() {
        return unpublished;
    }

    /** Publishes all changes so far to the engine and to other threads. */
    void publish(ClusterWriter writer, long now) {
        unpublished = false;
        if (heardEvent) {
            eventAt = now;
        }
        if (heardBookmark) {
            bookmarkAt = now;
        }
        if (heardEvent || heardBookmark || justEnded) {
            heardAt = now;
        }
        heardEvent = false;
        heardBookmark = false;
        if (applied > 0) {
            appliedInAll.add(applied);
            applied = 0;
        }
        if (unchanged > 0) {
            unchangedInAll.add(unchanged);
            unchanged = 0;
        }
        if (bookmarks > 0) {
            bookmarksInAll.add(bookmarks);
            bookmarks = 0;
        }
        writer.setVersions(kind, isExact() ? last : 0, full ? 0 : held(writer));
        justEnded = false;
    }

    private boolean isExact() {
        return complete && !full && last >= exactFrom;
    }

    private long held(ClusterWriter writer) {
        long reached = complete ? Math.max(last, bookmarked) : 0;
        // A complete list may be older than the state before it.
        return justEnded ? reached : Math.max(reached, writer.heldVersion(kind));
    }

    boolean isFull() {
        return full;
    }

    /** Time of the last event, bookmark or end of a snapshot; null if there was none. */
    @Nullable
    Long heardAt() {
        return heardAt;
    }

    /** Statistics of the feed. Thread-safe. */
    FeedRecord record() {
        return new FeedRecord(
                eventAt,
                bookmarkAt,
                heardAt,
                appliedInAll.sum(),
                unchangedInAll.sum(),
                refusedInAll.sum(),
                bookmarksInAll.sum());
    }
}
