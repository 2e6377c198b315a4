package io.evenkeel.placement.call;

import org.jspecify.annotations.Nullable;

/**
 * When the feed of a kind was heard of, in nanoseconds of the instance's clock, and what came of the objects and events
 * of the kind so far. A moment is null where there was none.
 *
 * @param eventAt the last event's
 * @param bookmarkAt the last bookmark's
 * @param heardAt the last event's, bookmark's or end of a snapshot
 * @param applied objects and events that changed something, from wherever they came
 * @param unchanged those that changed nothing
 * @param refused those that were refused
 */
public record FeedRecord(
        @Nullable Long eventAt,
        @Nullable Long bookmarkAt,
        @Nullable Long heardAt,
        long applied,
        long unchanged,
        long refused,
        long bookmarks) {}
