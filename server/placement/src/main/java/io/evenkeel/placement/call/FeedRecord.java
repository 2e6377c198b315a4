package io.evenkeel.placement.call;

import org.jspecify.annotations.Nullable;

/**
 * Statistics of the feed of one kind. Times are nanoseconds of the instance's clock, or null if there was no such
 * message.
 *
 * @param eventAt time of the last event
 * @param bookmarkAt time of the last bookmark
 * @param heardAt time of the last event, bookmark or end of a snapshot
 * @param applied objects and events that changed the state, from any source
 * @param unchanged those that did not change it
 * @param refused those that were rejected
 */
public record FeedRecord(
        @Nullable Long eventAt,
        @Nullable Long bookmarkAt,
        @Nullable Long heardAt,
        long applied,
        long unchanged,
        long refused,
        long bookmarks) {}
