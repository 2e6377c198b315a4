package io.evenkeel.placement.call;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.ObjectKind;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * How far the feed of one kind of object has got, by the versions that it tells.
 *
 * <pre>
 *   begin ─► objects, events, bookmarks ─► end ─► events, bookmarks ─► …
 *            nothing is told                      told   the greatest version of the list and of its events
 *            held stays as it was before          held   the same or, where it is greater, a bookmark's
 * </pre>
 *
 * The told version names the state exactly, so it is withheld where the state may be another one: during a snapshot and
 * after one that broke off; after something was refused for lack of room, until a snapshot in which nothing was; and
 * after a change that the API server's order does not explain; and after a list that is older than what was known,
 * until the feed has got there again, since events that are known already change nothing. It changes within writes of
 * the engine only.
 */
final class KindProgress {
    private static final long NEVER = Long.MAX_VALUE;

    private final ObjectKind kind;

    /** The greatest version of the complete list and of the events after it; 0 where none was told. */
    private long last;

    /** The greatest version of an object or event that was ever told. */
    private long newest;

    /** The greatest version of a bookmark since the last snapshot began. */
    private long bookmarked;

    /** The greatest versions of objects and of events in the snapshot under way. */
    private long listed;

    private long changed;

    private boolean complete;

    /** Whether the snapshot under way, or the state since it, lacks something for which there is no room. */
    private boolean lacking;

    /** The state is not told while {@link #last} is below this. */
    private long exactFrom;

    private boolean unpublished;
    private boolean justEnded;

    /** Whether the state lacks something for which there was no room. Any thread may read it. */
    private volatile boolean full;

    // What was heard since the last publication.
    private boolean heardEvent;
    private boolean heardBookmark;
    private long applied;
    private long unchanged;
    private long bookmarks;

    // For any thread: when the feed was heard of, on the clock of the instance, and what came of its objects.
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

    /** A snapshot begins. */
    void begin() {
        complete = false;
        lacking = false;
        exactFrom = 0;
        bookmarked = 0;
        listed = 0;
        changed = 0;
        unpublished = true;
    }

    /** The snapshot under way tells of an object. */
    void list(long version, boolean changedSomething) {
        count(changedSomething);
        listed = Math.max(listed, version);
        newest = Math.max(newest, version);
    }

    /**
     * An event of the feed was applied.
     *
     * @param version 0 where it has none
     * @param changedSomething whether the state is another one now
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
            // Without a version it belongs to what the next event tells of. With one it comes too late.
            exactFrom = version == 0 ? Math.max(exactFrom, last + 1) : NEVER;
        }
    }

    void bookmark(long version) {
        bookmarked = Math.max(bookmarked, version);
        bookmarks++;
        heardBookmark = true;
        unpublished = true;
    }

    /** An object or an event of the feed was refused for lack of room. */
    void refuse() {
        lacking = true;
        full = true;
        unpublished = true;
    }

    /**
     * An event was applied that does not come from the feed. Where it is ahead of the feed, events of the feed may be
     * late after it, even if it has changed nothing: the state is told once the feed has got there too.
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
     * The end of the snapshot begins: objects that it did not name are removed.
     *
     * @param version the list's version; 0 where it is not known
     */
    void beginEnd(long version, ClusterWriter writer) {
        long held = writer.heldVersion(kind);
        writer.setVersions(kind, 0, Math.min(held, reachedBySnapshot(version)));
    }

    /** The snapshot is complete. */
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

    /** Counts objects that were refused, for whatever reason. */
    void countRefused(long objects) {
        refusedInAll.add(objects);
    }

    boolean isUnpublished() {
        return unpublished;
    }

    /** Tells the engine, and other threads, what has changed by {@code now}. */
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

    /** When the feed was heard of last, by an event, a bookmark or the end of a snapshot; null where it never was. */
    @Nullable
    Long heardAt() {
        return heardAt;
    }

    /** What the feed has told so far, for people. Any thread may ask. */
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
