package io.evenkeel.placement.change;

import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.placement.call.FeedProgress;
import org.jspecify.annotations.Nullable;

/**
 * Records the progress of feeds from the changes of one message, within the writes that apply them. Only a stream
 * advances the kinds that it feeds; a change from elsewhere makes the state differ from the feed's.
 */
final class ChangeNotes {
    private final FeedProgress progress;
    private final @Nullable FeedStream stream;
    private final boolean listed;

    /**
     * @param stream the stream that sent the message; null if it comes from a unary call
     * @param listed whether the changes are the objects of a snapshot
     */
    ChangeNotes(FeedProgress progress, @Nullable FeedStream stream, boolean listed) {
        this.progress = progress;
        this.stream = stream;
        this.listed = listed;
    }

    /** Records an applied change. */
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

    /** Records a change for which there is no room. */
    void refused(ObjectChange change) {
        progress.countRefused(change.kind(), 1);
        if (isFed(change)) {
            progress.refuse(change.kind());
        }
    }

    /** True if the change comes from the stream that feeds its kind. */
    boolean isFed(ObjectChange change) {
        return stream != null && stream.feeds(change.kind());
    }

    /** Publishes the progress at the end of a write. */
    void end(ClusterWriter writer) {
        progress.publish(writer);
    }
}
