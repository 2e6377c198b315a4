package io.evenkeel.placement.change;

import io.evenkeel.engine.memory.CapacityException;
import io.evenkeel.engine.model.ClusterWriter;
import io.evenkeel.engine.model.PodRecord;
import io.evenkeel.placement.call.FeedStream;
import io.evenkeel.placement.call.Feeds;
import io.evenkeel.placement.call.KindFeedState;
import io.evenkeel.v1.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Applies the changes of one message in batches. Records which of them the engine rejected, and how far they advance
 * the feeds of their kinds.
 *
 * <p>A batch ends after {@link #SLICE} changes, whose memory is prefetched, or earlier if its time is up. The clock is
 * read after each change because a single one may update thousands of counts, if that many selectors match the pod.
 */
final class ChangeBatches {
    /** The maximum number of changes that are prefetched and applied in one write: a few hundred microseconds. */
    static final int SLICE = 256;

    private final List<ObjectChange> changes;
    private final Feeds feeds;
    private final @Nullable FeedStream stream;
    private final boolean listed;
    private Map<Integer, CapacityException> refused = Map.of();
    private int next;
    private int fetched;
    private int count;
    /** The effective changes of pending pods since the last call of {@link #takePending}. */
    private List<ObjectChange> latest = List.of();

    /**
     * @param stream the stream that sent the message; null for a unary call
     * @param listed whether the changes are the objects of a snapshot
     */
    ChangeBatches(List<ObjectChange> changes, Feeds feeds, @Nullable FeedStream stream, boolean listed) {
        this.changes = changes;
        this.feeds = feeds;
        this.stream = stream;
        this.listed = listed;
    }

    /** Applies the next batch. */
    void advance(ClusterWriter writer) {
        try {
            applyNext(writer);
        } finally {
            feeds.publish(writer);
        }
    }

    private void applyNext(ClusterWriter writer) {
        if (next == fetched) {
            fetched = Math.min(changes.size(), next + SLICE);
            expect(writer);
        }
        while (next < fetched) {
            ObjectChange change = changes.get(next++);
            KindFeedState feed = feeds.of(change.kind());
            try {
                writer.setFromElsewhere(!feed.isFedBy(stream));
                boolean changed = change.applyTo(writer);
                if (change.isBookmark()) {
                    feed.bookmark(stream, change.version());
                } else {
                    feed.applied(stream, listed, change.version(), changed);
                }
                if (changed) {
                    count++;
                    if (change.isPending()) {
                        note(change);
                    }
                }
            } catch (CapacityException full) {
                refuse(next - 1, full);
                feed.rejectedForRoom(stream);
            }
            if (next < fetched && writer.isTimeUp()) {
                return;
            }
        }
    }

    private void note(ObjectChange pending) {
        if (latest.isEmpty()) {
            // Most messages have none.
            latest = new ArrayList<>();
        }
        latest.add(pending);
    }

    /** Prefetches the memory that the changes of the slice need. A single change does not gain from that. */
    private void expect(ClusterWriter writer) {
        if (fetched - next < 2) {
            return;
        }
        List<PodRecord> coming = new ArrayList<>(fetched - next);
        for (int i = next; i < fetched; i++) {
            PodRecord pod = changes.get(i).pod();
            if (pod != null) {
                coming.add(pod);
            }
        }
        writer.expect(coming);
    }

    private void refuse(int place, CapacityException full) {
        if (refused.isEmpty()) {
            refused = new TreeMap<>();
        }
        refused.put(place, full);
    }

    /** True if all changes were applied. */
    boolean isDone() {
        return next == changes.size();
    }

    /** The changes for which the engine has no room, by index. */
    Map<Integer, CapacityException> refused() {
        return refused;
    }

    /** The number of changes so far that changed the state. */
    int count() {
        return count;
    }

    /** The pending pods among the effective changes since the last call. */
    List<Pod> takePending() {
        if (latest.isEmpty()) {
            return List.of();
        }
        List<Pod> pending = new ArrayList<>();
        for (ObjectChange change : latest) {
            Pod pod = change.pending();
            if (pod != null) {
                pending.add(pod);
            }
        }
        latest = List.of();
        return pending;
    }
}
