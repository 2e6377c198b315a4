package io.evenkeel.placement.change;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.placement.call.FeedProgress;
import org.jspecify.annotations.Nullable;

/**
 * Notes what the changes of one message tell of how far the feeds have got, within the writes that make them. A stream
 * tells this of the kinds that it feeds; whoever else changes a kind makes another state than the feed's.
 */
final class ChangeNotes {
    private final FeedProgress progress;
    private final @Nullable FeedStream stream;
    private final boolean listed;

    /**
     * @param stream the stream that the message comes from; null where it comes from a call
     * @param listed whether the changes are the objects of a snapshot
     */
    ChangeNotes(FeedProgress progress, @Nullable FeedStream stream, boolean listed) {
        this.progress = progress;
        this.stream = stream;
        this.listed = listed;
    }

    /** A change was made. */
    void made(ObjectChange change, boolean changed) {
        if (!isFed(change)) {
            if (!change.isBookmark()) {
                progress.eventFromElsewhere(change.kind(), change.version(), changed);
            }
        } else if (change.isBookmark()) {
            progress.bookmark(change.kind(), change.version());
        } else if (listed) {
            progress.list(change.kind(), change.version(), changed);
        } else {
            progress.event(change.kind(), change.version(), changed);
        }
    }

    /** There is no room for a change. */
    void refused(ObjectChange change) {
        progress.countRefused(change.kind(), 1);
        if (isFed(change)) {
            progress.refuse(change.kind());
        }
    }

    /** Whether the change comes from the stream that feeds its kind. */
    boolean isFed(ObjectChange change) {
        return stream != null && stream.feeds(change.kind());
    }

    /** A write ends. */
    void end(ClusterWriter writer) {
        progress.publish(writer);
    }
}
